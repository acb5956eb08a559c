import './trip-panel.css';
import type { ShownRecord, TripExcursion, TripRoute, WaybillDetail } from '@isotherm/contracts/waybills';
import { formatDuration } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useRef, useState } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { Button, buttonClass } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { tripRecordQuery, tripRouteQuery } from './waybills.queries.ts';

export type TripLeg = ShownRecord['legs'][number];

/** What the page passes in, because maps and readings belong to other features. */
export interface TripViews {
  /** Chart of one leg. */
  chart: (
    leg: TripLeg,
    shown: {
      low: number;
      high: number;
      /** Named periods. */
      bands: readonly { from: number; to: number; label: string }[];
      cursor: number | null;
      onCursor: (moment: number) => void;
    },
  ) => ReactNode;
  /** Map of the trip. */
  map: (shown: {
    route: TripRoute;
    excursions: readonly TripExcursion[];
    marks: readonly { at: number; name: string }[];
    cursor: number | null;
  }) => ReactNode;
}

/** The time of a trip that map, list and charts show. */
export interface TripCursor {
  at: number | null;
  /** The time to which a button led last; screen readers say it. */
  announced: number | null;
  /** Follows the pointer on a chart, of which screen readers say nothing. */
  follow: (moment: number) => void;
  /** Shows a time that the user chose with a button. */
  seek: (moment: number) => void;
}

export function useTripCursor(): TripCursor {
  const [at, follow] = useState<number | null>(null);
  const [announced, announce] = useState<number | null>(null);
  const seek = (moment: number) => {
    follow(moment);
    announce(moment);
  };
  return { at, announced, follow, seek };
}

const NO_EXCURSIONS: readonly never[] = [];

/** Route and temperatures of a trip: map and charts show the same time. */
export function TripPanel({
  waybill,
  cursor: { at: cursor, announced, follow, seek },
  chart,
  map,
}: {
  waybill: WaybillDetail;
  cursor: TripCursor;
} & TripViews) {
  const viewer = useViewer();
  const { text, time } = viewer;
  const hasDeparted = waybill.departedAt !== null;
  const record = useQuery({ ...tripRecordQuery(waybill), enabled: hasDeparted });
  const route = useQuery(tripRouteQuery(waybill));
  const legs = useRef<HTMLDivElement>(null);
  const excursions = record.data?.excursions ?? NO_EXCURSIONS;
  // Map and charts draw these again if they are other arrays, and the cursor moves with each pixel of the pointer.
  const marks = useMemo(() => marksOf(waybill, viewer), [waybill, viewer]);
  const bands = useMemo(
    () => new Map((record.data?.legs ?? []).map((leg) => [leg.from, bandsOf(excursions, leg, viewer)])),
    [record.data, excursions, viewer],
  );
  const next = excursions.find(({ from }) => from > (cursor ?? Number.NEGATIVE_INFINITY)) ?? excursions[0];
  const showNext = () => {
    if (!next) return;
    seek(next.from);
    const leg = record.data?.legs.findIndex(({ from, to }) => from <= next.from && next.from < to) ?? -1;
    legs.current?.children[leg]?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <section className="panel waybill-trip-panel" aria-label={text('waybills.record')}>
      {route.data ? (
        isOnMap(route.data) ? (
          map({ route: route.data, excursions, marks, cursor })
        ) : (
          <p className="secondary waybill-trip-note">{text('waybills.map.none')}</p>
        )
      ) : route.error ? (
        <FailureNotice error={route.error} retry={() => void route.refetch()} />
      ) : (
        <div className="skeleton waybill-trip-map" />
      )}
      {route.data || route.error ? (
        <TripEvents
          events={eventsOf(route.data?.legs ?? [], excursions, marks, viewer)}
          cursor={cursor}
          onSeek={seek}
        />
      ) : null}
      <div className="waybill-trip-head">
        <h2>{text('waybills.record')}</h2>
        {cursor === null ? null : <span className="secondary number">{shownWords(cursor, viewer)}</span>}
        <span className="visually-hidden" role="status">
          {announced === null ? '' : shownWords(announced, viewer)}
        </span>
        <ReplayLink record={record.data} />
        {next ? (
          <Button variant="quiet" onClick={showNext}>
            {text('waybills.next-excursion')}
            <Icon name="right" small />
          </Button>
        ) : null}
      </div>
      <div className="waybill-trip-legs" ref={legs}>
        {!hasDeparted ? (
          <p className="secondary">{text('waybills.record.none')}</p>
        ) : record.data ? (
          record.data.legs.map((leg, at) => (
            <div key={leg.from}>
              <h3>{text('waybills.leg', { row: at + 1, asset: leg.assetName })}</h3>
              <p className="small tertiary">{`${time(leg.from, 'date-time')} – ${time(leg.to, 'date-time')}`}</p>
              {leg.channels.length > 0 ? (
                chart(leg, {
                  low: waybill.low,
                  high: waybill.high,
                  bands: bands.get(leg.from) ?? NO_EXCURSIONS,
                  cursor,
                  onCursor: follow,
                })
              ) : (
                <p className="secondary">{text('waybills.no-channels')}</p>
              )}
            </div>
          ))
        ) : record.error ? (
          <FailureNotice error={record.error} retry={() => void record.refetch()} />
        ) : (
          <div className="skeleton" style={{ height: 300 }} />
        )}
      </div>
    </section>
  );
}

/** Replay of the vehicles of the trip for its time. */
function ReplayLink({ record }: { record: ShownRecord | undefined }) {
  const { text } = useViewer();
  const seesReplay = usePermission('map-replay:view');
  if (!record || !seesReplay) return null;
  const query = new URLSearchParams({
    assets: [...new Set(record.legs.map(({ assetId }) => assetId))].join(','),
    from: new Date(record.from).toISOString(),
    to: new Date(record.to).toISOString(),
  });
  return (
    <Link className={buttonClass({ variant: 'quiet' })} to={`/map/replay?${query}`}>
      <Icon name="play" small />
      {text('waybills.replay')}
    </Link>
  );
}

const shownWords = (moment: number, { text, time }: Viewer): string =>
  text('waybills.map.cursor', { time: time(moment, 'day-time') });

const isOnMap = ({ planned, fences, legs }: TripRoute): boolean =>
  planned !== null || fences.length > 0 || legs.some(({ at }) => at.length > 0);

/** Departure, transshipments and the end. */
function marksOf({ legs, endedAt, state }: WaybillDetail, { text }: Viewer): { at: number; name: string }[] {
  return [
    ...legs.map(({ from }, at) => ({
      at: Date.parse(from),
      name: text(at === 0 ? 'waybills.map.departed' : 'waybills.map.transshipped'),
    })),
    ...(endedAt === null
      ? []
      : [
          {
            at: Date.parse(endedAt),
            name: text(state === 'rejected' ? 'waybills.map.rejected' : 'waybills.map.delivered'),
          },
        ]),
  ];
}

/** The excursions of a leg without an alarm; alarms are drawn by the chart. */
const bandsOf = (excursions: readonly TripExcursion[], leg: TripLeg, { text }: Viewer) =>
  excursions
    .filter(({ alarm, from, to }) => alarm === null && from < leg.to && to > leg.from)
    .map(({ from, to }) => ({
      from,
      to,
      label: text('waybills.excursion.lasts', { duration: formatDuration(to - from, text) }),
    }));

interface TripEvent {
  at: number;
  words: string;
  level: NonNullable<TripExcursion['alarm']>['level'] | null;
}

function eventsOf(
  legs: TripRoute['legs'],
  excursions: readonly TripExcursion[],
  marks: readonly { at: number; name: string }[],
  { text }: Viewer,
): TripEvent[] {
  const lasts = ({ from, to }: { from: number; to: number }) => ({
    duration: formatDuration(to - from, text),
  });
  return [
    ...marks.map(({ at, name }) => ({ at, words: name, level: null })),
    ...legs.flatMap(({ stops }) =>
      stops.map((stop) => ({ at: stop.from, words: text('waybills.map.stop', lasts(stop)), level: null })),
    ),
    ...excursions.map((each) => ({
      at: each.from,
      words: text('waybills.excursion.lasts', lasts(each)),
      level: each.alarm?.level ?? null,
    })),
  ].sort((a, b) => a.at - b.at);
}

/** What happened on the trip; a click leads map and chart to it. Replaces the map in browsers without WebGL. */
function TripEvents({
  events,
  cursor,
  onSeek,
}: {
  events: readonly TripEvent[];
  cursor: number | null;
  onSeek: (moment: number) => void;
}) {
  const { text, time } = useViewer();
  if (events.length === 0) return null;
  const current = cursor === null ? -1 : events.findLastIndex(({ at }) => at <= cursor);
  return (
    <ol className="waybill-trip-events" aria-label={text('waybills.map.events')}>
      {events.map(({ at, words, level }, index) => (
        <li key={`${at} ${words}`}>
          <button type="button" aria-current={index === current} onClick={() => onSeek(at)}>
            <span className="number secondary">{time(at, 'day-time')}</span>
            {level === null ? null : <LevelGlyph level={level} />}
            <span>{words}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}
