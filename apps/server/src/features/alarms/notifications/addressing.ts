import { GIVEN_UP_AFTER_MS, judgeRepeat } from '@isotherm/domain/alarms/notification';
import { onCallAt } from '@isotherm/domain/alarms/on-call';
import { type Person, type PersonType, personKey } from '@isotherm/domain/alarms/person';
import { quietUntil, respectsQuietHours } from '@isotherm/domain/alarms/quiet-hours';
import type { Tx } from '../../../platform/db/pool.ts';
import { loadSchedules } from '../on-call/on-call.repo.ts';
import { claimedOf, type Parcel } from './claims.ts';
import { type Claimed, type DueNotification, findReachable, type Reachable } from './notifications.repo.ts';

/** Interval at which a notification that waits for a person on call is tried. */
const COVER_CHECK_MS = 60_000;

/** A message that its recipient can get. */
export interface Addressed {
  parcel: Parcel;
  person: Person;
  to: Reachable;
}

/**
 * Divides messages by whether their recipients can get them now. `faultOf` returns why a recipient cannot be reached by
 * the notification channel; null if he can be.
 */
export async function address(
  tx: Tx,
  parcels: readonly Parcel[],
  now: number,
  faultOf: (to: Reachable) => string | null,
): Promise<{ addressed: Addressed[]; other: Claimed[] }> {
  const persons = await personsOf(
    tx,
    parcels.map(([first]) => first),
    now,
  );
  const idsOf = (type: PersonType) => persons.flatMap((person) => (person?.type === type ? [person.id] : []));
  const reachable = new Map(
    (await findReachable(tx, { receivers: idsOf('receivers'), accounts: idsOf('accounts') })).map((each) => [
      personKey(each),
      each,
    ]),
  );
  const addressed: Addressed[] = [];
  const other: Claimed[] = [];
  for (const [at, parcel] of parcels.entries()) {
    const person = persons[at] ?? null;
    const [first] = parcel;
    if (person === null) {
      for (const row of parcel)
        other.push(
          waitsForCover(row, now)
            ? { ...claimedOf(row, now + COVER_CHECK_MS), error: 'nobody on call' }
            : { ...claimedOf(row, row.firstDueAt), state: 'failed', error: 'nobody on call' },
        );
      continue;
    }
    const to = reachable.get(personKey(person));
    const error = to ? faultOf(to) : 'recipient removed';
    if (!to || error !== null) {
      for (const row of parcel)
        other.push({ ...claimedOf(row, row.firstDueAt), state: 'failed', error: error ?? '', person });
      continue;
    }
    // Whoever is on call is notified at any time.
    const quiet =
      first.recipientType !== 'on-call' && respectsQuietHours(levelOf(parcel))
        ? quietUntil(to.quietHours, to.timeZone, now)
        : null;
    if (quiet === null) addressed.push({ parcel, person, to });
    else for (const row of parcel) other.push({ ...claimedOf(row, quiet), waits: 'quiet', person });
  }
  return { addressed, other };
}

/** The highest level of notifications that are sent as one message. */
export const levelOf = (rows: readonly DueNotification[]): number =>
  Math.max(...rows.map(({ facts, alarm }) => Math.max(facts.level, alarm.level)));

/** Returns the person whom each notification is for; null if nobody is on call or the schedule is deleted. */
async function personsOf(tx: Tx, rows: readonly DueNotification[], now: number): Promise<(Person | null)[]> {
  const ids = rows.flatMap(({ recipientType, recipientId }) =>
    recipientType === 'on-call' ? [recipientId] : [],
  );
  const schedules = ids.length === 0 ? new Map() : await loadSchedules(tx, ids, new Date(now));
  const onCall = new Map([...schedules].map(([id, schedule]) => [id, onCallAt(schedule, now).person]));
  return rows.map(({ recipientType, recipientId }) => {
    if (recipientType === 'url' || recipientType === 'alertors') return null;
    if (recipientType === 'on-call') return onCall.get(recipientId) ?? null;
    return { type: recipientType, id: recipientId };
  });
}

/**
 * While nobody is on call, the notification of an open alarm waits for the next person, for a day at most. Repeats
 * do not wait, because the next one follows.
 */
function waitsForCover({ kind, alarm, stepLevel, firstDueAt }: DueNotification, now: number): boolean {
  return (
    kind !== 'repeated' &&
    kind !== 'ended' &&
    // An escalation is told although the alarm is below the level of its step.
    judgeRepeat(alarm, kind === 'unacknowledged' ? Math.min(stepLevel, alarm.level) : stepLevel) !==
      'cancel' &&
    now - firstDueAt < GIVEN_UP_AFTER_MS
  );
}
