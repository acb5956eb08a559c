import { GIVEN_UP_AFTER_MS, jitterOf, nextAttempt } from '@isotherm/domain/alarms/notification';
import { smsLength } from '@isotherm/domain/billing/sms-segments';
import type { FilledTemplate, TemplateProvider } from '@isotherm/domain/notifications/message-template';
import { judgeAttempt, type SmsOutcome } from '@isotherm/domain/notifications/sms-provider';
import type { PaidChannel } from '@isotherm/domain/notifications/voice-provider';
import { closestLanguage, type Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { SmsLinks } from '../links/acknowledge-links.ts';
import { type FindTemplate, type OwnTexts, ownAlarmText } from '../templates/own-texts.ts';
import { type Addressed, address, levelOf } from './addressing.ts';
import { claimedOf, take } from './claims.ts';
import { countAlarms, groupFactsOf } from './group-words.ts';
import type { CanPress } from './keypad.ts';
import { type GroupFacts, saidOf } from './notification-words.ts';
import {
  type Claimed,
  findGroups,
  findUnsettledGroups,
  followFirst,
  insertGroup,
  saveClaimed,
  savePushes,
  UNKNOWN,
} from './notifications.repo.ts';
import { lockAlarmsOf } from './receipts.repo.ts';
import { applyReceipts, escalateUnreached } from './receipts.ts';
import {
  beginSms,
  deferSms,
  findSms,
  lockOver,
  lockSms,
  markSettled,
  type StoredSms,
  saveSms,
} from './sms.repo.ts';
import { groupSmsWords, smsWords } from './sms-words.ts';
import { createTextLinks } from './text-links.ts';
import { divided, groupIdsOf, lostOf, unpaidOf } from './text-states.ts';

/** Hands SMS or calls to providers. */
export interface SmsGateway {
  /** True if a provider is enabled. */
  canSend(): Promise<boolean>;
  /**
   * Makes an attempt, by several providers if needed; the last outcome decides. `deferredUntil` is the time of the next
   * attempt if no provider may be used now, epoch ms.
   */
  send(message: {
    id: string;
    number: string;
    text: string;
    /** What a key does during a call; empty if there is none. */
    prompt: string;
    language: Language;
    variables: Readonly<Record<string, string>>;
    /** Templates that an organisation has for providers with approved texts, instead of those of the provider. */
    templates?: Partial<Record<TemplateProvider, FilledTemplate>>;
  }): Promise<{
    attempts: { provider: string; at: number; outcome: SmsOutcome }[];
    deferredUntil: number | null;
  }>;
}

/** The prepaid balance that messages are paid from. Both work in the caller's transaction and may be repeated. */
export interface SmsCharge {
  /** Reserves units, for the most severe first; returns the ids of the messages that have a reservation. */
  reserve(
    tx: Tx,
    charges: readonly {
      causeId: number;
      organizationId: number;
      commodity: PaidChannel;
      units: number;
      level: number;
    }[],
  ): Promise<Set<number>>;
  /** Captures the units that were used and releases the others. */
  settle(tx: Tx, settlements: readonly { causeId: number; used: number }[]): Promise<void>;
}

export interface TextsOptions {
  pool: pg.Pool;
  /** The notification channel, which is also the kind of units that it costs. */
  channel: PaidChannel;
  gateway: SmsGateway;
  charge: SmsCharge;
  clock: Clock;
  translate: Translate;
  /** Returns the alarms of which a recipient may acknowledge each by a key; without it, calls ask for no key. */
  canPress?: CanPress | undefined;
  /** Acknowledge links of SMS; without it, they have none. */
  links?: SmsLinks | undefined;
  /** Texts of organisations; without it, all are built-in ones. */
  ownTexts?: OwnTexts | undefined;
}

/**
 * Longer than an attempt may take. When the lease expires, another process tries again, because this one has
 * crashed.
 */
const LEASE_MS = 60_000;
/** Attempts with an unknown outcome after which none is made any more. */
const MOST_UNKNOWN = 2;
const SETTLED_AT_ONCE = 200;
/** An SMS has its link at the end, whatever its text is. */
const NO_LINKS = { consoleUrl: null, acknowledge: null };

/** A message that is ready to be sent. */
interface Draft {
  addressed: Addressed;
  id: number;
  number: string;
  language: Language;
  text: string;
  prompt: string;
  variables: Readonly<Record<string, string>>;
  templates: Partial<Record<TemplateProvider, FilledTemplate>>;
  units: number;
  unknownAttempts: number;
  leaseUntil: number;
  link: string | null;
  sealedLink: string | null;
}

/**
 * SMS or calls of alarms. Units are reserved in the transaction that claims a notification, and captured or released in the one
 * that stores the outcome, so that no crash loses a message or charges it twice.
 */
export interface Texts {
  /** Claims what is due, `most` messages; the caller makes the attempts. False as `isAll` if more may be due. */
  claim(most: number): Promise<{ attempts: (() => Promise<void>)[]; isAll: boolean }>;
  /** Settles reservations of messages that are not sent any more. Returns true if there may be more. */
  settleOver(): Promise<boolean>;
}

export function createTexts(options: TextsOptions): Texts {
  const { pool, channel, gateway, charge, clock, translate, canPress, ownTexts } = options;
  const links = createTextLinks(options.links, translate);

  /** What the key of a call does; empty for SMS, and if the recipient may not acknowledge all alarms of the call. */
  async function promptOf(tx: Tx, { addressed, language }: Draft): Promise<string> {
    if (channel === 'sms') return '';
    const { parcel, person } = addressed;
    const mayPress = (await canPress?.(tx, parcel, person)) ?? false;
    return translate(language, 'calls.prompt', { mayPress: mayPress ? 'yes' : 'no' });
  }

  /**
   * Renders a message. A message that was begun keeps its text and language, and its group with the variables of it.
   *
   * @param begunGroup the group as which it was begun
   */
  function draftOf(
    addressed: Addressed,
    stored: StoredSms | undefined,
    begunGroup: GroupFacts | undefined,
    now: number,
    find: FindTemplate | null,
  ): Draft {
    const { parcel, to } = addressed;
    const [first] = parcel;
    const reader = { language: stored?.language ?? closestLanguage(to.language), timeZone: to.timeZone };
    const group = begunGroup ?? (countAlarms(parcel) > 1 ? groupFactsOf(parcel) : null);
    const words = group
      ? groupSmsWords(group, reader, translate)
      : smsWords(saidOf(first), reader, translate);
    // Messages about several alarms have the built-in text.
    const own = group
      ? null
      : ownAlarmText(find, { siteId: first.siteId, channel }, saidOf(first), reader, NO_LINKS, translate);
    const text = stored?.text || own?.body || words.text;
    return {
      addressed,
      id: first.id,
      number: to.mobile,
      language: reader.language,
      text,
      prompt: '',
      variables: words.variables,
      templates: own?.providers ?? {},
      units: channel === 'voice' ? 1 : (stored?.units ?? smsLength(text).segments),
      unknownAttempts: stored ? stored.unknownAttempts + (stored.leaseUntil === null ? 0 : 1) : 0,
      leaseUntil: now + LEASE_MS,
      link: null,
      sealedLink: null,
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
    const { id, number, prompt, language, variables, templates, leaseUntil, unknownAttempts, units } = draft;
    const { attempts: made, deferredUntil } = await gateway.send({
      id: String(id),
      number,
      text: links.textOf(draft),
      prompt,
      language,
      variables,
      templates,
    });
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
      const [first] = draft.addressed.parcel;
      if (deferredUntil !== null && isCurrent && deferredUntil - first.firstDueAt <= GIVEN_UP_AFTER_MS)
        await deferSms(tx, id, deferredUntil);
      else if (outcome.kind === 'sent') {
        // Ingest locks alarms before notifications.
        await lockAlarmsOf(tx, id);
        await savePushes(tx, [{ id, error: '', dueAt: null, deliveredAt: now }]);
        await end(tx, [{ causeId: id, used: units }]);
        // Receipts may have arrived before the response.
        await applyReceipts(tx, id, now);
      } else if (isCurrent) {
        const isFinal = judgeAttempt(outcome, unknownAttempts) === 'failed';
        if (isFinal) await lockAlarmsOf(tx, id);
        const dueAt = isFinal ? null : nextAttempt(first.firstDueAt, first.attempts + 1, now, jitterOf(id));
        const error = dueAt === null && outcome.kind === 'unknown' ? UNKNOWN : outcome.error;
        await savePushes(tx, [{ id, error, dueAt, deliveredAt: null }]);
        if (dueAt === null) await end(tx, [{ causeId: id, used: 0 }]);
        if (isFinal) await escalateUnreached(tx, id, now);
      }
    });
  }

  /** Notifies the next people now if a message that could not be sent was the last one of its step. */
  const escalateFailed = (id: number) =>
    transaction(pool, async (tx) => {
      await lockAlarmsOf(tx, id);
      await escalateUnreached(tx, id, clock.now());
    });

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
        const taken = await take(tx, channel, now, most);
        const [needless, needed] =
          channel === 'voice'
            ? divided(taken.parcels, await findUnsettledGroups(tx, groupIdsOf(taken.parcels)))
            : [[], taken.parcels];
        const canSend = needed.length > 0 && (await gateway.canSend());
        const { addressed, other } = await address(tx, needed, now, ({ mobile }) =>
          mobile === '' ? 'no mobile number' : canSend ? null : 'no transport',
        );
        const stored = await findSms(
          tx,
          addressed.map(({ parcel: [first] }) => first.id),
        );
        const groups = await findGroups(
          tx,
          addressed.flatMap(({ parcel: [first] }) => first.groupId ?? []),
        );
        const find =
          (await ownTexts?.of(
            tx,
            addressed.map(({ parcel: [first] }) => first.siteId),
          )) ?? null;
        const drafts = addressed.map((each) => {
          const [{ id, groupId }] = each.parcel;
          const begunGroup = groupId === null ? undefined : groups.get(groupId);
          return draftOf(each, stored.get(id), begunGroup, now, find);
        });
        const lost = drafts.filter(({ unknownAttempts }) => unknownAttempts >= MOST_UNKNOWN);
        const wanted = drafts.filter(({ unknownAttempts }) => unknownAttempts < MOST_UNKNOWN);
        const linked = new Set<Draft>();
        for (const draft of wanted) if (await links.plan(tx, draft)) linked.add(draft);
        const reserved = await charge.reserve(
          tx,
          wanted.map(({ id, units, addressed: { parcel } }) => ({
            causeId: id,
            organizationId: parcel[0].siteId,
            commodity: channel,
            units,
            level: levelOf(parcel),
          })),
        );
        const paid = wanted.filter(({ id }) => reserved.has(id));
        const unpaid = wanted.filter(({ id }) => !reserved.has(id));
        for (const draft of paid) {
          draft.prompt = await promptOf(tx, draft);
          await links.add(tx, draft, linked.has(draft), stored.get(draft.id));
        }
        const sent: Claimed[] = [];
        for (const draft of paid) sent.push(...(await begun(tx, draft, now)));
        await saveClaimed(tx, [
          ...taken.other,
          ...needless
            .flat()
            .map((row): Claimed => ({ ...claimedOf(row, row.firstDueAt), state: 'cancelled' })),
          ...other,
          ...lost.flatMap(({ addressed: each }) => lostOf(each)),
          ...unpaid.flatMap(({ addressed: each }) => unpaidOf(each, now)),
          ...sent,
        ]);
        await beginSms(tx, paid);
        // Repeats go on after failures, but not before the end of quiet hours.
        const waiting = new Set(other.flatMap(({ id, waits }) => (waits === 'quiet' ? [id] : [])));
        await taken.follow(needed.flat().filter(({ id }) => !waiting.has(id)));
        const failed = [
          ...other.flatMap(({ id, state }) => (state === 'failed' ? [id] : [])),
          ...lost.map(({ id }) => id),
        ];
        return {
          attempts: [
            ...paid.map((draft) => () => attempt(draft)),
            ...failed.map((id) => () => escalateFailed(id)),
          ],
          isAll: taken.isAll,
        };
      }),
    settleOver: () =>
      transaction(pool, async (tx) => {
        const over = await lockOver(tx, channel, new Date(clock.now()), SETTLED_AT_ONCE);
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
