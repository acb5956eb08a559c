import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { Translate } from '@isotherm/i18n/translator';
import { momentFormat } from '../../../platform/local-time.ts';
import { groupLetterParams } from './group-words.ts';
import {
  type AlarmFacts,
  faultOf,
  type GroupFacts,
  letterParams,
  peakOf,
  type Said,
} from './notification-words.ts';

interface Reader {
  language: Language;
  timeZone: string;
}

/** An SMS in words, and its parts for providers that have the text as a template of their own. */
export interface SmsWords {
  text: string;
  variables: Readonly<Record<string, string>>;
}

/** Names come from people and devices: no line breaks, so that a text cannot imitate another message. */
const oneLine = (text: string) => text.replace(/\p{Cc}+/gu, ' ').trim();

const timeOf = (moment: string, { language, timeZone }: Reader) =>
  momentFormat(language, timeZone, 'short', 'short').format(new Date(moment));

/** The SMS about one alarm. */
export function smsWords(said: Said, reader: Reader, translate: Translate): SmsWords {
  const { facts } = said;
  const { language } = reader;
  const params = letterParams(said, reader, null, translate);
  const value = peakOf(facts, language, translate);
  const time = timeOf((said.kind === 'ended' && facts.endedAt) || facts.raisedAt, reader);
  const text = translate(language, 'messages.alarm-sms.text', {
    subject: translate(language, 'messages.alarm-notification.subject', params),
    value,
    hasValue: value === '' ? 'no' : 'yes',
    time,
  });
  return {
    text: oneLine(text),
    variables: variablesOf(facts, String(params.what), reader, translate, value, time),
  };
}

/** The SMS about several alarms; the variables are those of the worst one. */
export function groupSmsWords(facts: GroupFacts, reader: Reader, translate: Translate): SmsWords {
  const { language } = reader;
  const [worst] = facts.listed as [AlarmFacts, ...AlarmFacts[]];
  const subject = translate(
    language,
    'messages.alarm-group.subject',
    groupLetterParams(facts, reader, null, translate),
  );
  const value = peakOf(worst, language, translate);
  return {
    text: oneLine(subject),
    variables: variablesOf(worst, facts.topic, reader, translate, value, timeOf(facts.firstAt, reader)),
  };
}

function variablesOf(
  facts: AlarmFacts,
  what: string,
  { language }: Reader,
  translate: Translate,
  value: string,
  time: string,
): Record<string, string> {
  return {
    what,
    level: String(facts.level),
    asset: oneLine(inWords(facts.asset, language)),
    fault: oneLine(faultOf(facts, language, translate)),
    value: value || '-',
    time,
  };
}
