import { ESCALATION_CHECK_MS, judgeEscalation, LATE_AFTER_MS } from '@isotherm/domain/alarms/notification';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import { createWorkLine } from '../../../platform/work-line.ts';
import type { MakeLink } from '../links/acknowledge-links.ts';
import type { OwnTexts } from '../templates/own-texts.ts';
import { claimedOf, LOOK_EVERY_MS, type Parcel, take } from './claims.ts';
import { groupFactsOf, groupPushMessage } from './group-words.ts';
import { createLetters } from './letters.ts';
import { pushMessage, saidOf } from './notification-words.ts';
import {
  type Claimed,
  claimEscalations,
  findGroups,
  insertGroup,
  languagesOfSources,
  saveClaimed,
  saveEscalations,
} from './notifications.repo.ts';
import { createSlowOrigins, type SlowOrigins } from './slow-origins.ts';
import { createTextDelivery } from './text-delivery.ts';
import { createTexts, type TextsOptions } from './texts.ts';
import type { Push, UrlPush } from './url-push.ts';

const ESCALATIONS_AT_ONCE = 200;
const PUSHES_AT_ONCE = 64;
/** Pushes are claimed when so many may be started: a claim costs more than an attempt. */
const CLAIMED_FROM = PUSHES_AT_ONCE / 2;
/**
 * Longer than an attempt may take. When the lease expires, another process tries again, because this one has
 * crashed.
 */
const LEASE_MS = 60_000;
/** After this time a push to a slow server that has enough requests under way is claimed again. */
const SLOW_AGAIN_MS = 5_000;
/** Largest number of claims of URL pushes in one transaction. */
const TURNS = 50;

/**
 * Delivers the due notifications of alarms, e-mails through the message outbox. Any number of workers may
 * run it: each row is claimed by one of them.
 */
export interface Notifier {
  start(): void;
  /** Delivers everything that is due now. Resolves when the URL pushes, SMS and calls have been answered, too. */
  deliverDue(): Promise<void>;
  stop(): Promise<void>;
}

export function createNotifier(options: {
  pool: pg.Pool;
  messages: Pick<Messages, 'canDeliver' | 'enqueue' | 'enqueueAll'>;
  urlPush: UrlPush;
  /** Providers and balance for SMS. Without them, notifications by SMS wait. */
  sms?: Pick<TextsOptions, 'gateway' | 'charge' | 'links'>;
  /** Providers and balance for calls. Without them, calls wait. */
  voice?: Pick<TextsOptions, 'gateway' | 'charge' | 'canPress'>;
  /** Hands due popups to consoles; returns true if more may be due. Without it, popups wait. */
  deliverPopups?: () => Promise<boolean>;
  clock: Clock;
  translate: Translate;
  log: Logger;
  makeLink?: MakeLink;
  /** Texts of organisations; without it, all are built-in ones. */
  ownTexts?: OwnTexts;
  /** Address of the console for links in e-mails. */
  consoleUrl: string | null;
  slowOrigins?: SlowOrigins;
}): Notifier {
  const { deliverPopups = async () => false, slowOrigins = createSlowOrigins() } = options;
  const { pool, messages, urlPush, sms, voice, clock, translate, log, consoleUrl, ownTexts } = options;
  const letters = createLetters({
    pool,
    messages,
    clock,
    translate,
    consoleUrl,
    ...(options.makeLink ? { makeLink: options.makeLink } : {}),
    ownTexts,
  });
  const paid = [
    ...(sms ? [createTexts({ pool, channel: 'sms', ...sms, ownTexts, clock, translate })] : []),
    ...(voice ? [createTexts({ pool, channel: 'voice', ...voice, ownTexts, clock, translate })] : []),
  ].map((texts) => createTextDelivery({ texts, log, onFree: () => timer && paidLine.begin() }));
  const pushing = new Set<Promise<void>>();
  let timer: NodeJS.Timeout | undefined;
  /** True if more pushes are due than may run at once. */
  let isBehind = false;

  /** Turns escalations that are due into notifications of their recipients. Returns true if more may be due. */
  async function escalate(): Promise<boolean> {
    return transaction(pool, async (tx) => {
      const now = clock.now();
      const due = await claimEscalations(tx, new Date(now), ESCALATIONS_AT_ONCE);
      if (due.length === 0) return false;
      const judged = due.map((row) => {
        const verdict = judgeEscalation(row.alarm, row);
        return {
          id: row.id,
          state: ({ send: 'sent', wait: 'pending', cancel: 'cancelled' } as const)[verdict],
          dueAt: verdict === 'wait' ? now + ESCALATION_CHECK_MS : row.firstDueAt,
          late: row.late || (verdict === 'send' && now - row.firstDueAt > LATE_AFTER_MS),
        };
      });
      await saveEscalations(tx, judged, new Date(now));
      return due.length === ESCALATIONS_AT_ONCE;
    });
  }

  /** Leases URL pushes that are due and starts an attempt for each. Returns true if more may be due. */
  async function deliverPushes(): Promise<boolean> {
    const free = PUSHES_AT_ONCE - pushing.size;
    if (free < CLAIMED_FROM) return false;
    /** Ends of the requests that begin now, by notification. */
    const ends = new Map<number, () => void>();
    const { pushes, isAll } = await transaction(pool, async (tx) => {
      const now = clock.now();
      const leaseUntil = now + LEASE_MS;
      const parcels: Parcel[] = [];
      let isAll = false;
      // What is held back takes no place of those that are sent.
      for (let turn = 0; turn < TURNS && !isAll && parcels.length < free; turn += 1) {
        const taken = await take(tx, 'url-push', now, free - parcels.length);
        const leased: Claimed[] = [];
        const beginning: Parcel[] = [];
        for (const parcel of taken.parcels) {
          const [first, ...rest] = parcel;
          if (!slowOrigins.mayBegin(first.url)) {
            leased.push(...parcel.map((row) => claimedOf(row, now + SLOW_AGAIN_MS)));
            continue;
          }
          beginning.push(parcel);
          ends.set(first.id, slowOrigins.begin(first.url));
          if (rest.length > 0) {
            first.groupId = await insertGroup(
              tx,
              first.siteId,
              groupFactsOf([first, ...rest]),
              new Date(now),
            );
            for (const row of rest)
              leased.push({
                ...claimedOf(row, row.firstDueAt),
                state: 'sending',
                isAttempt: true,
                groupId: first.groupId,
              });
          }
          leased.push({ ...claimedOf(first, leaseUntil), isAttempt: true });
        }
        await saveClaimed(tx, [...taken.other, ...leased]);
        await taken.follow(beginning.flat());
        parcels.push(...beginning);
        isAll = taken.isAll;
      }
      return { pushes: await pushesOf(tx, parcels, leaseUntil), isAll };
    }).catch((error) => {
      for (const end of ends.values()) end();
      throw error;
    });
    for (const push of pushes) {
      const attempt = urlPush(push)
        .catch((error: Error) => log.warn({ error: error.message }, 'result of a URL push was not stored'))
        .finally(() => {
          ends.get(push.id)?.();
          pushing.delete(attempt);
          if (isBehind && timer) pushLine.begin();
        });
      pushing.add(attempt);
    }
    isBehind = !isAll;
    return isBehind;
  }

  /** Renders the pushes in the languages of their policies and plans. */
  async function pushesOf(tx: Tx, parcels: readonly Parcel[], leaseUntil: number): Promise<Push[]> {
    const rows = parcels.map(([first]) => first);
    const ofPolicies = await languagesOfSources(
      tx,
      'alarm_policy',
      rows.map(({ policyId }) => policyId),
    );
    const ofPlans = await languagesOfSources(
      tx,
      'alarm_escalation_plan',
      rows.map(({ planId }) => planId),
    );
    const groups = await findGroups(
      tx,
      rows.flatMap(({ groupId }) => groupId ?? []),
    );
    return rows.map((row): Push => {
      const language = closestLanguage(ofPolicies.get(row.policyId) ?? ofPlans.get(row.planId) ?? '');
      const group = row.groupId === null ? undefined : groups.get(row.groupId);
      return {
        id: row.id,
        policyId: row.policyId,
        planId: row.planId,
        url: row.url,
        message: group
          ? groupPushMessage(group, language, translate)
          : pushMessage(saidOf(row), language, translate),
        firstDueAt: row.firstDueAt,
        attempts: row.attempts + 1,
        leaseUntil,
      };
    });
  }

  /** Each line has its own turns, so that a backlog of one delays no other. */
  const createLine = (look: () => Promise<void>) =>
    createWorkLine(look, ({ message }) =>
      log.warn({ error: message }, 'notifications of alarms were not delivered'),
    );
  const lines = [
    createLine(async () => {
      while (await escalate());
    }),
    createLine(async () => {
      while (await letters());
    }),
    createLine(async () => {
      while (await deliverPopups());
    }),
  ];
  const pushLine = createLine(async () => {
    await deliverPushes();
  });
  const paidLine = createLine(async () => {
    for (const each of paid) await each.deliver();
  });

  function start(): void {
    for (const line of [...lines, pushLine, paidLine]) line.begin();
  }

  return {
    start() {
      start();
      timer = setInterval(start, LOOK_EVERY_MS);
    },
    async deliverDue() {
      while (await escalate());
      while (await letters());
      while (await deliverPopups());
      for (let isMore = true; isMore; ) {
        isMore = await deliverPushes();
        await Promise.all(pushing);
      }
      for (const each of paid)
        for (let isMore = true; isMore; ) {
          isMore = await each.deliver();
          await each.finish();
        }
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      for (const line of [...lines, pushLine, paidLine]) await line.ended();
      await Promise.all([...pushing, ...paid.map((each) => each.finish())]);
    },
  };
}
