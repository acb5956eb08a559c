import { isWithinDailyLimit, MESSAGES_PER_DAY } from '@isotherm/domain/alarms/daily-limit';
import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import { GIVEN_UP_AFTER_MS } from '@isotherm/domain/alarms/notification';
import { type Person, personKey } from '@isotherm/domain/alarms/person';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Tx } from '../../../platform/db/pool.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { type Addressed, levelOf } from './addressing.ts';
import { claimedOf } from './claims.ts';
import { type DayCount, insertNotices, lockDayCounts, saveDayCounts } from './daily-limit.repo.ts';
import type { Claimed, DueNotification, Reachable } from './notifications.repo.ts';

/** Error of a notification that was dropped because too many were sent about its device on this day. */
const DAILY_LIMIT = 'daily limit';

/** Channels that have a limit, and the e-mail that says that it is reached. */
const NOTICES = { email: 'alarm-limit', wechat: 'alarm-limit-wechat' } as const satisfies Partial<
  Record<NotificationChannel, string>
>;

/**
 * Leaves out what is beyond the daily limit of its device; its recipients are told once a day, by e-mail. What was tried
 * before has been counted.
 */
export async function limitPerDay(
  tx: Tx,
  channel: keyof typeof NOTICES,
  addressed: readonly Addressed[],
  { messages, now }: { messages: Pick<Messages, 'canDeliver' | 'enqueue'>; now: number },
): Promise<{ within: Addressed[]; dropped: Claimed[] }> {
  const counts = await lockDayCounts(
    tx,
    channel,
    addressed.flatMap(({ parcel }) => parcel.map(({ deviceId }) => deviceId)),
    new Date(now),
  );
  const within: Addressed[] = [];
  const dropped: Claimed[] = [];
  const noticed: { count: DayCount; person: Person; to: Reachable }[] = [];
  for (const { parcel, person, to } of addressed) {
    const rows: DueNotification[] = [];
    for (const deviceId of new Set(parcel.map((row) => row.deviceId))) {
      const ofDevice = parcel.filter((row) => row.deviceId === deviceId);
      const count = counts.get(deviceId) as DayCount;
      const isCounted = parcel[0].attempts > 0;
      if (isCounted || isWithinDailyLimit(count.sent, levelOf(ofDevice))) {
        if (!isCounted) count.sent += 1;
        rows.push(...ofDevice);
        continue;
      }
      for (const row of ofDevice)
        dropped.push({ ...claimedOf(row, row.firstDueAt), state: 'failed', error: DAILY_LIMIT, person });
      // Who cannot be told now may be told later on this day.
      if (to.email !== '' && messages.canDeliver('email')) noticed.push({ count, person, to });
    }
    const [first, ...rest] = rows;
    if (first) within.push({ parcel: [first, ...rest], person, to });
  }
  await saveDayCounts(tx, channel, [...counts.values()]);
  const fresh = await insertNotices(
    tx,
    channel,
    noticed.map(({ count, person }) => ({ ...count, person })),
  );
  for (const { count, person, to } of noticed) {
    if (!fresh.delete(`${count.deviceId} ${personKey(person)}`)) continue;
    await messages.enqueue(tx, {
      channel: 'email',
      recipient: to.email,
      template: NOTICES[channel],
      params: { device: count.device, limit: MESSAGES_PER_DAY, day: count.day },
      language: closestLanguage(to.language),
      organizationId: to.organizationId,
      expiresAt: new Date(now + GIVEN_UP_AFTER_MS),
    });
  }
  return { within, dropped };
}
