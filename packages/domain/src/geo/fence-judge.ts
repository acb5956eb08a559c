import { distanceToFenceM, isBeyondEnds, isNear, type PreparedFence } from './fence.ts';
import type { Place } from './geo.ts';
import type { TimedPlace } from './track.ts';

/**
 * What happens at a geofence. `found`: the asset was inside already when the fence, its shape or the asset's first position
 * became known. `off-route`: it left a corridor aside, not at its ends.
 */
export const FENCE_EVENTS = ['enter', 'found', 'dwell', 'leave', 'off-route'] as const;
export type FenceEventKind = (typeof FENCE_EVENTS)[number];

/** A geofence as it was from one edit until the next one. Times are epoch ms; `until` is infinite for the current one. */
export interface FenceVersion {
  id: number;
  fenceId: number;
  from: number;
  until: number;
  marginM: number;
  /** Time in the fence after which it is a dwell; null for none. */
  dwellMs: number | null;
  fence: PreparedFence;
}

/** An event of one asset at one version of a geofence. */
export interface FenceEvent extends Place {
  fenceId: number;
  versionId: number;
  kind: FenceEventKind;
  at: number;
  /** End of the stay that an `enter` or `found` begins; null while it lasts, and for other kinds. */
  until: number | null;
  /** When the stay becomes a dwell, if nothing else is known by then. */
  dueAt: number | null;
}

/** The part of an asset's positions that is judged. */
export interface FenceWindow {
  /** Valid positions in order of time. */
  positions: readonly TimedPlace[];
  /** The last valid position before them; null if there was none. */
  before: TimedPlace | null;
  /** The time after `before`, from which on events are judged. Times are whole milliseconds. */
  start: number;
}

/**
 * Judges an asset's positions from `start` on at all versions of geofences. `open` are the stays that last at `start`. The result
 * contains each of these as it is now, and all events from `start` on, whatever was known of them before. The result depends on
 * the positions only, not on the order of their arrival; a dwell depends on `now` as well.
 */
export function judgeFences(
  versions: readonly FenceVersion[],
  window: FenceWindow,
  open: readonly FenceEvent[],
  now: number,
): FenceEvent[] {
  const stays = new Map(open.map((stay) => [stay.versionId, stay]));
  const seen = window.before ? [window.before, ...window.positions] : window.positions;
  return versions.flatMap((version) => {
    const stay = stays.get(version.id) ?? null;
    if (version.until <= window.start && !stay) return [];
    if (!stay && !seen.some((place) => isNear(version.fence, place))) return [];
    return judgeVersion(version, window, stay, now);
  });
}

function judgeVersion(
  version: FenceVersion,
  { positions, before, start }: FenceWindow,
  open: FenceEvent | null,
  now: number,
): FenceEvent[] {
  const { fence, marginM, from, until } = version;
  const events: FenceEvent[] = [];
  let stay: FenceEvent | null = open && { ...open, until: null, dueAt: null };
  if (stay) events.push(stay);
  let known = before;
  let isNew = from >= start;
  const add = (kind: FenceEventKind, at: number, { latitude, longitude }: Place): FenceEvent => {
    const event: FenceEvent = {
      fenceId: version.fenceId,
      versionId: version.id,
      kind,
      at,
      latitude,
      longitude,
      until: null,
      dueAt: null,
    };
    events.push(event);
    return event;
  };
  for (const position of positions) {
    if (position.at >= until) {
      if (stay) stay.until = until;
      break;
    }
    if (position.at >= from) {
      // The asset does not enter a fence by an edit: where it was last is judged first, without an event of its own.
      if (isNew && known && distanceToFenceM(fence, known) <= 0) stay = add('found', from, known);
      isNew = false;
      const metres = distanceToFenceM(fence, position);
      if (!stay && metres <= 0) stay = add(known ? 'enter' : 'found', position.at, position);
      else if (stay && metres > marginM) {
        stay.until = position.at;
        stay = null;
        const isAside = fence.shape.kind === 'corridor' && !isBeyondEnds(fence, position);
        add(isAside ? 'off-route' : 'leave', position.at, position);
      }
    }
    known = position;
  }
  return withDwells(events, version, now);
}

/** Adds a dwell to each stay that is long enough, and the time at which one will be to a stay that lasts. */
function withDwells(
  events: FenceEvent[],
  { dwellMs, until: ended }: FenceVersion,
  now: number,
): FenceEvent[] {
  if (dwellMs === null) return events;
  return events.flatMap((event) => {
    if (event.kind !== 'enter' && event.kind !== 'found') return [event];
    const at = event.at + dwellMs;
    if (at > Math.min(event.until ?? Number.POSITIVE_INFINITY, ended)) return [event];
    if (event.until === null && at > now) return [{ ...event, dueAt: at }];
    return [event, { ...event, kind: 'dwell' as const, at, until: null }];
  });
}
