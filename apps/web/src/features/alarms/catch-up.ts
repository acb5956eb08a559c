import type { Alarm } from '@isotherm/contracts/alarms';
import { isFinalRefusal } from '../../shared/api/api-error.ts';

const RETRY_AFTER_MS = 5_000;

export interface CatchUp {
  /** Alarms that were recorded after this moment of server time are missing. */
  from: (missedSince: number) => void;
  stop: () => void;
}

/**
 * Fetches what was not heard while there was no connection. The moment from which alarms are missing stays until they
 * have arrived: when fetching fails, it is tried again, from the earliest of such moments. A refusal ends it, since
 * whoever may not see alarms misses none.
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
