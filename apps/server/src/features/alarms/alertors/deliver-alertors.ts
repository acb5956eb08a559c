import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { ALERTOR_ONLINE_MS, CONFIRM_WITHIN_MS, isUnconfirmed } from '@isotherm/domain/alarms/alertor';
import { judgeRepeat } from '@isotherm/domain/alarms/notification';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import { claimedOf, LOOK_EVERY_MS, take } from '../notifications/claims.ts';
import { type Claimed, type DueNotification, saveClaimed } from '../notifications/notifications.repo.ts';
import { hastenEscalation, lockAlarmsOf } from '../notifications/receipts.repo.ts';
import {
  type AlertorChange,
  changeAlertors,
  claimOverdue,
  failMessages,
  findAlertorSteps,
  lockAlertors,
  OFFLINE,
  silenceSettled,
  UNCONFIRMED,
} from './alertor-alarms.repo.ts';

const AT_ONCE = 200;

/** Delivers notifications to alertors. Any number of workers may run it. */
export interface AlertorDelivery {
  start(): void;
  /** Delivers everything that is due now. */
  deliverDue(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Stores what alertors have to show. The gateways send it to the alertors that are connected (alertor-desk.ts), in other
 * processes too; here, notifications that are not confirmed in time fail, and what is settled is taken off.
 */
export function createAlertorDelivery({
  pool,
  clock,
  log,
}: {
  pool: pg.Pool;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
}): AlertorDelivery {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;

  /** Turns due notifications into what their alertors show. Returns true if more may be due. */
  const deliver = () =>
    transaction(pool, async (tx) => {
      const now = clock.now();
      const taken = await take(tx, 'alertor', now, AT_ONCE);
      const rows = taken.parcels.flat();
      const known = await lockAlertors(
        tx,
        rows.map(({ recipientId }) => recipientId),
      );
      const changes: AlertorChange[] = [];
      const claimed: Claimed[] = rows.map((row) => {
        if (!known.has(row.recipientId))
          return { ...claimedOf(row, row.firstDueAt), state: 'failed', error: 'recipient removed' };
        const level = levelToShow(row);
        if (level === null && row.kind !== 'ended')
          return { ...claimedOf(row, row.firstDueAt), state: 'cancelled' };
        changes.push({
          notificationId: row.id,
          alertorId: row.recipientId,
          alarmId: row.alarmId,
          level,
        });
        return { ...claimedOf(row, now + CONFIRM_WITHIN_MS), state: 'sending', isAttempt: true };
      });
      await changeAlertors(tx, changes);
      await saveClaimed(tx, [...taken.other, ...claimed]);
      await taken.follow(rows);
      return !taken.isAll;
    });

  /** Gives up notifications that were not confirmed in time, and notifies the next people where no alertor has confirmed. */
  const giveUp = () =>
    transaction(pool, async (tx) => {
      const now = clock.now();
      const overdue = await claimOverdue(tx, new Date(now), new Date(now - ALERTOR_ONLINE_MS), AT_ONCE);
      if (overdue.length === 0) return false;
      // Two workers may give up alertors of one step: only under the lock of the alarm does the later one see the earlier one.
      for (const { id } of overdue) await lockAlarmsOf(tx, id);
      await failMessages(
        tx,
        overdue.map(({ id, isOnline }) => ({ id, error: isOnline ? UNCONFIRMED : OFFLINE })),
      );
      const steps = await findAlertorSteps(
        tx,
        overdue.map(({ id }) => id),
      );
      for (const step of steps) if (isUnconfirmed(step)) await hastenEscalation(tx, step, now);
      return overdue.length === AT_ONCE;
    });

  async function look(): Promise<void> {
    while (await deliver());
    await transaction(pool, (tx) => silenceSettled(tx, AT_ONCE));
    while (await giveUp());
  }

  function begin(): void {
    running ??= look()
      .catch((error: Error) =>
        log.warn({ error: error.message }, 'notifications of alertors were not delivered'),
      )
      .finally(() => {
        running = null;
      });
  }

  return {
    start() {
      begin();
      timer = setInterval(begin, LOOK_EVERY_MS);
    },
    async deliverDue() {
      await running;
      await look();
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

/** The level that an alertor shows for a notification; null if there is nothing to show any more. */
function levelToShow({ kind, alarm, facts }: DueNotification): AlarmLevel | null {
  if (kind === 'ended') return null;
  const level = Math.max(facts.level, Math.min(alarm.level, 5)) as AlarmLevel;
  return judgeRepeat({ ...alarm, level }, level) === 'cancel' ? null : level;
}
