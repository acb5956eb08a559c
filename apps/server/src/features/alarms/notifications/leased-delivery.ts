import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import { jitterOf, nextAttempt } from '@isotherm/domain/alarms/notification';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import { createWorkLine } from '../../../platform/work-line.ts';
import { claimedOf, LOOK_EVERY_MS, type Parcel, take } from './claims.ts';
import { countAlarms, groupFactsOf } from './group-words.ts';
import type { GroupFacts } from './notification-words.ts';
import { type Claimed, createOutcomes, findGroups, insertGroup, saveClaimed } from './notifications.repo.ts';

/**
 * Longer than an attempt may take. When the lease expires, another process tries again, because this one has
 * crashed.
 */
const LEASE_MS = 90_000;
/** Largest number of claims in one look. */
const TURNS = 50;

/** What became of an attempt. */
export type DeliveryOutcome =
  | { kind: 'sent' }
  | { kind: 'failed'; error: string }
  /** Tried again later, for a day at most, and not before the pause that the server asks for. */
  | { kind: 'unavailable'; error: string; pauseMs?: number };

/** A message that can be sent now. */
export interface Ready {
  parcel: Parcel;
  person: Claimed['person'];
  /** Makes the attempt, outside of a transaction. */
  attempt(): Promise<DeliveryOutcome>;
}

export interface LeasedDelivery {
  start(): void;
  /** Delivers everything that is due now; resolves when all attempts have ended. */
  deliverDue(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Delivers the notifications of one notification channel by requests to a server: each is claimed for the time of an
 * attempt (a lease), and tried again with backoff. Any number of workers may run it.
 */
export function createLeasedDelivery({
  pool,
  channel,
  atOnce,
  clock,
  log,
  prepare,
}: {
  pool: pg.Pool;
  channel: NotificationChannel;
  /** Largest number of attempts at the same time in this process. */
  atOnce: number;
  clock: Clock;
  log: Logger;
  /**
   * Prepares the messages of claimed notifications, in the claiming transaction. `groupOf` returns the content of a
   * message about several alarms; null for one alarm. `other` are notifications that are not sent now.
   */
  prepare: (
    tx: Tx,
    parcels: readonly Parcel[],
    now: number,
    groupOf: (parcel: Parcel) => GroupFacts | null,
  ) => Promise<{ ready: Ready[]; other: Claimed[] }>;
}): LeasedDelivery {
  const save = createOutcomes(pool);
  const attempts = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  let isBehind = false;

  async function claim(): Promise<{ ready: Ready[]; leaseUntil: number; isAll: boolean }> {
    return transaction(pool, async (tx) => {
      const now = clock.now();
      const taken = await take(tx, channel, now, atOnce - attempts.size);
      const begunGroups = await findGroups(
        tx,
        taken.parcels.flatMap(([{ groupId }]) => groupId ?? []),
      );
      const groupOf = (parcel: Parcel): GroupFacts | null =>
        (parcel[0].groupId === null ? undefined : begunGroups.get(parcel[0].groupId)) ??
        (countAlarms(parcel) > 1 ? groupFactsOf(parcel) : null);
      const { ready, other } = await prepare(tx, taken.parcels, now, groupOf);
      const claimed: Claimed[] = [];
      const leaseUntil = now + LEASE_MS;
      for (const { parcel, person } of ready) {
        const [first, ...rest] = parcel;
        const groupId =
          rest.length > 0
            ? await insertGroup(tx, first.siteId, groupFactsOf(parcel), new Date(now))
            : first.groupId;
        claimed.push({ ...claimedOf(first, leaseUntil), isAttempt: true, person, groupId });
        for (const row of rest)
          claimed.push({
            ...claimedOf(row, row.firstDueAt),
            state: 'sending',
            isAttempt: true,
            person,
            groupId,
          });
      }
      await saveClaimed(tx, [...taken.other, ...other, ...claimed]);
      // Repeats go on after failures, but not before the end of quiet hours.
      const waiting = new Set(other.flatMap(({ id, waits }) => (waits === 'quiet' ? [id] : [])));
      await taken.follow(taken.parcels.flat().filter(({ id }) => !waiting.has(id)));
      return { ready, leaseUntil, isAll: taken.isAll };
    });
  }

  async function make({ parcel: [first], attempt }: Ready, leaseUntil: number): Promise<void> {
    const outcome = await attempt();
    const now = clock.now();
    const next = nextAttempt(first.firstDueAt, first.attempts + 1, now, jitterOf(first.id));
    await save({
      id: first.id,
      error: outcome.kind === 'sent' ? '' : outcome.error,
      dueAt:
        outcome.kind === 'unavailable' && next !== null ? Math.max(next, now + (outcome.pauseMs ?? 0)) : null,
      deliveredAt: outcome.kind === 'sent' ? now : null,
      leaseUntil,
    });
  }

  /** Claims what is due and starts the attempts. Returns true if more may be due. */
  async function look(): Promise<boolean> {
    // What is held back or failed takes no place of those that are sent.
    for (let turn = 0; turn < TURNS; turn += 1) {
      // A claim costs more than an attempt, so it is made when several may be started.
      if (atOnce - attempts.size < atOnce / 2) return turn > 0 && isBehind;
      const { ready, leaseUntil, isAll } = await claim();
      begin(ready, leaseUntil);
      isBehind = !isAll;
      if (isAll) return false;
    }
    return isBehind;
  }

  function begin(ready: readonly Ready[], leaseUntil: number): void {
    for (const each of ready) {
      const attempt = make(each, leaseUntil)
        .catch((error: Error) =>
          log.warn({ error: error.message, channel }, 'result of a message was not stored'),
        )
        .finally(() => {
          attempts.delete(attempt);
          if (isBehind && timer) line.begin();
        });
      attempts.add(attempt);
    }
  }

  const line = createWorkLine(
    async () => {
      await look();
    },
    ({ message }) => log.warn({ error: message, channel }, 'notifications of alarms were not delivered'),
  );

  return {
    start() {
      line.begin();
      timer = setInterval(line.begin, LOOK_EVERY_MS);
    },
    async deliverDue() {
      for (let isMore = true; isMore; ) {
        isMore = await look();
        await Promise.all(attempts);
      }
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      await line.ended();
      await Promise.all(attempts);
    },
  };
}
