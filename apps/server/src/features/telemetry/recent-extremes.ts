import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/pool.ts';
import { extremesOf } from './history.ts';

/** Lowest and highest reading of each bucket, null for an empty bucket. */
export interface Extremes {
  min: (number | null)[];
  max: (number | null)[];
}

export interface RecentExtremes {
  /**
   * Returns the extremes of equal buckets between multiples of `stepMs`; a monitor page requests the same
   * ones again and again.
   */
  of(channelIds: readonly number[], from: number, to: number, stepMs: number): Promise<Map<number, Extremes>>;
  /** Invalidates the cache for channels whose past has changed, or for all. */
  forget(channelIds: readonly number[] | undefined): void;
}

interface Known extends Extremes {
  from: number;
  to: number;
  stepMs: number;
  readAt: number;
}

/**
 * Number of buckets that may still change: the current one, and the one before for slightly late readings.
 */
const OPEN_BUCKETS = 2;
/** A channel that was not requested for this number of buckets is read completely. */
const MISSED_BUCKETS = 4;
/**
 * Late readings received by other processes become visible after this time; channels are read again a few at
 * a time.
 */
const READ_AGAIN_AFTER_MS = 600_000;
const READ_AGAIN_AT_ONCE = 20;
const MOST_CHANNELS = 20_000;

/**
 * Creates a cache of the last day of many channels for the monitor and sparklines: it is read once, and
 * later only new readings are read.
 */
export function createRecentExtremes(db: Db, clock: Clock): RecentExtremes {
  const cache = new Map<number, Known>();

  function remember(id: number, known: Known): void {
    cache.delete(id);
    cache.set(id, known);
    if (cache.size > MOST_CHANNELS) cache.delete(cache.keys().next().value as number);
  }

  function isUsable(known: Known | undefined, from: number, to: number, stepMs: number): known is Known {
    return (
      known !== undefined &&
      known.stepMs === stepMs &&
      known.from <= from &&
      known.to >= to - MISSED_BUCKETS * stepMs &&
      known.to <= to
    );
  }

  return {
    async of(channelIds, from, to, stepMs) {
      const now = clock.now();
      const whole: number[] = [];
      const known = new Map<number, Known>();
      let again = 0;
      for (const id of channelIds) {
        const own = cache.get(id);
        const isOld = own !== undefined && now - own.readAt > READ_AGAIN_AFTER_MS;
        if (!isUsable(own, from, to, stepMs) || (isOld && again++ < READ_AGAIN_AT_ONCE)) whole.push(id);
        else known.set(id, own);
      }
      const result = new Map<number, Extremes>();
      if (whole.length > 0)
        for (const [id, extremes] of await extremesOf(db, whole, from, to, stepMs)) {
          result.set(id, extremes);
          remember(id, { ...extremes, from, to, stepMs, readAt: now });
        }
      if (known.size === 0) return result;
      const since = Math.max(
        from,
        [...known.values()].reduce((least, own) => Math.min(least, own.to), to) - OPEN_BUCKETS * stepMs,
      );
      for (const [id, fresh] of await extremesOf(db, [...known.keys()], since, to, stepMs)) {
        const own = known.get(id) as Known;
        const first = (from - own.from) / stepMs;
        const last = (since - own.from) / stepMs;
        const extremes = {
          min: [...own.min.slice(first, last), ...fresh.min],
          max: [...own.max.slice(first, last), ...fresh.max],
        };
        result.set(id, extremes);
        // The entry may have been invalidated during the query, and must then not be cached again.
        if (cache.get(id) === own) remember(id, { ...extremes, from, to, stepMs, readAt: own.readAt });
      }
      return result;
    },
    forget(channelIds) {
      if (channelIds === undefined) cache.clear();
      else for (const id of channelIds) cache.delete(id);
    },
  };
}
