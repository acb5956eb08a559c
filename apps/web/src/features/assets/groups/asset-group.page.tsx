import { type ListedAsset, listAssets } from '@isotherm/contracts/asset-registry';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useParams } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { ASSET_KIND_LABEL } from '../../../shared/format/labels.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useCrumbTitle } from '../../../shared/tabs/use-crumb-title.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, Selection } from '../../../shared/ui/list/list-types.ts';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { indexTree } from '../../../shared/ui/tree/tree-index.ts';
import { StateCell } from '../registry/state-cell.tsx';
import { StatusTag } from '../status/status-words.tsx';
import { AssetPicker } from './asset-picker.tsx';
import { GROUPS_KEY, groupsQuery, useGroupChanges } from './groups.queries.ts';

const source = pagesOf(listAssets);

/** Page of one group, with its assets and those of its subgroups. */
export default function GroupPage() {
  const { text } = useText();
  const id = Number(useParams().id);
  const go = useGo();
  const changes = useGroupChanges();
  const mayEdit = usePermission('asset-groups:edit');
  const seesAssets = usePermission('asset:view');
  const [picking, setPicking] = useState(false);
  const { data: groups, error, refetch } = useQuery(groupsQuery);
  const columns = useMemo<ListColumn<ListedAsset>[]>(
    () => [
      {
        key: 'name',
        title: text('assets.name'),
        sortable: true,
        pinned: true,
        maxWidth: 240,
        render: (asset) => asset.name,
      },
      { key: 'state', title: text('assets.now'), render: (asset) => <StateCell asset={asset} /> },
      { key: 'kind', title: text('assets.kind'), render: ({ kind }) => text(ASSET_KIND_LABEL[kind]) },
      { key: 'code', title: text('assets.code'), sortable: true, render: ({ code }) => code },
      {
        key: 'status',
        title: text('assets.status'),
        sortable: true,
        render: ({ status }) => <StatusTag status={status} />,
      },
      {
        key: 'organization',
        title: text('users.organization'),
        sortable: true,
        maxWidth: 240,
        render: (asset) => <span className="secondary">{asset.organizationName}</span>,
      },
    ],
    [text],
  );
  const group = groups?.find((each) => each.id === id);
  useCrumbTitle(group?.name);
  if (error && !groups) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!groups) return <div className="skeleton skeleton-body" />;
  if (!group)
    return (
      <Notice icon="search" title={text('common.not-found.title')}>
        {text('common.not-found.reason')}
      </Notice>
    );
  const above = indexTree(groups)
    .ancestorsOf(id)
    .map(({ name }) => name);
  const add = (
    <PermissionButton permission="asset-groups:edit" variant="primary" onClick={() => setPicking(true)}>
      <Icon name="plus" />
      {text('assets.group.add-assets')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="asset-group"
        title={group.name}
        purpose={[...above, group.organizationName].join(' / ')}
        source={source}
        queryKey={[...GROUPS_KEY, id]}
        fixed={{ groupId: String(id) }}
        columns={columns}
        rowKey={(asset) => asset.id}
        rowName={(asset) => asset.name}
        searchLabel={text('assets.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        actions={add}
        {...(seesAssets ? { onOpen: (asset: ListedAsset) => go(`/asset/${asset.id}`) } : {})}
        {...(mayEdit
          ? {
              bulk: ({ items, clear }: Selection<ListedAsset>) => (
                <Button
                  onClick={() =>
                    void changes.members(id, { remove: items.map((asset) => asset.id) }).then(
                      ({ success }) => {
                        clear();
                        toast('success', text('assets.group.taken-out', { count: success }));
                      },
                      // The API client has already shown the error.
                      () => undefined,
                    )
                  }
                >
                  {text('assets.group.take-out')}
                </Button>
              ),
            }
          : {})}
        empty={{
          title: text('assets.group.members.empty'),
          reason: text('assets.group.empty.reason'),
          action: add,
        }}
      />
      {picking ? (
        <AssetPicker
          submitLabel={(count) => text('assets.picker.add', { count })}
          onChoose={async (ids) => {
            const { success, fail } = await changes.members(id, { add: [...ids] });
            toast(fail > 0 ? 'failure' : 'success', text('assets.group.added', { success, fail }));
          }}
          onClose={() => setPicking(false)}
        />
      ) : null}
    </>
  );
}
