import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { News } from '../evaluator.ts';
import type { RuleBook } from '../rule-book.ts';
import { createSubscriptionScan } from './subscriptions.ts';

const LOOK_EVERY_MS = 1_000;

/** Creates the task that every worker runs each second: it stops and resumes the data services that are due. */
export function createSubscriptionWatch(needs: {
  pool: pg.Pool;
  rules: RuleBook;
  clock: Clock;
  log: Logger;
  announce: (news: News) => void;
}) {
  const { log } = needs;
  const subscriptions = createSubscriptionScan(
    needs.pool,
    needs.rules,
    needs.clock,
    needs.announce,
    (device, { message }) =>
      log.warn({ device, error: message }, 'data services of a device are stopped or resumed later'),
  );
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  function look(): void {
    running ??= subscriptions
      .scan()
      .catch((error: Error) => log.warn({ error: error.message }, 'stopping data services failed'))
      .finally(() => {
        running = null;
      });
  }

  return {
    start() {
      look();
      timer = setInterval(look, LOOK_EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
