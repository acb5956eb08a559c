import { distanceToFenceM, isBeyondEnds, isNear, type PreparedFence } from './fence.ts';
import type { Place } from './geo.ts';
import type { TimedPlace } from './track-faults.ts';

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
  /** The time until which events are judged: later ones do not depend on the new positions. Infinite for all. */
  end: number;
}

/**
 * Judges an asset's positions from `start` on at all versions of geofences. `stored` are the events known so far. The result
 * contains each stay that lasts at `start` as it is now, and all events from `start` to `end`, whatever was known of them before. The result depends on
 * the positions only, not on the order of their arrival; a dwell depends on `now` as well. Stays that last at `end` end when those
 * of `stored` do that last then (`lastsAt`).
 */
export function judgeFences(
  versions: readonly FenceVersion[],
  window: FenceWindow,
  stored: readonly FenceEvent[],
  now: number,
): FenceEvent[] {
  const stays = lastsAt(stored, window.start - 1);
  const ends = lastsAt(stored, window.end);
  const seen = window.before ? [window.before, ...window.positions] : window.positions;
  return versions.flatMap((version) => {
    const stay = stays.get(version.id) ?? null;
    if (version.until <= window.start && !stay) return [];
    if (!stay && !seen.some((place) => isNear(version.fence, place))) return [];
    return judgeVersion(version, window, stay, ends.get(version.id)?.until ?? null, now);
  });
}

/** The stays that last at a time, by version. At infinity, those that have not ended. */
export function lastsAt<T extends FenceEvent>(events: readonly T[], at: number): Map<number, T> {
  const lasting = events.filter(
    ({ kind, at: from, until }) =>
      (kind === 'enter' || kind === 'found') && from <= at && (until === null || until > at),
  );
  return new Map(lasting.map((stay) => [stay.versionId, stay]));
}

/** True if the same fences contain the asset at the end of a window as was known before, so that later events stay. */
export function isSettled(
  judged: readonly FenceEvent[],
  stored: readonly FenceEvent[],
  end: number,
): boolean {
  const [now, before] = [lastsAt(judged, end), lastsAt(stored, end)];
  return (
    end === Infinity || (now.size === before.size && [...now.keys()].every((version) => before.has(version)))
  );
}

function judgeVersion(
  version: FenceVersion,
  { positions, before, start, end }: FenceWindow,
  open: FenceEvent | null,
  knownEnd: number | null,
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
  if (stay && end < Infinity && stay.until === null) stay.until = knownEnd;
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

const keyOf = ({ versionId, kind, at }: FenceEvent) => `${versionId} ${kind} ${at}`;

/** Compares what is stored of an asset with what was judged: events that are gone, and those that are new or have another end. */
export function changesOf<T extends FenceEvent>(
  versions: readonly FenceVersion[],
  { start, end, positions }: FenceWindow,
  stored: readonly T[],
  judged: readonly FenceEvent[],
): { gone: T[]; changed: FenceEvent[] } {
  const dwellOf = new Map(versions.map(({ id, dwellMs }) => [id, dwellMs ?? 0]));
  // A dwell belongs to the stay that it is part of, also if that ends later than what was judged.
  const begun = ({ kind, at, versionId }: FenceEvent) =>
    kind === 'dwell' ? at - (dwellOf.get(versionId) as number) : at;
  const known = new Map(stored.map((event) => [keyOf(event), event]));
  const found = new Set(judged.map(keyOf));
  const open = [...lastsAt(stored, start - 1).values()];
  const recorded = new Set(open.filter(({ dueAt }) => dueAt === null).map(({ versionId }) => versionId));
  const changed = judged.filter((event) => {
    const before = known.get(keyOf(event));
    if (before) return before.until !== event.until || before.dueAt !== event.dueAt;
    // The dwell of a stay that began before was recorded when it became due.
    return !(event.kind === 'dwell' && event.at < start && recorded.has(event.versionId));
  });
  // The asset belongs to another organisation now: stays in fences that apply no more end without an event.
  const left = open
    .filter(({ versionId, until }) => until === null && !dwellOf.has(versionId))
    .map((event) => ({
      ...event,
      until: Math.max(start, ...positions.slice(0, 1).map(({ at }) => at)),
      dueAt: null,
    }));
  const gone = stored.filter(
    (event) =>
      event.at >= start && dwellOf.has(event.versionId) && begun(event) <= end && !found.has(keyOf(event)),
  );
  return { gone, changed: [...changed, ...left] };
}
