import { exportGeofenceEvents, type GeofenceEvent, listGeofenceEvents } from '@isotherm/contracts/geofences';
import { FENCE_EVENTS } from '@isotherm/domain/geo/fence-judge';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { FilterValues, ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { periodFilter } from '../../../shared/ui/list/period-filter.tsx';
import { FENCES_KEY, outlinesQuery } from './fences.queries.ts';

const NOTHING_FIXED: FilterValues = {};
const source = pagesOf(listGeofenceEvents);
const EVENTS_KEY = [...FENCES_KEY, 'events'] as const;
/** Events are read again at this interval. */
const EVENTS_EVERY_MS = 30_000;

function columnsFor({ text, time }: Viewer, isOfAsset: boolean): ListColumn<GeofenceEvent>[] {
  const columns: ListColumn<GeofenceEvent>[] = [
    {
      key: 'at',
      title: text('geofences.time'),
      sortable: true,
      firstOrder: 'desc',
      pinned: true,
      render: ({ at }) => <span className="number">{time(at, 'date-time')}</span>,
    },
    { key: 'kind', title: text('geofences.event'), render: ({ kind }) => text(`geofences.event.${kind}`) },
    {
      key: 'asset',
      title: text('geofences.asset'),
      maxWidth: 240,
      render: ({ assetId, assetName }) => <Link to={`/asset/${assetId}`}>{assetName}</Link>,
    },
    {
      key: 'fence',
      title: text('geofences.fence'),
      maxWidth: 240,
      render: ({ geofenceId, geofenceName }) => (
        <Link to={`/map/geofences?fence=${geofenceId}`}>{geofenceName}</Link>
      ),
    },
    {
      key: 'until',
      title: text('geofences.until'),
      render: ({ until }) => <span className="number">{until === null ? '' : time(until, 'date-time')}</span>,
    },
    {
      key: 'organization',
      title: text('geofences.organization'),
      offered: true,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
  ];
  return isOfAsset ? columns.filter(({ key }) => key !== 'asset') : columns;
}

/** When assets entered and left geofences; of one asset with `assetId`. */
export function FenceEvents({ assetId }: { assetId?: number }) {
  const viewer = useViewer();
  const { text } = viewer;
  const { data } = useQuery(outlinesQuery(true));
  const columns = useMemo(() => columnsFor(viewer, assetId !== undefined), [viewer, assetId]);
  const fences = data?.fences;
  const filters = useMemo<ListFilter[]>(
    () => [
      {
        keys: ['kind'],
        label: text('geofences.event'),
        options: FENCE_EVENTS.map((kind) => ({ value: kind, label: text(`geofences.event.${kind}`) })),
      },
      {
        keys: ['geofenceId'],
        label: text('geofences.fence'),
        options: (fences ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
      },
      periodFilter(viewer),
    ],
    [text, fences, viewer],
  );
  const fixed = useMemo<FilterValues>(
    () => (assetId === undefined ? NOTHING_FIXED : { assetId: String(assetId) }),
    [assetId],
  );
  return (
    <ListPage
      embedded
      name={assetId === undefined ? 'geofence-events' : 'asset-geofence-events'}
      title={text('geofences.events')}
      purpose=""
      source={source}
      queryKey={EVENTS_KEY}
      columns={columns}
      rowKey={({ id }) => id}
      rowName={({ assetName, geofenceName }) => `${assetName} · ${geofenceName}`}
      searchLabel={text('geofences.events.search')}
      defaultSort={{ sort: 'at', order: 'desc' }}
      filters={filters}
      fixed={fixed}
      exporting={exportGeofenceEvents}
      refreshAfter={() => EVENTS_EVERY_MS}
      empty={{ title: text('geofences.events.none'), reason: text('geofences.events.empty-reason') }}
    />
  );
}
