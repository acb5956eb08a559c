import { GIVEN_UP_AFTER_MS } from '@isotherm/domain/alarms/notification';
import type { Addressed } from './addressing.ts';
import { claimedOf, type Parcel, UNPAID } from './claims.ts';
import { type Claimed, UNKNOWN } from './notifications.repo.ts';

/** Interval at which a notification that waits for a recharge is tried. */
const BALANCE_CHECK_MS = 60_000;

/**
 * Divides messages into those for which nobody needs to be called, and the others. Nobody is called about the end of an alarm,
 * or about alarms that have ended or were acknowledged meanwhile.
 */
export function divided(
  parcels: readonly Parcel[],
  unsettledGroups: ReadonlySet<number>,
): [Parcel[], Parcel[]] {
  const isNeedless = (parcel: Parcel) =>
    parcel.every(({ kind, alarm, facts, groupId }) => {
      if (kind === 'ended') return true;
      // A group that was begun is represented by one of its notifications.
      if (groupId !== null) return !unsettledGroups.has(groupId);
      const level = Math.max(facts.level, alarm.level);
      return !alarm.isOpen || (alarm.acknowledgedLevel ?? 0) >= level;
    });
  return [parcels.filter(isNeedless), parcels.filter((parcel) => !isNeedless(parcel))];
}

/** States of the notifications of a message that may have been sent twice without a response. */
export const lostOf = ({ parcel, person }: Addressed): Claimed[] =>
  parcel.map((row) => ({ ...claimedOf(row, row.firstDueAt), state: 'failed', error: UNKNOWN, person }));

/**
 * States of the notifications of a message that the balance is not enough for. They wait for a recharge, for a day at
 * most; ends and repeats do not, because they no longer matter then.
 */
export const unpaidOf = ({ parcel, person }: Addressed, now: number): Claimed[] =>
  parcel.map((row) =>
    row.kind === 'ended' || row.kind === 'repeated' || now - row.firstDueAt > GIVEN_UP_AFTER_MS
      ? { ...claimedOf(row, row.firstDueAt), state: 'failed', error: UNPAID, person }
      : { ...claimedOf(row, now + BALANCE_CHECK_MS), waits: 'balance', error: UNPAID, person },
  );

/** Groups as which these messages were begun. */
export const groupIdsOf = (parcels: readonly Parcel[]): number[] =>
  parcels.flatMap(([{ groupId }]) => groupId ?? []);
