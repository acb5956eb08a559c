import {
  exportUsers,
  getUserTemplate,
  importUsers,
  listUsers,
  USER_STATES,
  type User,
} from '@isotherm/contracts/users';
import { ACCOUNT_TYPES } from '@isotherm/domain/access/roles';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { roleName } from '../../../shared/access/role-words.ts';
import { listed } from '../../../shared/format/listed.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { Avatar } from '../../../shared/ui/avatar.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter, ListView } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { useUserActions } from './user-actions.tsx';
import { UserForm } from './user-form.tsx';
import { UserState } from './user-words.tsx';
import { rolesQuery, USERS_KEY, userQuery } from './users.queries.ts';

const source = pagesOf(listUsers);

function useColumns(): ListColumn<User>[] {
  const { text, time } = useViewer();
  return useMemo(
    () => [
      {
        key: 'username',
        title: text('users.username'),
        sortable: true,
        pinned: true,
        render: (user) => (
          <span className="row">
            <Avatar small name={user.realname} image={user.avatar} />
            {user.username}
          </span>
        ),
      },
      {
        key: 'realname',
        title: text('users.realname'),
        sortable: true,
        maxWidth: 220,
        render: (user) => user.realname,
      },
      {
        key: 'organization',
        title: text('users.organization'),
        sortable: true,
        maxWidth: 240,
        render: (user) => <span className="secondary">{user.organizationName}</span>,
      },
      {
        key: 'roles',
        title: text('users.roles'),
        maxWidth: 240,
        render: (user) =>
          listed(
            user.roles.map((role) => roleName(role, text)),
            text,
          ),
      },
      {
        key: 'accountType',
        title: text('users.type'),
        render: (user) => <span className="secondary">{text(`users.type.${user.accountType}`)}</span>,
      },
      { key: 'state', title: text('users.state'), render: (user) => <UserState state={user.state} /> },
      {
        key: 'mobile',
        title: text('users.mobile'),
        render: (user) => user.mobile && <bdi dir="ltr">{user.mobile}</bdi>,
      },
      { key: 'email', title: text('users.email'), offered: true, render: (user) => user.email },
      {
        key: 'secondFactor',
        title: text('users.second-factor'),
        offered: true,
        render: (user) => text(user.secondFactor ? 'users.second-factor.on' : 'users.second-factor.off'),
      },
      {
        key: 'lastLoginAt',
        title: text('users.last-login'),
        sortable: true,
        firstOrder: 'desc',
        render: (user) => (user.lastLoginAt ? time(user.lastLoginAt, 'date-time') : EN_RULE),
      },
      {
        key: 'createdAt',
        title: text('users.created'),
        sortable: true,
        firstOrder: 'desc',
        offered: true,
        render: (user) => time(user.createdAt, 'date-time'),
      },
    ],
    [text, time],
  );
}

function useFilters(): ListFilter[] {
  const { text } = useText();
  const organizations = useOrganizations();
  const { data: roles } = useQuery(rolesQuery);
  return useMemo(
    () => [
      organizationFilter(text, organizations),
      {
        keys: ['roleId'],
        label: text('users.role'),
        options: (roles ?? []).map((role) => ({ value: String(role.id), label: roleName(role, text) })),
      },
      {
        keys: ['accountType'],
        label: text('users.type'),
        more: true,
        options: ACCOUNT_TYPES.map((type) => ({ value: type, label: text(`users.type.${type}`) })),
      },
    ],
    [text, organizations, roles],
  );
}

/** Page of the accounts of the user's own and subordinate organisations: search, create, edit, import. */
export default function UserList() {
  const { text } = useText();
  const go = useGo();
  const [params, change] = useUrlState();
  const { act, dialogs } = useUserActions();
  const may = {
    edit: usePermission('management-users:edit'),
    disable: usePermission('management-users:disable'),
    reset: usePermission('management-users:reset'),
    unlock: usePermission('management-users:unlock'),
    delete: usePermission('management-users:delete'),
  };
  const editing = Number(params.get('edit')) || null;
  const { data: edited } = useQuery({ ...userQuery(editing ?? 0), enabled: editing !== null });
  const columns = useColumns();
  const filters = useFilters();
  const views = useMemo<ListView[]>(
    () => [
      { key: 'all', label: text('users.view.all'), query: {} },
      ...USER_STATES.map((state) => ({ key: state, label: text(`users.view.${state}`), query: { state } })),
    ],
    [text],
  );

  return (
    <>
      <ListPage
        name="management-users"
        title={text('menu.management-users')}
        purpose={text('users.purpose')}
        source={source}
        queryKey={USERS_KEY}
        columns={columns}
        rowKey={(user) => user.id}
        rowName={(user) => user.username}
        searchLabel={text('users.search')}
        defaultSort={{ sort: 'username', order: 'asc' }}
        filters={filters}
        views={views}
        counts={({ counts }) => ({
          ...counts,
          all: Object.values(counts).reduce((sum, count) => sum + count, 0),
        })}
        exporting={exportUsers}
        importing={[
          {
            route: importUsers,
            template: getUserTemplate,
            title: text('users.import.title'),
            help: text('users.import.help'),
          },
        ]}
        actions={
          <PermissionButton
            permission="management-users:create"
            variant="primary"
            onClick={() => change({ new: 1 }, 'push')}
          >
            <Icon name="plus" />
            {text('users.create')}
          </PermissionButton>
        }
        onOpen={(user) => go(`/management/users/${user.id}`)}
        rowActions={(user) => [
          ...(may.edit
            ? [{ key: 'edit', label: text('users.edit'), onClick: () => change({ edit: user.id }, 'push') }]
            : []),
          ...(may.unlock && user.state === 'locked'
            ? [{ key: 'unlock', label: text('users.unlock'), onClick: () => act('unlock', [user]) }]
            : []),
          ...(may.reset
            ? [{ key: 'reset', label: text('users.reset'), onClick: () => act('reset', [user]) }]
            : []),
          ...(may.disable && user.state !== 'pending'
            ? [
                user.state === 'disabled'
                  ? { key: 'enable', label: text('users.enable'), onClick: () => act('enable', [user]) }
                  : { key: 'disable', label: text('users.disable'), onClick: () => act('disable', [user]) },
              ]
            : []),
          ...(may.delete
            ? [
                {
                  key: 'delete',
                  danger: true,
                  label: text('users.delete'),
                  onClick: () => act('delete', [user]),
                },
              ]
            : []),
        ]}
        bulk={({ items, clear }) => (
          <>
            <PermissionButton
              permission="management-users:disable"
              onClick={() => act('disable', items, clear)}
            >
              {text('users.disable')}
            </PermissionButton>
            <PermissionButton
              permission="management-users:disable"
              onClick={() => act('enable', items, clear)}
            >
              {text('users.enable')}
            </PermissionButton>
          </>
        )}
        empty={{ title: text('users.empty.title'), reason: text('users.empty.reason') }}
      />
      {params.get('new') ? (
        <UserForm
          organizationId={Number(params.get('organizationId')) || undefined}
          onClose={() => change({ new: null })}
        />
      ) : null}
      {edited && edited.id === editing ? (
        <UserForm user={edited} onClose={() => change({ edit: null })} />
      ) : null}
      {dialogs}
    </>
  );
}
