import { confirmPopups, listPopups, MAX_POPUPS } from '@isotherm/contracts/alarm-popups';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import { pushMessage } from '../notifications/notification-words.ts';
import { testMessageWords } from '../tests/test-words.ts';
import { listWaiting, listWaitingTests, markShown } from './popups.repo.ts';

/** Mounts what consoles use to show popups: what waits for the caller, and the confirmation that it was shown. */
export function mountPopups(mount: Mount, pool: pg.Pool, clock: Clock, translate: Translate): void {
  mount(listPopups, async ({ caller, language }) => {
    const [alarms, tests] = await Promise.all([
      listWaiting(pool, caller.accountId, MAX_POPUPS),
      listWaitingTests(pool, caller.accountId, MAX_POPUPS),
    ]);
    return [
      ...alarms.map((popup) => {
        const { displayTitle, message, dataTimestamp } = pushMessage(popup, language, translate);
        return {
          id: popup.id,
          alarmId: popup.alarmId,
          testId: null,
          level: popup.facts.level,
          title: displayTitle,
          message,
          at: dataTimestamp,
          isEnd: popup.kind === 'ended',
        };
      }),
      ...tests.map((popup) => ({
        id: popup.id,
        alarmId: null,
        testId: popup.testId,
        level: popup.level,
        ...testMessageWords(popup, language, translate),
        at: popup.startedAt.toISOString(),
        isEnd: false,
      })),
    ];
  });
  mount(confirmPopups, async ({ caller, body }) => {
    await markShown(pool, caller.accountId, body, new Date(clock.now()));
    return null;
  });
}
