import '../users/users.css';
import type { Role } from '@isotherm/contracts/roles';
import { useQuery } from '@tanstack/react-query';
import Drawer from 'antd/es/drawer';
import { Link } from 'react-router';
import { roleDescription, roleName } from '../../../shared/access/role-words.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Definitions, PageTabs } from '../../../shared/ui/detail-page.tsx';
import { FocusReturn } from '../../../shared/ui/focus-return.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { PermissionSummary } from './permission-tree.tsx';
import { operationTreeQuery, roleHoldersQuery } from './roles.queries.ts';

/** Drawer of one role: its permissions and members. */
export function RoleDrawer({
  role,
  onEdit,
  onCopy,
  onDelete,
  onClose,
}: {
  role: Role;
  onEdit: () => void;
  onCopy: () => void;
  onDelete: () => void;
  onClose: () => void;
}) {
  const { text, time } = useViewer();
  const description = roleDescription(role, text);
  return (
    <>
      <FocusReturn />
      <Drawer open size={560} closable={{ placement: 'end' }} title={roleName(role, text)} onClose={onClose}>
        <div className="role-actions">
          {role.editable ? (
            <PermissionButton permission="management-roles:edit" variant="primary" onClick={onEdit}>
              <Icon name="edit" />
              {text('roles.edit')}
            </PermissionButton>
          ) : null}
          <PermissionButton permission="management-roles:create" onClick={onCopy}>
            <Icon name="copy" />
            {text('roles.copy')}
          </PermissionButton>
          {role.editable ? (
            <PermissionButton permission="management-roles:delete" onClick={onDelete}>
              <Icon name="bin" />
              {text('roles.delete')}
            </PermissionButton>
          ) : null}
        </div>
        {description ? <p className="role-note">{description}</p> : null}
        {role.systemDefault ? <p className="role-note">{text('roles.system-note')}</p> : null}
        <Definitions
          facts={[
            {
              label: text('roles.kind'),
              value: text(role.systemDefault ? 'roles.kind.system' : 'roles.kind.own'),
            },
            ...(role.organizationId === null
              ? []
              : [{ label: text('roles.organization'), value: role.organizationName }]),
            {
              label: text('roles.second-factor'),
              value: text(role.requiresSecondFactor ? 'roles.second-factor.yes' : 'roles.second-factor.no'),
            },
            { label: text('roles.updated'), value: time(role.updatedAt, 'date-time') },
          ]}
        />
        <div className="role-tabs">
          <PageTabs
            param="part"
            tabs={[
              {
                key: 'permissions',
                label: text('roles.permissions'),
                count: role.pagePermissions.length,
                content: () => <Permissions role={role} />,
              },
              {
                key: 'holders',
                label: text('roles.holders'),
                count: role.holders,
                content: () => <Holders role={role} />,
              },
            ]}
          />
        </div>
      </Drawer>
    </>
  );
}

function Permissions({ role }: { role: Role }) {
  const { data, error, refetch } = useQuery(operationTreeQuery(role.id));
  if (data) return <PermissionSummary tree={data} held={role.pagePermissions} />;
  if (error) return <FailureNotice error={error} retry={() => void refetch()} />;
  return <div className="skeleton skeleton-body" />;
}

function Holders({ role }: { role: Role }) {
  const { text } = useText();
  const { data, error, refetch } = useQuery(roleHoldersQuery(role.id));
  if (error) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  if (data.length === 0) return <Notice icon="user" title={text('roles.holders.none')} />;
  return (
    <>
      <ul className="sessions role-holders">
        {data.map((holder) => (
          <li key={holder.id}>
            <Icon name="user" />
            <div className="grow">
              <Link to={`/management/users/${holder.id}`}>{holder.realname}</Link>
              <div className="small secondary">{holder.organizationName}</div>
            </div>
            <span className="small tertiary">{holder.username}</span>
          </li>
        ))}
      </ul>
      <Link className="small" to={`/management/users?roleId=${role.id}`}>
        {text('roles.holders.all')}
      </Link>
    </>
  );
}
