import './maintenance.css';
import { listMaintenance, MAINTENANCE_SHOWN, type MaintenanceRecord } from '@isotherm/contracts/maintenance';
import { MAINTENANCE_KINDS, MAINTENANCE_NORMS } from '@isotherm/domain/assets/maintenance-norms';
import { useMemo } from 'react';
import { AttachmentCount } from '../../../shared/attachments/attachments.tsx';
import { EN_RULE, fixed } from '../../../shared/format/number.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { loadMaintenance, MAINTENANCE_KEY, useMaintenanceChanges } from './maintenance.queries.ts';
import { MaintenanceDrawer } from './maintenance-drawer.tsx';
import { MaintenanceForm } from './maintenance-form.tsx';

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
      render: (each) => dayText(each.doneOn),
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
        <span className={superseded ? 'tertiary' : undefined}>
          {nextDueOn ? dayText(nextDueOn) : EN_RULE}
        </span>
      ),
    },
    {
      key: 'files',
      title: text('common.attachments'),
      render: ({ files }) => <AttachmentCount files={files} />,
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

/**
 * Page with the maintenance records of assets. It shows which values are out of range and which maintenance
 * is due.
 */
export default function MaintenanceList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useMaintenanceChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <RecordList
      name="asset-maintenance"
      title={text('menu.asset-maintenance')}
      purpose={text('maintenance.purpose')}
      permission="asset-maintenance:edit"
      param="record"
      source={source}
      queryKey={MAINTENANCE_KEY}
      load={loadMaintenance}
      columns={columns}
      nameOf={(each) => `${each.asset.name}, ${each.doneOn}`}
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
      words={{
        create: text('maintenance.create'),
        edit: text('maintenance.edit'),
        remove: text('maintenance.delete'),
      }}
      empty={{ title: text('maintenance.empty.title'), reason: text('maintenance.empty.reason') }}
      form={(record, close) => <MaintenanceForm record={record} onClose={close} />}
      view={(record, close) => <MaintenanceDrawer record={record} onClose={close} />}
      removal={{
        title: (name) => text('maintenance.delete.title', { name }),
        means: () => text('maintenance.delete.means'),
        done: (name) => text('maintenance.delete.done', { name }),
        run: ({ id }, reason) => changes.remove(id, reason),
      }}
    />
  );
}
