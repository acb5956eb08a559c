import type { Alarm } from '@isotherm/contracts/alarms';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { isSilence } from '@isotherm/domain/alarms/catalogue';
import { eventFieldOf, type NotificationKind } from '@isotherm/domain/alarms/notification';
import type { AlarmCause } from '@isotherm/domain/alarms/storm';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import type { CarriedTrip } from '@isotherm/domain/waybills/trip-stage';
import { comparedWords, END_WORDS, faultWords } from '@isotherm/i18n/alarm-words';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import { tripWords } from '@isotherm/i18n/trip-words';
import { momentFormat } from '../../../platform/local-time.ts';
import { alarmSentence } from '../alarm-sentence.ts';

/**
 * An alarm as it is stored with a notification (by the function `alarm_facts`), independent of the language.
 */
export interface AlarmFacts {
  kind: Alarm['kind'];
  subject: Alarm['subject'];
  level: Alarm['level'];
  indicator: Alarm['indicator'];
  asset: string;
  place: string;
  organization: string;
  channel: string;
  device: string;
  since: string;
  raisedAt: string;
  endedAt: string | null;
  endReason: Alarm['endReason'];
  limit: number | null;
  value: number | null;
  peak: number | null;
  triggerAfterMs: number;
  /** Shipments that the asset carried; null or absent: none. */
  trips?: readonly CarriedTrip[] | null;
}

/** Content of a notification. */
export interface Said {
  alarmId: number;
  kind: NotificationKind;
  late: boolean;
  facts: AlarmFacts;
  /** What the policy says people are to do; null if it says nothing. */
  instruction: string | null;
}

/** What a message about several alarms reports. Notifications of different topics are not sent as one message. */
export type GroupTopic = 'raised' | 'repeated' | 'ended';

/** Content of a message about several alarms, independent of the language. */
export interface GroupFacts {
  topic: GroupTopic;
  late: boolean;
  cause: AlarmCause;
  /** Number of the device or gateway; empty for other causes. */
  source: string;
  /** Name of the organisation. */
  site: string;
  siteId: number;
  /** Number of alarms. */
  alarms: number;
  highestLevel: AlarmLevel;
  firstAt: string;
  /** The worst alarms. */
  listed: AlarmFacts[];
}

/** The content of a claimed notification. */
export const saidOf = ({ alarmId, kind, late, facts, instruction }: Said): Said => ({
  alarmId,
  kind,
  late,
  facts,
  instruction,
});

/** The instruction, which is not told with the end of an alarm. */
const instructionOf = ({ kind, instruction }: Said): string => (kind === 'ended' ? '' : (instruction ?? ''));

const WHAT: Readonly<Record<NotificationKind, string>> = {
  raised: 'raised',
  'level-changed': 'climbed',
  repeated: 'repeated',
  unacknowledged: 'escalated',
  ended: 'ended',
  reopened: 'reopened',
};

const wordsIn = (language: Language, translate: Translate) => ({
  word: (id: TextId, values?: Record<string, string | number>) => translate(language, id, values),
  name: (stored: string) => inWords(stored, language),
});

/** What is wrong, such as *Too warm*. */
export function faultOf(
  { kind, subject, indicator }: AlarmFacts,
  language: Language,
  translate: Translate,
): string {
  const { word } = wordsIn(language, translate);
  return subject === 'device' && isSilence(kind)
    ? word('alarms.fault.offline')
    : faultWords(indicator, kind, word);
}

/** A value that is compared with the limit, with its unit; empty if there is none. */
export function measuredOf(
  facts: AlarmFacts,
  number: number | null,
  language: Language,
  translate: Translate,
): string {
  const { word } = wordsIn(language, translate);
  const isMeasured = INDICATORS[facts.indicator].kind === 'quantity' && !isSilence(facts.kind);
  return number === null || !isMeasured
    ? ''
    : comparedWords(facts.indicator, facts.kind, number, language, word);
}

/** The value farthest from the limit, with its unit; empty if there is none. */
export const peakOf = (facts: AlarmFacts, language: Language, translate: Translate): string =>
  measuredOf(facts, facts.peak ?? facts.value, language, translate);

/**
 * Values of the e-mail template `alarm-notification`. `consoleUrl` is null if the address of the console is
 * not known.
 */
export function letterParams(
  said: Said,
  { language, timeZone }: { language: Language; timeZone: string },
  consoleUrl: string | null,
  translate: Translate,
): Record<string, string | number> {
  const { facts } = said;
  const { word, name } = wordsIn(language, translate);
  const format = momentFormat(language, timeZone, 'medium', 'long');
  const time = (moment: string) => format.format(new Date(moment));
  const value = (number: number | null) => measuredOf(facts, number, language, translate);
  const lines: [TextId, string][] = [
    ['alarms.instruction', instructionOf(said)],
    ['alarms.column.asset', name(facts.asset)],
    ['alarms.column.place', name(facts.place)],
    ['alarms.trips', tripWords(facts.trips ?? [], word)],
    ['messages.alarm-notification.organization', name(facts.organization)],
    ['alarms.fact.channel', `${name(facts.channel)} · ${facts.device}`],
    ['alarms.fact.value', value(facts.value)],
    ['alarms.fact.peak', value(facts.peak)],
    ['alarms.fact.limit', value(facts.limit)],
    ['alarms.column.since', time(facts.since)],
    ['alarms.fact.raised', time(facts.raisedAt)],
    ['alarms.fact.ended', facts.endedAt === null ? '' : time(facts.endedAt)],
  ];
  return {
    what: WHAT[said.kind],
    late: said.late ? 'yes' : 'no',
    level: facts.level,
    asset: name(facts.asset),
    fault: faultOf(facts, language, translate),
    reason: facts.endReason === null ? '' : word(END_WORDS[facts.endReason]),
    facts: lines
      .filter(([, text]) => text !== '')
      .map(([label, text]) => word('messages.alarm-notification.fact', { label: word(label), value: text }))
      .join('\n'),
    link: consoleUrl === null ? '' : `${consoleUrl}/alarm/${said.alarmId}`,
    hasLink: consoleUrl === null ? 'no' : 'yes',
  };
}

/**
 * Body of a URL push (requirements §3). Event `0003` is an alarm. Its end is `0002`, which consoles ignore
 * (§4).
 */
export interface PushMessage {
  event: '0002' | '0003';
  eventField: string;
  displayTitle: string;
  message: string;
  /** Time at which the alarm was raised or ended. */
  dataTimestamp: string;
}

export function pushMessage(said: Said, language: Language, translate: Translate): PushMessage {
  const { facts } = said;
  const { word, name } = wordsIn(language, translate);
  const isEnd = said.kind === 'ended';
  const sentence =
    isEnd && facts.endReason !== null
      ? word(END_WORDS[facts.endReason])
      : alarmSentence(
          {
            ...facts,
            channelName: name(facts.channel),
            deviceNumber: facts.device,
            limitValue: facts.limit,
          },
          language,
          translate,
        );
  return {
    event: isEnd ? '0002' : '0003',
    eventField: eventFieldOf(facts.kind, facts.indicator),
    displayTitle: word('messages.alarm-notification.subject', {
      what: WHAT[said.kind],
      late: said.late ? 'yes' : 'no',
      level: facts.level,
      asset: name(facts.asset),
      fault: faultOf(facts, language, translate),
    }),
    message: [sentence, instructionOf(said)].filter(Boolean).join('\n'),
    dataTimestamp: new Date((isEnd && facts.endedAt) || facts.raisedAt).toISOString(),
  };
}
