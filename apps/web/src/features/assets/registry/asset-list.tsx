import {
  exportAssets,
  getAssetTemplate,
  importAssets,
  type ListedAsset,
  listAssets,
} from '@isotherm/contracts/asset-registry';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import { ASSET_STATUSES } from '@isotherm/domain/assets/asset-status';
import { ASSET_FIELD_WORDS } from '@isotherm/i18n/asset-field-words';
import { textId } from '@isotherm/i18n/text-id';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { isQuantity } from '../../../shared/assets/asset-words.ts';
import { limitsText } from '../../../shared/format/limits.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { FilterValues, ListColumn, ListFilter, ListView } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { TreeSelect } from '../../../shared/ui/tree/tree-select.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { ASSETS_KEY } from '../assets.queries.ts';
import { groupsQuery } from '../groups/groups.queries.ts';
import { LabelDialog } from '../labels/label-dialog.tsx';
import { StatusForm } from '../status/status-form.tsx';
import { StatusTag } from '../status/status-words.tsx';
import { fieldText, sectionsOf, typesOf } from './asset-fields.ts';
import { AssetCreateForm, AssetEditForm } from './asset-form.tsx';
import { REGISTRY_KEY, recordQuery, useRegistryChanges } from './registry.queries.ts';
import { StateCell } from './state-cell.tsx';

const source = pagesOf(listAssets);
/** Columns that are shown by default; columns for the other fields of a kind are optional. */
const SHOWN = new Set(['code', 'plate', 'type', 'place']);
const SORTABLE = new Set(['code']);
/** Polling interval of the states. */
const REFRESH_MS = 30_000;

function columnsFor(kind: AssetKind, { text, time }: Viewer): ListColumn<ListedAsset>[] {
  const fields = sectionsOf(kind)
    .flatMap((section) => section.fields)
    .filter(({ name }) => name !== 'name' && name !== 'organizationId');
  return [
    {
      key: 'name',
      title: text('assets.name'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: (asset) => asset.name,
    },
    {
      key: 'state',
      title: text('assets.now'),
      sortable: true,
      firstOrder: 'desc',
      render: (asset) => <StateCell asset={asset} />,
    },
    {
      key: 'limits',
      title: text('asset.fact.limits'),
      render: ({ main }) =>
        main && isQuantity(main) ? <bdi dir="ltr">{limitsText(main, text)}</bdi> : EN_RULE,
    },
    ...fields.map(
      ({ name }): ListColumn<ListedAsset> => ({
        key: name,
        title: text(ASSET_FIELD_WORDS[name]),
        sortable: SORTABLE.has(name),
        offered: !SHOWN.has(name),
        maxWidth: 220,
        render: (asset) => fieldText(asset, name, text),
      }),
    ),
    {
      key: 'status',
      title: text('assets.status'),
      sortable: true,
      render: ({ status }) => <StatusTag status={status} />,
    },
    {
      key: 'devices',
      title: text('assets.devices'),
      maxWidth: 180,
      render: ({ devices }) => devices.join(', ') || EN_RULE,
    },
    {
      key: 'organization',
      title: text('users.organization'),
      sortable: true,
      maxWidth: 220,
      render: (asset) => <span className="secondary">{asset.organizationName}</span>,
    },
    {
      key: 'createdAt',
      title: text('assets.created'),
      sortable: true,
      firstOrder: 'desc',
      offered: true,
      render: (asset) => time(asset.createdAt, 'date-time'),
    },
  ];
}

function useFilters(kind: AssetKind): ListFilter[] {
  const { text } = useText();
  const organizations = useOrganizations();
  const seesGroups = usePermission('asset-groups:view');
  const { data: groups } = useQuery({ ...groupsQuery, enabled: seesGroups });
  return useMemo(() => {
    const types = typesOf(kind);
    return [
      organizationFilter(text, organizations),
      {
        keys: ['status'],
        label: text('assets.status'),
        options: ASSET_STATUSES.map((status) => ({ value: status, label: text(`assets.status.${status}`) })),
      },
      ...(types.length > 0
        ? [
            {
              keys: ['type'],
              label: text('assets.type'),
              options: types.map((type) => ({ value: type, label: text(textId(`assets.type.${type}`)) })),
            },
          ]
        : []),
      ...(groups && groups.length > 0
        ? [
            {
              keys: ['groupId'],
              label: text('assets.group'),
              more: true,
              control: (values: FilterValues, change: (values: Record<string, string | null>) => void) => (
                <TreeSelect
                  className="list-tree"
                  aria-label={text('assets.group')}
                  nodes={groups}
                  clearable
                  value={values.groupId ? Number(values.groupId) : undefined}
                  onChange={(id) => change({ groupId: id === undefined ? null : String(id) })}
                />
              ),
              describe: (values: FilterValues) =>
                groups.find(({ id }) => String(id) === values.groupId)?.name ?? '',
            },
          ]
        : []),
      {
        keys: ['binding'],
        label: text('assets.binding'),
        more: true,
        options: (['bound', 'unbound'] as const).map((value) => ({
          value,
          label: text(`assets.binding.${value}`),
        })),
      },
    ];
  }, [kind, text, organizations, groups]);
}

/** List of assets of one kind: search, create, edit, delete and restore. */
export function AssetList({ kind, page }: { kind: AssetKind; page: string }) {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const [params, change] = useUrlState();
  const changes = useRegistryChanges();
  const may = {
    edit: usePermission('asset:edit'),
    status: usePermission('asset:status'),
    delete: usePermission('asset:delete'),
  };
  const mayCreate = usePermission('asset:create');
  const [changing, setChanging] = useState<ListedAsset | null>(null);
  const [labelled, setLabelled] = useState<readonly ListedAsset[] | null>(null);
  const [doomed, setDoomed] = useState<ListedAsset | null>(null);
  const columns = useMemo(() => columnsFor(kind, viewer), [kind, viewer]);
  const filters = useFilters(kind);
  const views = useMemo(
    (): ListView[] => [
      { key: 'all', label: text('assets.view.all'), query: {} },
      { key: 'deleted', label: text('assets.view.deleted'), query: { deleted: 'true' } },
    ],
    [text],
  );
  const editing = Number(params.get('edit')) || null;
  const { data: edited } = useQuery({ ...recordQuery(editing ?? 0), enabled: editing !== null });
  const create = (
    <PermissionButton permission="asset:create" variant="primary" onClick={() => change({ new: 1 }, 'push')}>
      <Icon name="plus" />
      {text(`assets.create.${kind}`)}
    </PermissionButton>
  );
  const restore = async (asset: ListedAsset) => {
    await changes.restore(asset.id);
    toast('success', text('assets.restore.done', { name: asset.name }));
  };
  return (
    <>
      <ListPage
        name={page}
        title={text(textId(`menu.${page}`))}
        purpose={text(`assets.purpose.${kind}`)}
        source={source}
        queryKey={[...REGISTRY_KEY, kind]}
        fixed={{ kind }}
        columns={columns}
        rowKey={(asset) => asset.id}
        rowName={(asset) => asset.name}
        searchLabel={text('assets.search')}
        defaultSort={{ sort: 'state', order: 'desc' }}
        filters={filters}
        views={views}
        refreshAfter={() => REFRESH_MS}
        exporting={exportAssets}
        importing={[
          {
            route: importAssets,
            template: getAssetTemplate,
            title: text('assets.import'),
            help: text('assets.import.help'),
            refreshes: ASSETS_KEY,
          },
        ]}
        actions={create}
        onOpen={(asset) => (asset.deletedAt === null ? go(`/asset/${asset.id}`) : undefined)}
        rowActions={(asset) =>
          asset.deletedAt === null
            ? [
                ...(may.edit
                  ? [
                      {
                        key: 'edit',
                        label: text('assets.edit'),
                        onClick: () => change({ edit: asset.id }, 'push'),
                      },
                    ]
                  : []),
                ...(may.status && asset.status !== 'scrapped'
                  ? [
                      {
                        key: 'status',
                        label: text('assets.status.change'),
                        onClick: () => setChanging(asset),
                      },
                    ]
                  : []),
                ...(may.delete
                  ? [
                      {
                        key: 'delete',
                        danger: true,
                        label: text('assets.delete'),
                        onClick: () => setDoomed(asset),
                      },
                    ]
                  : []),
              ]
            : may.delete
              ? [
                  {
                    key: 'restore',
                    label: text('assets.restore'),
                    // The API client shows the error of the server.
                    onClick: () => void restore(asset).catch(() => undefined),
                  },
                ]
              : []
        }
        bulk={({ items }) => (
          <Button onClick={() => setLabelled(items)}>
            <Icon name="page" />
            {text('assets.labels')}
          </Button>
        )}
        empty={{ title: text('assets.empty.title'), reason: text('assets.empty.reason'), action: create }}
      />
      {params.get('new') && mayCreate ? (
        <AssetCreateForm kind={kind} onClose={() => change({ new: null })} />
      ) : null}
      {edited && edited.id === editing && may.edit ? (
        <AssetEditForm key={edited.id} record={edited} onClose={() => change({ edit: null })} />
      ) : null}
      {labelled ? <LabelDialog assets={labelled} onClose={() => setLabelled(null)} /> : null}
      {changing ? <StatusForm asset={changing} onClose={() => setChanging(null)} /> : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('assets.delete.title', { name: doomed.name })}
          confirmLabel={text('assets.delete')}
          onConfirm={async (reason) => {
            await changes.remove(doomed.id, reason);
            toast('success', text('assets.delete.done', { name: doomed.name }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('assets.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
