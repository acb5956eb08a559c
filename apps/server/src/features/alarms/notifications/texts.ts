import { GIVEN_UP_AFTER_MS, nextAttempt } from '@isotherm/domain/alarms/notification';
import { smsLength } from '@isotherm/domain/billing/sms-segments';
import { judgeAttempt, type SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import { closestLanguage, type Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import { type Addressed, address, levelOf } from './addressing.ts';
import { claimedOf, take, UNPAID } from './claims.ts';
import { countAlarms, groupFactsOf } from './group-words.ts';
import { saidOf } from './notification-words.ts';
import { type Claimed, followFirst, insertGroup, saveClaimed, savePush } from './notifications.repo.ts';
import { beginSms, findSms, lockOver, lockSms, markSettled, type StoredSms, saveSms } from './sms.repo.ts';
import { groupSmsWords, smsWords } from './sms-words.ts';

/** Hands SMS to providers. */
export interface SmsGateway {
  /** True if a provider is enabled. */
  canSend(): Promise<boolean>;
  /** Makes an attempt, by several providers if needed; the last outcome decides. */
  send(message: {
    id: string;
    number: string;
    text: string;
    language: Language;
    variables: Readonly<Record<string, string>>;
  }): Promise<{ provider: string; at: number; outcome: SmsOutcome }[]>;
}

/** The prepaid balance that messages are paid from. Both work in the caller's transaction and may be repeated. */
export interface SmsCharge {
  /** Reserves units, for the most severe first; returns the ids of the messages that have a reservation. */
  reserve(
    tx: Tx,
    charges: readonly {
      causeId: number;
      organizationId: number;
      commodity: 'sms';
      units: number;
      level: number;
    }[],
  ): Promise<Set<number>>;
  /** Captures the units that were used and releases the others. */
  settle(tx: Tx, settlements: readonly { causeId: number; used: number }[]): Promise<void>;
}

export interface TextsOptions {
  pool: pg.Pool;
  gateway: SmsGateway;
  charge: SmsCharge;
  clock: Clock;
  translate: Translate;
}

/**
 * Longer than an attempt may take. When the lease expires, another process tries again, because this one has
 * crashed.
 */
const LEASE_MS = 60_000;
/** Interval at which a notification that waits for a recharge is tried. */
const BALANCE_CHECK_MS = 60_000;
/** Attempts with an unknown outcome after which none is made any more. */
const MOST_UNKNOWN = 2;
const SETTLED_AT_ONCE = 200;
const UNKNOWN = 'outcome unknown';

/** A message that is ready to be sent. */
interface Draft {
  addressed: Addressed;
  id: number;
  number: string;
  language: Language;
  text: string;
  variables: Readonly<Record<string, string>>;
  units: number;
  unknownAttempts: number;
  leaseUntil: number;
}

/**
 * SMS of alarms. Units are reserved in the transaction that claims a notification, and captured or released in the one
 * that stores the outcome, so that no crash loses a message or charges it twice.
 */
export interface Texts {
  /** Claims what is due, `most` messages; the caller makes the attempts. False as `isAll` if more may be due. */
  claim(most: number): Promise<{ attempts: (() => Promise<void>)[]; isAll: boolean }>;
  /** Settles reservations of messages that are not sent any more. Returns true if there may be more. */
  settleOver(): Promise<boolean>;
}

export function createTexts({ pool, gateway, charge, clock, translate }: TextsOptions): Texts {
  /** Renders a message. A repeated attempt sends the text of the first one. */
  function draftOf(addressed: Addressed, stored: StoredSms | undefined, now: number): Draft {
    const { parcel, to } = addressed;
    const [first] = parcel;
    const reader = { language: closestLanguage(to.language), timeZone: to.timeZone };
    const words =
      countAlarms(parcel) > 1
        ? groupSmsWords(groupFactsOf(parcel), reader, translate)
        : smsWords(saidOf(first), reader, translate);
    const text = stored?.text ?? words.text;
    return {
      addressed,
      id: first.id,
      number: to.mobile,
      language: stored?.language ?? reader.language,
      text,
      variables: words.variables,
      units: stored?.units ?? smsLength(text).segments,
      unknownAttempts: stored ? stored.unknownAttempts + (stored.leaseUntil === null ? 0 : 1) : 0,
      leaseUntil: now + LEASE_MS,
    };
  }

  /** New states of the notifications of a message that is sent now. */
  async function begun(tx: Tx, { addressed, leaseUntil }: Draft, now: number): Promise<Claimed[]> {
    const { parcel, person } = addressed;
    const [first, ...rest] = parcel;
    const groupId =
      countAlarms(parcel) > 1
        ? await insertGroup(tx, first.siteId, groupFactsOf(parcel), new Date(now))
        : first.groupId;
    return [
      { ...claimedOf(first, leaseUntil), isAttempt: true, person, groupId },
      ...rest.map(
        (row): Claimed => ({
          ...claimedOf(row, row.firstDueAt),
          state: 'sending',
          isAttempt: true,
          person,
          groupId,
        }),
      ),
    ];
  }

  async function attempt(draft: Draft): Promise<void> {
    const { id, number, text, language, variables, leaseUntil, unknownAttempts, units } = draft;
    const made = await gateway.send({ id: String(id), number, text, language, variables });
    const outcome: SmsOutcome = made.at(-1)?.outcome ?? { kind: 'unavailable', error: 'no transport' };
    await transaction(pool, async (tx) => {
      const stored = await lockSms(tx, id);
      if (!stored) return;
      const isCurrent = stored.leaseUntil === leaseUntil;
      await saveSms(tx, id, {
        attempts: made.map(({ provider, at, outcome: each }) => ({
          at: new Date(at).toISOString(),
          provider,
          outcome: each.kind,
          detail: each.kind === 'sent' ? each.providerMessageId : each.error,
        })),
        unknown: isCurrent && outcome.kind === 'unknown' ? 1 : 0,
        providerMessageId: outcome.kind === 'sent' ? outcome.providerMessageId : '',
        ends: isCurrent,
      });
      const now = clock.now();
      if (outcome.kind === 'sent') {
        await savePush(tx, id, { error: '', dueAt: null, deliveredAt: now });
        await end(tx, [{ causeId: id, used: units }]);
      } else if (isCurrent) {
        const [first] = draft.addressed.parcel;
        const dueAt =
          judgeAttempt(outcome, unknownAttempts) === 'again'
            ? nextAttempt(first.firstDueAt, first.attempts + 1, now)
            : null;
        const error = dueAt === null && outcome.kind === 'unknown' ? UNKNOWN : outcome.error;
        await savePush(tx, id, { error, dueAt, deliveredAt: null });
        if (dueAt === null) await end(tx, [{ causeId: id, used: 0 }]);
      }
    });
  }

  async function end(tx: Tx, settlements: readonly { causeId: number; used: number }[]): Promise<void> {
    await charge.settle(tx, settlements);
    await markSettled(
      tx,
      settlements.map(({ causeId }) => causeId),
    );
  }

  return {
    claim: (most) =>
      transaction(pool, async (tx) => {
        const now = clock.now();
        const taken = await take(tx, 'sms', now, most);
        const canSend = taken.parcels.length > 0 && (await gateway.canSend());
        const { addressed, other } = await address(tx, taken.parcels, now, ({ mobile }) =>
          mobile === '' ? 'no mobile number' : canSend ? null : 'no transport',
        );
        const stored = await findSms(
          tx,
          addressed.map(({ parcel: [first] }) => first.id),
        );
        const drafts = addressed.map((each) => draftOf(each, stored.get(each.parcel[0].id), now));
        const lost = drafts.filter(({ unknownAttempts }) => unknownAttempts >= MOST_UNKNOWN);
        const wanted = drafts.filter(({ unknownAttempts }) => unknownAttempts < MOST_UNKNOWN);
        const reserved = await charge.reserve(
          tx,
          wanted.map(({ id, units, addressed: { parcel } }) => ({
            causeId: id,
            organizationId: parcel[0].siteId,
            commodity: 'sms',
            units,
            level: levelOf(parcel),
          })),
        );
        const paid = wanted.filter(({ id }) => reserved.has(id));
        const unpaid = wanted.filter(({ id }) => !reserved.has(id));
        const sent: Claimed[] = [];
        for (const draft of paid) sent.push(...(await begun(tx, draft, now)));
        await saveClaimed(tx, [
          ...taken.other,
          ...other,
          ...lost.flatMap(({ addressed: each }) => lostOf(each)),
          ...unpaid.flatMap(({ addressed: each }) => unpaidOf(each, now)),
          ...sent,
        ]);
        await beginSms(tx, paid);
        // Repeats go on after failures, but not before the end of quiet hours.
        const waiting = new Set(other.flatMap(({ id, waits }) => (waits === 'quiet' ? [id] : [])));
        await taken.follow(taken.parcels.flat().filter(({ id }) => !waiting.has(id)));
        return { attempts: paid.map((draft) => () => attempt(draft)), isAll: taken.isAll };
      }),
    settleOver: () =>
      transaction(pool, async (tx) => {
        const over = await lockOver(tx, new Date(clock.now()), SETTLED_AT_ONCE);
        if (over.length === 0) return false;
        await end(
          tx,
          over.map(({ id, units, isSent }) => ({ causeId: id, used: isSent ? units : 0 })),
        );
        await followFirst(
          tx,
          over.map(({ id }) => id),
        );
        return over.length === SETTLED_AT_ONCE;
      }),
  };
}

/** States of the notifications of a message that may have been sent twice without a response. */
const lostOf = ({ parcel, person }: Addressed): Claimed[] =>
  parcel.map((row) => ({ ...claimedOf(row, row.firstDueAt), state: 'failed', error: UNKNOWN, person }));

/**
 * States of the notifications of a message that the balance is not enough for. They wait for a recharge, for a day at
 * most; ends and repeats do not, because they no longer matter then.
 */
const unpaidOf = ({ parcel, person }: Addressed, now: number): Claimed[] =>
  parcel.map((row) =>
    row.kind === 'ended' || row.kind === 'repeated' || now - row.firstDueAt > GIVEN_UP_AFTER_MS
      ? { ...claimedOf(row, row.firstDueAt), state: 'failed', error: UNPAID, person }
      : { ...claimedOf(row, now + BALANCE_CHECK_MS), waits: 'balance', error: UNPAID, person },
  );
