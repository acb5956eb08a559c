import type { getTrack, listTrackEvents } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { FenceEventKind } from '@isotherm/domain/geo/fence-judge';
import type { Fix } from '@isotherm/domain/geo/track';

type Answer = ResponseOf<typeof getTrack>;
/** Door openings and excursions of an asset. */
export type TrackReadings = ResponseOf<typeof listTrackEvents>;

/** The track of one asset, as the server has judged and simplified it. */
export interface AssetTrack {
  assetId: number;
  name: string;
  fixes: Fix[];
  /** Indices of positions, by line: between two lines the route is not known. */
  lines: number[][];
  stops: Answer['stops'];
  trips: Answer['trips'];
  speedLimitKmh: number;
  speedings: Answer['speedings'];
  distanceM: number;
  /** Number of positions that are in no line. */
  faulty: number;
  /** Metres by which the asset may have been elsewhere than shown. */
  toleranceM: number;
  /** Index of each position among all of the lines, also those that were left out. */
  place: readonly number[];
  alarms: TrackAlarm[];
  fenceEvents: readonly FenceMoment[];
}

/** An event at a geofence, with its time in epoch ms. */
export interface FenceMoment {
  id: number;
  at: number;
  kind: FenceEventKind;
  name: string;
}

/** An alarm with its time in epoch ms; it ends at infinity while it lasts. */
export interface TrackAlarm extends Omit<Answer['alarms'][number], 'since' | 'endedAt'> {
  from: number;
  to: number;
}

export function assetTrack({
  at,
  latitude,
  longitude,
  speedKmh,
  lineEnds,
  alarms,
  fenceEvents,
  ...track
}: Answer): AssetTrack {
  return {
    ...track,
    fixes: at.map((moment, index) => ({
      at: moment,
      latitude: latitude[index] as number,
      longitude: longitude[index] as number,
      speedKmh: speedKmh[index] ?? null,
    })),
    lines: lineEnds.map((end, index) => {
      const first = (lineEnds[index - 1] ?? -1) + 1;
      return Array.from({ length: end - first + 1 }, (_, step) => first + step);
    }),
    alarms: alarms.map(({ since, endedAt, ...alarm }) => ({
      ...alarm,
      from: Date.parse(since),
      to: endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(endedAt),
    })),
    fenceEvents: fenceEvents.map(({ at: moment, ...event }) => ({ ...event, at: Date.parse(moment) })),
  };
}

const NO_READINGS: TrackReadings = { doors: [], excursions: [], total: 0 };

/** What happened on the route, in order of time. */
export type TrackEvent =
  | { kind: 'start' | 'end'; at: number }
  | { kind: 'stop' | 'gap'; at: number; lastsMs: number }
  | { kind: 'trip'; at: number; trip: Answer['trips'][number] }
  | { kind: 'speeding'; at: number; speeding: Answer['speedings'][number] }
  | { kind: 'door'; at: number; door: TrackReadings['doors'][number] }
  | { kind: 'excursion'; at: number; excursion: TrackReadings['excursions'][number] }
  | { kind: 'alarm'; at: number; alarm: TrackAlarm }
  | { kind: 'fence'; at: number; event: FenceMoment };

/** Events of a track and of the readings in its time, in order of time; those of readings also without any position. */
export function eventsOf(
  { fixes, lines, stops, trips, speedings, alarms, fenceEvents }: AssetTrack,
  { doors, excursions }: TrackReadings = NO_READINGS,
): TrackEvent[] {
  const edges = lines.map((line) => ({
    from: (fixes[line[0] as number] as Fix).at,
    to: (fixes[line.at(-1) as number] as Fix).at,
  }));
  const gaps = edges.slice(1).map(({ from }, index): TrackEvent => {
    const begin = (edges[index] as { to: number }).to;
    return { kind: 'gap', at: begin, lastsMs: from - begin };
  });
  return [
    ...edges.slice(0, 1).map(({ from }): TrackEvent => ({ kind: 'start', at: from })),
    ...gaps,
    ...stops.map(({ from, to }): TrackEvent => ({ kind: 'stop', at: from, lastsMs: to - from })),
    ...trips.map((trip): TrackEvent => ({ kind: 'trip', at: trip.from, trip })),
    ...speedings.map((speeding): TrackEvent => ({ kind: 'speeding', at: speeding.from, speeding })),
    ...doors.map((door): TrackEvent => ({ kind: 'door', at: door.from, door })),
    ...excursions.map((excursion): TrackEvent => ({ kind: 'excursion', at: excursion.from, excursion })),
    ...alarms.map((alarm): TrackEvent => ({ kind: 'alarm', at: alarm.from, alarm })),
    ...fenceEvents.map((event): TrackEvent => ({ kind: 'fence', at: event.at, event })),
    ...edges.slice(-1).map(({ to }): TrackEvent => ({ kind: 'end', at: to })),
  ].sort((one, other) => one.at - other.at);
}

/**
 * Times of all positions of the lines, by which a replay advances. Those of positions that were left out are evenly spread, so
 * that a replay is as fast as with all of them.
 */
export function timesOf({ fixes, place }: Pick<AssetTrack, 'fixes' | 'place'>): number[] {
  const times: number[] = [];
  for (const [index, fix] of fixes.entries()) {
    const before = fixes[index - 1];
    const leftOut = (place[index] as number) - times.length;
    for (let n = 1; n <= leftOut && before; n++)
      times.push(before.at + ((fix.at - before.at) * n) / (leftOut + 1));
    times.push(fix.at);
  }
  return times;
}
