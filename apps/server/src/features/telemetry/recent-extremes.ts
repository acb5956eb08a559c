import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/pool.ts';
import { extremesOf } from './history.ts';

/** Lowest and highest reading of each bucket, null where there is none. */
export interface Extremes {
  min: (number | null)[];
  max: (number | null)[];
}

export interface RecentExtremes {
  /** Of equal buckets between moments that are multiples of `stepMs`; a wall asks for the same ones again and again. */
  of(channelIds: readonly number[], from: number, to: number, stepMs: number): Promise<Map<number, Extremes>>;
  /** Readings came late into the past of these channels. */
  forget(channelIds: readonly number[]): void;
}

interface Known extends Extremes {
  from: number;
  to: number;
  stepMs: number;
  readAt: number;
}

/** Readings still come in for the bucket of now, and a little late for the one before. */
const OPEN_BUCKETS = 2;
/** What was not asked for in so many buckets is read as a whole. */
const MISSED_BUCKETS = 4;
/** Late readings that another process took are seen after this time; only a few channels at once are read for it. */
const READ_AGAIN_AFTER_MS = 600_000;
const READ_AGAIN_AT_ONCE = 20;
const MOST_CHANNELS = 20_000;

/**
 * The last day of many channels, for walls and sparklines: a day of readings of hundreds of channels is read once,
 * and then only what came since.
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
        // Somebody may have forgotten it meanwhile.
        if (cache.get(id) === own) remember(id, { ...extremes, from, to, stepMs, readAt: own.readAt });
      }
      return result;
    },
    forget(channelIds) {
      for (const id of channelIds) cache.delete(id);
    },
  };
}
