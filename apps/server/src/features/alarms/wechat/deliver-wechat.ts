import type { Person } from '@isotherm/domain/alarms/person';
import { personKey } from '@isotherm/domain/alarms/person';
import type { FilledTemplate } from '@isotherm/domain/notifications/message-template';
import { closestLanguage, type Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Db } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Messages } from '../../../platform/messages/messages.ts';
import type { MakeLink } from '../links/acknowledge-links.ts';
import { address } from '../notifications/addressing.ts';
import { claimedOf } from '../notifications/claims.ts';
import { limitPerDay } from '../notifications/daily-limit.ts';
import {
  createLeasedDelivery,
  type DeliveryOutcome,
  type LeasedDelivery,
  type Ready,
} from '../notifications/leased-delivery.ts';
import { saidOf } from '../notifications/notification-words.ts';
import { groupSmsWords, smsWords } from '../notifications/sms-words.ts';
import { type OwnTexts, ownAlarmText } from '../templates/own-texts.ts';

/** Largest number of messages that a process sends at the same time. */
const AT_ONCE = 16;
/** Errors of notifications whose recipient is not bound to a WeChat user, or does not follow the official account. */
export const NOT_BOUND = 'not bound to wechat';
export const NOT_SUBSCRIBED = 'not subscribed to wechat';

/** Sends template messages of the official account. */
export interface WechatSending {
  reachable(
    db: Db,
    people: readonly Person[],
  ): Promise<(Person & { openId: string; isSubscribed: boolean })[]>;
  send(message: {
    id: string;
    openId: string;
    language: Language;
    variables: Readonly<Record<string, string>>;
    /** The template of an organisation, instead of that of the official account. */
    template?: FilledTemplate | undefined;
    url: string | null;
  }): Promise<{ kind: 'sent' } | { kind: 'unsubscribed' | 'refused' | 'unavailable'; error: string }>;
}

/**
 * Delivers alarms by WeChat. A message whose outcome is unknown is handed over again with the same id, which WeChat sends
 * once.
 */
export function createWechatDelivery({
  pool,
  wechat,
  messages,
  makeLink,
  consoleUrl,
  clock,
  translate,
  log,
  ownTexts,
}: {
  pool: pg.Pool;
  wechat: WechatSending;
  messages: Pick<Messages, 'canDeliver' | 'enqueue'>;
  makeLink: MakeLink;
  consoleUrl: string | null;
  clock: Clock;
  translate: Translate;
  log: Logger;
  /** Texts of organisations; without it, all are built-in ones. */
  ownTexts?: OwnTexts;
}): LeasedDelivery {
  return createLeasedDelivery({
    pool,
    channel: 'wechat',
    atOnce: AT_ONCE,
    clock,
    log,
    async prepare(tx, parcels, now, groupOf) {
      const { addressed, other } = await address(tx, parcels, now, () => null);
      const found = await wechat.reachable(
        tx,
        addressed.map(({ person }) => person),
      );
      const users = new Map(found.map((each) => [personKey(each), each]));
      const reached: typeof addressed = [];
      for (const each of addressed) {
        const user = users.get(personKey(each.person));
        if (user?.isSubscribed) {
          reached.push(each);
          continue;
        }
        const error = user ? NOT_SUBSCRIBED : NOT_BOUND;
        for (const row of each.parcel)
          other.push({ ...claimedOf(row, row.firstDueAt), state: 'failed', error, person: each.person });
      }
      const { within, dropped } = await limitPerDay(tx, 'wechat', reached, { messages, now });
      const find =
        (await ownTexts?.of(
          tx,
          within.map(({ parcel: [first] }) => first.siteId),
        )) ?? null;
      const ready: Ready[] = [];
      for (const { parcel, person, to } of within) {
        const [first] = parcel;
        const group = groupOf(parcel);
        const reader = { language: closestLanguage(to.language), timeZone: to.timeZone };
        const words = group
          ? groupSmsWords(group, reader, translate)
          : smsWords(saidOf(first), reader, translate);
        const link = group ? null : await makeLink(tx, first, person, 'wechat');
        const own = group
          ? null
          : ownAlarmText(
              find,
              { siteId: first.siteId, channel: 'wechat' },
              saidOf(first),
              reader,
              { consoleUrl: null, acknowledge: null },
              translate,
            );
        const page = consoleUrl && `${consoleUrl}${group ? '/alarm/current' : `/alarm/${first.alarmId}`}`;
        const message = {
          id: `alarm-${first.id}`,
          openId: users.get(personKey(person))?.openId ?? '',
          language: reader.language,
          variables: { ...words.variables, text: own?.body ?? words.text },
          template: own?.providers.wechat,
          url: link ?? page,
        };
        const attempt = async (): Promise<DeliveryOutcome> => {
          const outcome = await wechat.send(message);
          if (outcome.kind === 'sent') return outcome;
          const { kind, error } = outcome;
          if (kind === 'unsubscribed') return { kind: 'failed', error: NOT_SUBSCRIBED };
          return { kind: kind === 'refused' ? 'failed' : kind, error };
        };
        ready.push({ parcel, person, attempt });
      }
      return { ready, other: [...other, ...dropped] };
    },
  });
}
