import { listStatusChanges, type StatusChange } from '@isotherm/contracts/asset-status';
import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { STATUS_DEEDS } from '@isotherm/domain/assets/asset-status';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ASSET_KIND_LABEL } from '../../../shared/format/labels.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter, ListView } from '../../../shared/ui/list/list-types.ts';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';
import { STATUS_KEY, statusChangesQuery } from './status.queries.ts';
import { changeText } from './status-words.tsx';

const source = pagesOf(listStatusChanges);

function untilText({ untilAt, endedAt }: StatusChange, { text, time }: Viewer): string {
  if (endedAt) return time(endedAt, 'date-time');
  return untilAt ? time(untilAt, 'date-time') : text('assets.history.still');
}

/** Returns the table columns for status changes. */
function changeColumns(viewer: Viewer): ListColumn<StatusChange>[] {
  const { text, time } = viewer;
  return [
    {
      key: 'changedAt',
      title: text('assets.history.at'),
      sortable: true,
      firstOrder: 'desc',
      render: (change) => time(change.changedAt, 'date-time'),
    },
    { key: 'change', title: text('assets.history.change'), render: (change) => changeText(change, text) },
    { key: 'lasted', title: text('assets.history.lasted'), render: (change) => untilText(change, viewer) },
    { key: 'reason', title: text('assets.history.reason'), maxWidth: 360, render: ({ reason }) => reason },
    {
      key: 'changedBy',
      title: text('assets.history.by'),
      render: ({ changedBy }) => (
        <span className="secondary">{changedBy || text('assets.history.by-clock')}</span>
      ),
    },
  ];
}

/** Page with repairs, verifications, scrappings and other status changes of all assets. */
export default function AssetHistory() {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const columns = useMemo<ListColumn<StatusChange>[]>(
    () => [
      {
        key: 'asset',
        title: text('assets.history.asset'),
        pinned: true,
        maxWidth: 240,
        render: (change) => change.assetName,
      },
      ...changeColumns(viewer),
      {
        key: 'kind',
        title: text('assets.history.kind'),
        offered: true,
        render: ({ assetKind }) => text(ASSET_KIND_LABEL[assetKind]),
      },
      {
        key: 'organization',
        title: text('users.organization'),
        maxWidth: 220,
        render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
      },
    ],
    [viewer, text],
  );
  const views = useMemo(
    (): ListView[] => [
      { key: 'all', label: text('assets.view.all'), query: {} },
      ...STATUS_DEEDS.map((deed) => ({
        key: deed,
        label: text(`assets.history.deed.${deed}`),
        query: { deed },
      })),
    ],
    [text],
  );
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['kind'],
        label: text('assets.history.kind'),
        options: ASSET_KINDS.map((kind) => ({ value: kind, label: text(ASSET_KIND_LABEL[kind]) })),
      },
    ],
    [text],
  );
  return (
    <ListPage
      name="asset-history"
      title={text('menu.asset-history')}
      purpose={text('assets.history.purpose')}
      source={source}
      queryKey={STATUS_KEY}
      columns={columns}
      rowKey={(change) => change.id}
      rowName={(change) => change.assetName}
      searchLabel={text('assets.history.search')}
      defaultSort={{ sort: 'changedAt', order: 'desc' }}
      filters={filters}
      views={views}
      onOpen={(change) => go(`/asset/${change.assetId}?tab=history`)}
      empty={{ title: text('assets.history.empty.title'), reason: text('assets.history.empty.reason') }}
    />
  );
}

/** Tab with the status changes of one asset. */
export function HistoryTab({ assetId }: { assetId: number }) {
  const viewer = useViewer();
  const { text } = viewer;
  const { data, error, refetch } = useQuery(statusChangesQuery(assetId));
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  const columns = changeColumns(viewer);
  return (
    <section className="panel">
      {data.items.length === 0 ? (
        <Notice icon="page" title={text('assets.history.empty.title')}>
          {text('assets.history.empty.reason')}
        </Notice>
      ) : (
        <TableFrame label={text('menu.asset-history')}>
          <thead>
            <tr>
              {columns.map(({ key, title }) => (
                <th key={key} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.items.map((change) => (
              <tr key={change.id}>
                {columns.map(({ key, render }) => (
                  <td key={key}>{render(change)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </TableFrame>
      )}
    </section>
  );
}
