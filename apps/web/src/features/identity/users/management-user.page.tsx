import './users.css';
import type { UserDetail, UserSession } from '@isotherm/contracts/users';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link, useParams } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { roleName } from '../../../shared/access/role-words.ts';
import { listed } from '../../../shared/format/listed.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { Avatar } from '../../../shared/ui/avatar.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Definitions, DetailPage, type Fact } from '../../../shared/ui/detail-page.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { SessionList } from './session-list.tsx';
import { useUserActions } from './user-actions.tsx';
import { UserForm } from './user-form.tsx';
import { UserState } from './user-words.tsx';
import { userQuery, userSessionsQuery, useUserChanges } from './users.queries.ts';

const LIST = '/management/users';

/** Page of one account: properties, permissions and sessions. */
export default function UserPage() {
  const id = Number(useParams().id);
  const { data, error, refetch } = useQuery(userQuery(id));
  if (data) return <Loaded user={data} />;
  if (error)
    return (
      <div className="page">
        <section className="panel">
          <FailureNotice error={error} retry={() => void refetch()} />
        </section>
      </div>
    );
  return (
    <div className="page">
      <div className="panel skeleton skeleton-body" />
    </div>
  );
}

function Loaded({ user }: { user: UserDetail }) {
  const viewer = useViewer();
  const { text, time } = viewer;
  const go = useGo();
  const [params, change] = useUrlState();
  const { act, dialogs } = useUserActions();
  const seesLogs = usePermission('management-logs:view');
  const sessions = useQuery(userSessionsQuery(user.id));
  const disabled = user.state === 'disabled';
  const facts: Fact[] = [
    { label: text('users.username'), value: user.username },
    { label: text('users.organization'), value: user.organizationName },
    { label: text('users.type'), value: text(`users.type.${user.accountType}`) },
    {
      label: text('users.last-login'),
      value: user.lastLoginAt
        ? `${time(user.lastLoginAt, 'date-time')} · ${user.lastLoginAddress}`
        : text('users.never'),
    },
    {
      label: text('users.second-factor'),
      value: text(user.secondFactor ? 'users.second-factor.on' : 'users.second-factor.off'),
    },
  ];
  return (
    <>
      <DetailPage
        title={user.realname}
        back={{ to: LIST, label: text('menu.management-users') }}
        mark={<Avatar name={user.realname} image={user.avatar} />}
        tags={<UserState state={user.state} />}
        facts={facts}
        notice={stateNotice(user, viewer, () => act('unlock', [user]))}
        actions={
          <>
            <PermissionButton
              permission="management-users:edit"
              variant="primary"
              onClick={() => change({ edit: 1 }, 'push')}
            >
              <Icon name="edit" />
              {text('users.edit')}
            </PermissionButton>
            <PermissionButton permission="management-users:reset" onClick={() => act('reset', [user])}>
              {text('users.reset')}
            </PermissionButton>
            {user.self || user.state === 'pending' ? null : (
              <PermissionButton
                permission="management-users:disable"
                onClick={() => act(disabled ? 'enable' : 'disable', [user])}
              >
                {text(disabled ? 'users.enable' : 'users.disable')}
              </PermissionButton>
            )}
            {user.self ? null : (
              <PermissionButton
                permission="management-users:delete"
                onClick={() => act('delete', [user], () => go(LIST))}
              >
                {text('users.delete')}
              </PermissionButton>
            )}
          </>
        }
        tabs={[
          { key: 'overview', label: text('users.tab.overview'), content: () => <Overview user={user} /> },
          {
            key: 'sessions',
            label: text('users.tab.sessions'),
            count: sessions.data?.length,
            content: () => (
              <Sessions
                user={user}
                sessions={sessions.data ?? null}
                error={sessions.error}
                retry={() => void sessions.refetch()}
              />
            ),
          },
        ]}
      />
      {seesLogs ? (
        <div className="page user-log">
          <Link to={`/management/logs?actor=${encodeURIComponent(user.username)}`}>
            {text('users.log', { name: user.realname })}
          </Link>
        </div>
      ) : null}
      {params.get('edit') ? <UserForm user={user} onClose={() => change({ edit: null })} /> : null}
      {dialogs}
    </>
  );
}

/** Returns the most important notice about the state of the account. */
function stateNotice(user: UserDetail, { text, time }: Viewer, onUnlock: () => void): ReactNode {
  if (user.lockedUntil)
    return (
      <>
        <Icon name="lock" />
        {text('users.locked-until', { time: time(user.lockedUntil, 'date-time') })}
        <PermissionButton permission="management-users:unlock" variant="link" onClick={onUnlock}>
          {text('users.unlock')}
        </PermissionButton>
      </>
    );
  if (user.state === 'disabled')
    return (
      <>
        <Icon name="lock" />
        {text('users.disabled-because', { reason: user.disabledReason || EN_RULE })}
      </>
    );
  if (user.state === 'pending') return text('users.waits');
  if (user.mustChangePassword) return text('users.password-due');
  return null;
}

function Overview({ user }: { user: UserDetail }) {
  const { text, time } = useViewer();
  const or = (value: string) => value || EN_RULE;
  return (
    <section className="panel user-overview">
      <h2>{text('users.section.access')}</h2>
      <Definitions
        facts={[
          {
            label: text('users.roles'),
            value: listed(
              user.roles.map((role) => roleName(role, text)),
              text,
            ),
          },
          { label: text('users.agent'), value: user.agent?.realname ?? text('users.agent.none') },
          { label: text('users.settlement'), value: text(`users.settlement.${user.settlement}`) },
          { label: text('users.time-zone'), value: user.timeZone },
        ]}
      />
      <h2>{text('users.section.contact')}</h2>
      <Definitions
        facts={[
          { label: text('users.mobile'), value: <bdi dir="ltr">{or(user.mobile)}</bdi> },
          { label: text('users.landline'), value: <bdi dir="ltr">{or(user.landline)}</bdi> },
          { label: text('users.email'), value: or(user.email) },
          { label: text('users.address'), value: or(user.address) },
          { label: text('users.description'), value: or(user.description) },
        ]}
      />
      <h2>{text('users.section.origin')}</h2>
      <Definitions
        facts={[
          { label: text('users.created'), value: time(user.createdAt, 'date-time') },
          { label: text('users.created-by'), value: or(user.createdBy) },
        ]}
      />
    </section>
  );
}

function Sessions({
  user,
  sessions,
  error,
  retry,
}: {
  user: UserDetail;
  sessions: readonly UserSession[] | null;
  error: unknown;
  retry: () => void;
}) {
  const { text } = useText();
  const changes = useUserChanges();
  const [asking, setAsking] = useState(false);
  return (
    <section className="panel">
      {error ? <FailureNotice error={error} retry={retry} /> : null}
      {sessions ? <SessionList sessions={sessions} empty={text('users.sessions.none')} /> : null}
      {sessions && sessions.length > 0 && !user.self ? (
        <div className="user-foot">
          <PermissionButton permission="management-users:disable" onClick={() => setAsking(true)}>
            <Icon name="leave" />
            {text('users.sessions.end')}
          </PermissionButton>
        </div>
      ) : null}
      {asking ? (
        <ConfirmWithReason
          weight="plain"
          title={text('users.sessions.end-title', { name: user.realname })}
          confirmLabel={text('users.sessions.end')}
          onConfirm={() => changes.endSessions(user.id)}
          onClose={() => setAsking(false)}
        >
          {text('users.sessions.end-means')}
        </ConfirmWithReason>
      ) : null}
    </section>
  );
}
