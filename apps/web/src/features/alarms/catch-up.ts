import type { Alarm } from '@isotherm/contracts/alarms';
import { isFinalRefusal } from '../../shared/api/api-error.ts';

const RETRY_AFTER_MS = 5_000;

export interface CatchUp {
  /** Starts fetching alarms that were recorded after this server time and may have been missed. */
  from: (missedSince: number) => void;
  stop: () => void;
}

/**
 * Fetches alarms that were missed while there was no connection. The start of the missed period is kept
 * until a request succeeds; a retry uses the earliest such start. If the server refuses access, there is no
 * retry, because a user without access misses nothing.
 */
export function createCatchUp(
  fetchSince: (moment: number) => Promise<Alarm[]>,
  arrive: (alarms: readonly Alarm[]) => void,
): CatchUp {
  let missing: number | null = null;
  let busy = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  async function fetch(): Promise<void> {
    if (busy || stopped || missing === null) return;
    clearTimeout(timer);
    busy = true;
    const since = missing;
    missing = null;
    try {
      const alarms = await fetchSince(since);
      if (!stopped && alarms.length > 0) arrive(alarms);
    } catch (error) {
      if (!isFinalRefusal(error)) missing = Math.min(since, missing ?? since);
    }
    busy = false;
    if (missing !== null && !stopped) timer = setTimeout(() => void fetch(), RETRY_AFTER_MS);
  }

  return {
    from(missedSince) {
      missing = Math.min(missedSince, missing ?? missedSince);
      void fetch();
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
