import './maintenance.css';
import { listMaintenance, MAINTENANCE_SHOWN, type MaintenanceRecord } from '@isotherm/contracts/maintenance';
import { MAINTENANCE_KINDS, MAINTENANCE_NORMS } from '@isotherm/domain/assets/maintenance-norms';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { usePagePermission } from '../../../shared/access/permissions.ts';
import { EN_RULE, fixed } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { MAINTENANCE_KEY, maintenanceQuery, useMaintenanceChanges } from './maintenance.queries.ts';
import { MaintenanceDrawer } from './maintenance-drawer.tsx';
import { MaintenanceForm } from './maintenance-form.tsx';

const EDIT = 'asset-maintenance:edit';
const source = pagesOf(listMaintenance);

function columnsFor({ text }: Viewer): ListColumn<MaintenanceRecord>[] {
  return [
    {
      key: 'assetName',
      title: text('maintenance.asset'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ asset }) => (
        <span>
          {asset.name} <span className="small tertiary">{asset.code}</span>
        </span>
      ),
    },
    {
      key: 'doneOn',
      title: text('maintenance.done-on'),
      sortable: true,
      firstOrder: 'desc',
      render: (each) => each.doneOn,
    },
    { key: 'kind', title: text('maintenance.kind'), render: (each) => text(`maintenance.kind.${each.kind}`) },
    {
      key: 'outside',
      title: text('maintenance.measured'),
      maxWidth: 360,
      render: ({ measured, outside }) => {
        if (outside.length === 0)
          return (
            <span className="secondary">
              {text(Object.keys(measured).length > 0 ? 'maintenance.in-order' : 'maintenance.not-measured')}
            </span>
          );
        return (
          <span className="maintenance-values">
            {outside.map((measure) => (
              <span key={measure} className="tag maintenance-tag-outside">
                {text(`maintenance.measure.${measure}`)}{' '}
                {fixed(measured[measure] as number, MAINTENANCE_NORMS[measure].precision)}{' '}
                {MAINTENANCE_NORMS[measure].unit}
              </span>
            ))}
          </span>
        );
      },
    },
    {
      key: 'doneBy',
      title: text('maintenance.done-by'),
      maxWidth: 200,
      render: (each) => <span className="secondary">{each.doneBy}</span>,
    },
    {
      key: 'nextDueOn',
      title: text('maintenance.next-due-on'),
      sortable: true,
      render: ({ nextDueOn, superseded }) => (
        <span className={superseded ? 'tertiary' : undefined}>{nextDueOn ?? EN_RULE}</span>
      ),
    },
    {
      key: 'cost',
      title: text('maintenance.cost'),
      sortable: true,
      align: 'end',
      render: ({ cost, currency }) => (cost === null ? EN_RULE : `${fixed(cost, 2)} ${currency}`),
    },
  ];
}

/** What technicians found and did on assets, what of it is out of order, and what is due. */
export function MaintenanceList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useMaintenanceChanges();
  const editing = usePagePermission(EDIT);
  const [doomed, setDoomed] = useState<MaintenanceRecord | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const open = Number(params.get('record')) || null;
  const { data: record } = useQuery({ ...maintenanceQuery(open ?? 0), enabled: open !== null });
  const shown = record?.id === open ? record : undefined;
  const nameOf = (each: MaintenanceRecord) => `${each.asset.name}, ${each.doneOn}`;
  const close = () => change({ new: null, record: null });
  const addButton = (
    <PermissionButton
      permission={EDIT}
      className="button button-primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('maintenance.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="asset-maintenance"
        title={text('menu.asset-maintenance')}
        purpose={text('maintenance.purpose')}
        source={source}
        queryKey={MAINTENANCE_KEY}
        columns={columns}
        rowKey={(each) => each.id}
        rowName={nameOf}
        searchLabel={text('maintenance.search')}
        defaultSort={{ sort: 'doneOn', order: 'desc' }}
        views={MAINTENANCE_SHOWN.map((key) => ({
          key,
          label: text(`maintenance.view.${key}`),
          query: { shown: key } as Record<string, string>,
        }))}
        filters={[
          {
            keys: ['kind'],
            label: text('maintenance.kind'),
            options: MAINTENANCE_KINDS.map((kind) => ({
              value: kind,
              label: text(`maintenance.kind.${kind}`),
            })),
          },
        ]}
        onOpen={(each) => change({ record: each.id }, 'push')}
        actions={addButton}
        rowActions={(each) =>
          editing === 'held'
            ? [
                {
                  key: 'edit',
                  label: text('maintenance.edit'),
                  onClick: () => change({ record: each.id }, 'push'),
                },
                {
                  key: 'delete',
                  danger: true,
                  label: text('maintenance.delete'),
                  onClick: () => setDoomed(each),
                },
              ]
            : []
        }
        empty={{
          title: text('maintenance.empty.title'),
          reason: text('maintenance.empty.reason'),
          action: addButton,
        }}
      />
      {params.get('new') && editing === 'held' ? <MaintenanceForm onClose={close} /> : null}
      {shown && editing === 'held' ? <MaintenanceForm key={shown.id} record={shown} onClose={close} /> : null}
      {shown && editing === 'denied' ? <MaintenanceDrawer record={shown} onClose={close} /> : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('maintenance.delete.title', { name: nameOf(doomed) })}
          confirmLabel={text('maintenance.delete')}
          onConfirm={async (reason) => {
            await changes.remove(doomed.id, reason);
            toast('success', text('maintenance.delete.done', { name: nameOf(doomed) }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('maintenance.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
