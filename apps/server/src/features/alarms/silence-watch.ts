import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { News } from './evaluator.ts';
import { createReceivingClock } from './receiving-clock.ts';
import type { RuleBook } from './rule-book.ts';
import { createSilenceScan } from './silence.ts';

const BEAT_EVERY_MS = 5_000;

export interface SilenceWatchOptions {
  pool: pg.Pool;
  rules: RuleBook;
  clock: Clock;
  log: Logger;
  announce: (news: News) => void;
  /** False while received messages cannot be committed. That time is not counted by the receiving clock. */
  isReceiving: () => boolean;
}

/**
 * Creates the task that every ingest process runs every few seconds: it advances the receiving clock and
 * checks the no-data rules that are due.
 */
export function createSilenceWatch({ pool, rules, clock, log, announce, isReceiving }: SilenceWatchOptions) {
  const receivingClock = createReceivingClock({ pool, clock });
  const silences = createSilenceScan(pool, rules, clock, announce);
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  async function beat(): Promise<void> {
    if (!isReceiving()) return;
    await silences.scan(await receivingClock.beat());
  }

  function start(): void {
    // Heartbeats do not overlap. If one takes longer than the interval, for example during a database
    // outage, no second one is started.
    running ??= beat()
      .catch((error: Error) => log.warn({ error: error.message }, 'looking for silent devices failed'))
      .finally(() => {
        running = null;
      });
  }

  return {
    start() {
      start();
      timer = setInterval(start, BEAT_EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
