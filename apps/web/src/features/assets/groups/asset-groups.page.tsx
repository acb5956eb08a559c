import { type AssetGroup, listAssetGroups } from '@isotherm/contracts/asset-groups';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { rowsOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { indexTree } from '../../../shared/ui/tree/tree-index.ts';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { GroupForm } from './group-form.tsx';
import { GROUPS_KEY, groupsQuery, useGroupChanges } from './groups.queries.ts';

const source = rowsOf<AssetGroup>(listAssetGroups, {
  access: 'asset-groups:view',
  matches: (group, search) => `${group.name} ${group.organizationName}`.toLowerCase().includes(search),
  compare: {
    name: (a, b) => a.name.localeCompare(b.name),
    assets: (a, b) => a.assets - b.assets,
    organization: (a, b) => a.organizationName.localeCompare(b.organizationName),
  },
});

/** Page of the asset groups, which can be nested to any depth. */
export default function GroupList() {
  const { text } = useText();
  const go = useGo();
  const [params, change] = useUrlState();
  const changes = useGroupChanges();
  const mayEdit = usePermission('asset-groups:edit');
  const [doomed, setDoomed] = useState<AssetGroup | null>(null);
  const { data: groups } = useQuery(groupsQuery);
  const columns = useMemo<ListColumn<AssetGroup>[]>(() => {
    const index = indexTree(groups ?? []);
    return [
      {
        key: 'name',
        title: text('assets.group.name'),
        sortable: true,
        pinned: true,
        maxWidth: 280,
        render: (group) => group.name,
      },
      {
        key: 'parent',
        title: text('assets.group.parent'),
        maxWidth: 320,
        render: ({ id }) => (
          <span className="secondary">
            {index
              .ancestorsOf(id)
              .map(({ name }) => name)
              .join(' / ')}
          </span>
        ),
      },
      {
        key: 'assets',
        title: text('assets.group.assets'),
        sortable: true,
        firstOrder: 'desc',
        align: 'end',
        render: ({ assets }) => assets,
      },
      {
        key: 'organization',
        title: text('users.organization'),
        sortable: true,
        maxWidth: 240,
        render: (group) => <span className="secondary">{group.organizationName}</span>,
      },
      {
        key: 'description',
        title: text('assets.group.description'),
        maxWidth: 320,
        render: (group) => group.description,
      },
    ];
  }, [groups, text]);
  const create = (
    <PermissionButton
      permission="asset-groups:edit"
      variant="primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('assets.group.create')}
    </PermissionButton>
  );
  const edited = groups?.find(({ id }) => id === Number(params.get('edit')));
  return (
    <>
      <ListPage
        name="asset-groups"
        title={text('menu.asset-groups')}
        purpose={text('assets.group.purpose')}
        source={source}
        queryKey={GROUPS_KEY}
        columns={columns}
        rowKey={(group) => group.id}
        rowName={(group) => group.name}
        searchLabel={text('assets.group.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        actions={create}
        onOpen={(group) => go(`/asset/groups/${group.id}`)}
        rowActions={(group) =>
          mayEdit
            ? [
                {
                  key: 'edit',
                  label: text('assets.group.edit'),
                  onClick: () => change({ edit: group.id }, 'push'),
                },
                {
                  key: 'delete',
                  danger: true,
                  label: text('assets.group.delete'),
                  onClick: () => setDoomed(group),
                },
              ]
            : []
        }
        empty={{
          title: text('assets.group.empty.title'),
          reason: text('assets.group.empty.reason'),
          action: create,
        }}
      />
      {params.get('new') && mayEdit ? <GroupForm onClose={() => change({ new: null })} /> : null}
      {edited && mayEdit ? (
        <GroupForm key={edited.id} group={edited} onClose={() => change({ edit: null })} />
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('assets.group.delete.title', { name: doomed.name })}
          confirmLabel={text('assets.group.delete')}
          onConfirm={async (reason) => {
            await changes.remove(doomed.id, reason);
            toast('success', text('assets.group.delete.done', { name: doomed.name }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('assets.group.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
