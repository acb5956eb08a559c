import { nextTest } from '@isotherm/domain/alarms/alarm-test';
import { jitterOf, nextAttempt } from '@isotherm/domain/alarms/notification';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import type { PushMessage } from '../notifications/notification-words.ts';
import { type PostPush, pushKeyOf } from '../notifications/url-push.ts';
import { claimDueSchedule, setNextDue } from './schedules.repo.ts';
import type { SendTest } from './send-test.ts';
import { testMessageWords } from './test-words.ts';
import { type DuePush, leasePushes, saveTestPush } from './tests.repo.ts';

const LOOK_EVERY_MS = 2_000;
const PUSHES_AT_ONCE = 8;
/** Longer than an attempt may take. */
const LEASE_MS = 60_000;

/**
 * Starts the tests that are due and delivers the URL pushes of tests. Any number of workers may run it: each row is
 * claimed by one of them.
 */
export interface TestRunner {
  start(): void;
  /** Does everything that is due now. */
  runDue(): Promise<void>;
  stop(): Promise<void>;
}

export function createTestRunner({
  pool,
  sendTest,
  post,
  sealing,
  clock,
  translate,
  log,
}: {
  pool: pg.Pool;
  sendTest: SendTest;
  post: PostPush;
  sealing: Pick<Sealing, 'mac'>;
  clock: Clock;
  translate: Translate;
  log: Logger;
}): TestRunner {
  let timer: NodeJS.Timeout | undefined;
  let isStopping = false;
  /** What runs now. A slow address delays no schedule. */
  const running: Record<'schedules' | 'pushes', Promise<void> | null> = { schedules: null, pushes: null };

  /** Starts one test that is due; after an outage, those missed are one test. Returns false if none is due. */
  const runSchedule = () =>
    transaction(pool, async (tx) => {
      const now = clock.now();
      const due = await claimDueSchedule(tx, new Date(now));
      if (!due) return false;
      await sendTest(tx, {
        organizationId: due.organizationId,
        policyId: due.policyId,
        policyName: due.policyName,
        level: due.level,
        assetId: null,
        assetName: '',
        scheduleId: due.id,
        scheduleName: due.name,
        startedBy: '',
        starter: null,
        definition: due.definition,
        policyPath: due.policyPath,
      });
      await setNextDue(tx, due.id, new Date(nextTest(due, now)));
      return true;
    });

  /** `0002` is not an alarm: consoles ignore it (requirements §4). */
  function messageOf(push: DuePush): PushMessage {
    const language = closestLanguage(push.language);
    const { title, message } = testMessageWords(push, language, translate);
    return {
      event: '0002',
      eventField: 'test',
      displayTitle: title,
      message,
      dataTimestamp: push.startedAt.toISOString(),
    };
  }

  async function attempt(push: DuePush): Promise<void> {
    const error = await post({
      id: `test-${push.id}`,
      url: push.url,
      message: messageOf(push),
      key: pushKeyOf(sealing, push.policyId),
    });
    const now = clock.now();
    const dueAt =
      error === null ? null : nextAttempt(push.startedAt.getTime(), push.attempts, now, jitterOf(push.id));
    await saveTestPush(pool, push.id, {
      error: error ?? '',
      dueAt: dueAt === null ? null : new Date(dueAt),
      settledAt: dueAt === null ? new Date(now) : null,
    });
  }

  async function runSchedules(): Promise<void> {
    while (!isStopping && (await runSchedule()));
  }

  async function deliverPushes(): Promise<void> {
    for (let leased = PUSHES_AT_ONCE; leased === PUSHES_AT_ONCE && !isStopping; ) {
      const now = clock.now();
      const pushes = await transaction(pool, (tx) =>
        leasePushes(tx, new Date(now), new Date(now + LEASE_MS), PUSHES_AT_ONCE),
      );
      await Promise.all(pushes.map(attempt));
      leased = pushes.length;
    }
  }

  function begin(part: keyof typeof running, work: () => Promise<void>): void {
    running[part] ??= work()
      .catch((error: Error) => log.warn({ error: error.message }, 'alarm tests were not run'))
      .finally(() => {
        running[part] = null;
      });
  }

  function look(): void {
    begin('schedules', runSchedules);
    begin('pushes', deliverPushes);
  }

  return {
    start() {
      look();
      timer = setInterval(look, LOOK_EVERY_MS);
    },
    async runDue() {
      await runSchedules();
      await deliverPushes();
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await Promise.all([running.schedules, running.pushes]);
    },
  };
}
