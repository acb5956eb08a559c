import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import type { Person } from '@isotherm/domain/alarms/person';
import { closestLanguage } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { Db } from '../../../platform/db/pool.ts';
import { groupLetterParams, groupPushMessage } from '../notifications/group-words.ts';
import {
  type GroupFacts,
  letterParams,
  pushMessage,
  type Said,
} from '../notifications/notification-words.ts';
import { findReachable } from '../notifications/notifications.repo.ts';
import { groupSmsWords, smsWords } from '../notifications/sms-words.ts';
import { type OwnTexts, ownAlarmText } from '../templates/own-texts.ts';

/** What is stored of a notification, in no language. */
export interface StoredMessage extends Said {
  channel: NotificationChannel;
  siteId: number;
  /** The person who is notified; null for an address or an alertor. */
  person: Person | null;
  /** The message about several alarms that it was sent with; null if it was sent alone. */
  group: GroupFacts | null;
}

/** A text without the links of its recipient, which are secret. */
export interface RenderedMessage {
  /** Empty if the notification channel has none. */
  subject: string;
  text: string;
}

/**
 * Creates the function that renders a notification as its recipient gets it, in the language and time zone of the
 * recipient. For a recipient who was removed, and without a person, `fallback` is the language, and times are in UTC.
 */
export function createRenderMessage({
  db,
  ownTexts,
  consoleUrl,
  translate,
}: {
  db: Db;
  ownTexts: OwnTexts;
  consoleUrl: string | null;
  translate: Translate;
}): (message: StoredMessage, fallback: string) => Promise<RenderedMessage> {
  return async (message, fallback) => {
    const { channel, group, person, siteId } = message;
    const of = (type: Person['type']) => (person?.type === type ? [person.id] : []);
    const [to] = await findReachable(db, { receivers: of('receivers'), accounts: of('accounts') });
    const language = closestLanguage(to?.language ?? fallback);
    const reader = { language, timeZone: to?.timeZone ?? 'UTC' };
    const words = (
      template: 'alarm-notification' | 'alarm-group',
      params: Record<string, string | number>,
    ) => ({
      subject: translate(language, `messages.${template}.subject`, params),
      text: translate(language, `messages.${template}.text`, params),
    });
    if (channel === 'email' || channel === 'sms' || channel === 'voice' || channel === 'wechat') {
      const links = { consoleUrl: channel === 'email' ? consoleUrl : null, acknowledge: null };
      // Messages about several alarms have the built-in text.
      const own = group
        ? null
        : ownAlarmText(
            await ownTexts.of(db, [siteId]),
            { siteId, channel },
            message,
            reader,
            links,
            translate,
          );
      if (own) return { subject: own.subject, text: own.body };
      if (channel === 'email')
        return group
          ? words('alarm-group', groupLetterParams(group, reader, consoleUrl, translate))
          : words('alarm-notification', {
              ...letterParams(message, reader, consoleUrl, translate),
              hasAcknowledgeLink: 'no',
              acknowledgeLink: '',
            });
      const { text } = group ? groupSmsWords(group, reader, translate) : smsWords(message, reader, translate);
      return { subject: '', text };
    }
    const said = group
      ? groupPushMessage(group, language, translate)
      : pushMessage(message, language, translate);
    return { subject: said.displayTitle, text: said.message };
  };
}
