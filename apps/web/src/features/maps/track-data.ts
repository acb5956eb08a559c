import type { getTrack } from '@isotherm/contracts/maps';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { FenceEventKind } from '@isotherm/domain/geo/fence-judge';
import { type Fix, judgeTrack, type Track } from '@isotherm/domain/geo/track';

/** The track of one asset, judged: which positions are drawn, and where it stopped. */
export interface AssetTrack {
  assetId: number;
  name: string;
  fixes: Fix[];
  track: Track;
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
export interface TrackAlarm extends Omit<ResponseOf<typeof getTrack>['alarms'][number], 'since' | 'endedAt'> {
  from: number;
  to: number;
}

export function assetTrack({
  assetId,
  name,
  at,
  latitude,
  longitude,
  speedKmh,
  alarms,
  fenceEvents,
}: ResponseOf<typeof getTrack>): AssetTrack {
  const fixes = at.map((moment, index) => ({
    at: moment,
    latitude: latitude[index] as number,
    longitude: longitude[index] as number,
    speedKmh: speedKmh[index] ?? null,
  }));
  return {
    assetId,
    name,
    fixes,
    track: judgeTrack(fixes),
    alarms: alarms.map(({ since, endedAt, ...alarm }) => ({
      ...alarm,
      from: Date.parse(since),
      to: endedAt === null ? Number.POSITIVE_INFINITY : Date.parse(endedAt),
    })),
    fenceEvents: fenceEvents.map(({ at: moment, ...event }) => ({ ...event, at: Date.parse(moment) })),
  };
}

/** What happened on the way, in order of time. */
export type TrackEvent =
  | { kind: 'start' | 'end'; at: number }
  | { kind: 'stop' | 'gap'; at: number; lastsMs: number }
  | { kind: 'alarm'; at: number; alarm: TrackAlarm }
  | { kind: 'fence'; at: number; event: FenceMoment };

export function eventsOf({ fixes, track, alarms, fenceEvents }: AssetTrack): TrackEvent[] {
  const edges = track.lines.map((line) => ({
    from: (fixes[line[0] as number] as Fix).at,
    to: (fixes[line.at(-1) as number] as Fix).at,
  }));
  const [first, last] = [edges[0], edges.at(-1)];
  if (!first || !last) return [];
  const gaps = edges.slice(1).map(({ from }, index): TrackEvent => {
    const begin = (edges[index] as { to: number }).to;
    return { kind: 'gap', at: begin, lastsMs: from - begin };
  });
  return [
    { kind: 'start' as const, at: first.from },
    ...gaps,
    ...track.stops.map(({ from, to }): TrackEvent => ({ kind: 'stop', at: from, lastsMs: to - from })),
    ...alarms.map((alarm): TrackEvent => ({ kind: 'alarm', at: alarm.from, alarm })),
    ...fenceEvents.map((event): TrackEvent => ({ kind: 'fence', at: event.at, event })),
    { kind: 'end' as const, at: last.to },
  ].sort((one, other) => one.at - other.at);
}

/** Times of the drawn positions, by which a replay advances. */
export const timesOf = ({ fixes, track }: AssetTrack): number[] =>
  track.lines.flatMap((line) => line.map((index) => (fixes[index] as Fix).at));
