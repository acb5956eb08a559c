import { listRoles, type Role } from '@isotherm/contracts/roles';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { roleDescription, roleName } from '../../../shared/access/role-words.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { rowsOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListView } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { ROLES_KEY, rolesQuery } from '../users/users.queries.ts';
import { RoleDrawer } from './role-drawer.tsx';
import { RoleForm } from './role-form.tsx';
import { useRoleChanges } from './roles.queries.ts';

function sourceFor(text: Text) {
  const name = (role: Role) => roleName(role, text);
  return rowsOf(listRoles, {
    access: 'management-roles:view',
    matches: (role, search) =>
      [name(role), roleDescription(role, text), role.organizationName].some((part) =>
        part.toLowerCase().includes(search),
      ),
    compare: {
      name: (a, b) => Number(b.systemDefault) - Number(a.systemDefault) || name(a).localeCompare(name(b)),
      holders: (a, b) => a.holders - b.holders,
      permissions: (a, b) => a.pagePermissions.length - b.pagePermissions.length,
      updatedAt: (a, b) => a.updatedAt.localeCompare(b.updatedAt),
    },
    filters: { kind: (role, kind) => role.systemDefault === (kind === 'system') },
  });
}

function columnsFor(text: Text, time: (at: string, shape: 'date-time') => string): ListColumn<Role>[] {
  return [
    {
      key: 'name',
      title: text('roles.name'),
      sortable: true,
      pinned: true,
      render: (role) => (
        <span className="row">
          {roleName(role, text)}
          {role.systemDefault ? <span className="tag">{text('roles.kind.system')}</span> : null}
        </span>
      ),
    },
    {
      key: 'organization',
      title: text('roles.organization'),
      maxWidth: 240,
      render: (role) => (
        <span className="secondary">{role.organizationName || text('roles.organization.all')}</span>
      ),
    },
    {
      key: 'description',
      title: text('roles.description'),
      maxWidth: 480,
      render: (role) => <span className="secondary">{roleDescription(role, text)}</span>,
    },
    {
      key: 'permissions',
      title: text('roles.permissions'),
      sortable: true,
      firstOrder: 'desc',
      align: 'end',
      render: (role) => role.pagePermissions.length,
    },
    {
      key: 'holders',
      title: text('roles.holders'),
      sortable: true,
      firstOrder: 'desc',
      align: 'end',
      render: (role) => role.holders,
    },
    {
      key: 'secondFactor',
      title: text('roles.second-factor'),
      render: (role) => (role.requiresSecondFactor ? text('roles.second-factor.yes') : ''),
    },
    {
      key: 'updatedAt',
      title: text('roles.updated'),
      sortable: true,
      firstOrder: 'desc',
      render: (role) => <span className="secondary">{time(role.updatedAt, 'date-time')}</span>,
    },
  ];
}

function viewsFor(text: Text): ListView[] {
  return [
    { key: 'all', label: text('roles.view.all'), query: {} },
    { key: 'own', label: text('roles.view.own'), query: { kind: 'own' } },
    { key: 'system', label: text('roles.view.system'), query: { kind: 'system' } },
  ];
}

/** Page of the roles with their permissions and members. */
export default function RoleList() {
  const { text, time } = useViewer();
  const [params, change] = useUrlState();
  const changes = useRoleChanges();
  const { data: roles } = useQuery(rolesQuery);
  const source = useMemo(() => sourceFor(text), [text]);
  const columns = useMemo(() => columnsFor(text, time), [text, time]);
  const views = useMemo(() => viewsFor(text), [text]);
  const find = (param: string) => roles?.find(({ id }) => String(id) === params.get(param));
  const [shown, edited, copied, doomed] = [find('role'), find('edit'), find('copy'), find('delete')];
  const close = () => change({ new: null, edit: null, copy: null, delete: null });
  return (
    <>
      <ListPage
        name="management-roles"
        title={text('menu.management-roles')}
        purpose={text('roles.purpose')}
        source={source}
        queryKey={ROLES_KEY}
        columns={columns}
        rowKey={(role) => role.id}
        rowName={(role) => roleName(role, text)}
        searchLabel={text('roles.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        views={views}
        onOpen={(role) => change({ role: role.id }, 'push')}
        actions={
          <PermissionButton
            permission="management-roles:create"
            variant="primary"
            onClick={() => change({ new: 1 }, 'push')}
          >
            <Icon name="plus" />
            {text('roles.create')}
          </PermissionButton>
        }
        empty={{ title: text('roles.empty.title'), reason: text('roles.empty.reason') }}
      />
      {shown ? (
        <RoleDrawer
          role={shown}
          onEdit={() => change({ edit: shown.id }, 'push')}
          onCopy={() => change({ copy: shown.id }, 'push')}
          onDelete={() => change({ delete: shown.id }, 'push')}
          onClose={() => change({ role: null, part: null })}
        />
      ) : null}
      {params.get('new') ? <RoleForm onClose={close} /> : null}
      {edited?.editable ? <RoleForm key={`edit-${edited.id}`} role={edited} onClose={close} /> : null}
      {copied ? <RoleForm key={`copy-${copied.id}`} role={copied} copy onClose={close} /> : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('roles.delete.title', { name: roleName(doomed, text) })}
          confirmLabel={text('roles.delete')}
          onConfirm={async (reason) => {
            await changes.remove(doomed.id, reason);
            toast('success', text('roles.delete.done', { name: roleName(doomed, text) }));
            change({ role: null, part: null, delete: null });
          }}
          onClose={close}
        >
          {doomed.holders > 0
            ? text('roles.delete.held', { count: doomed.holders })
            : text('roles.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
