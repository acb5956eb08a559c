import type { Alarm } from '@isotherm/contracts/alarms';
import { isSilence } from '@isotherm/domain/alarms/catalogue';
import { comparedWords } from '@isotherm/i18n/alarm-words';
import type { Language } from '@isotherm/i18n/languages';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';

/** Describes an alarm in one sentence, for the alarm window and for notifications. */
export function alarmSentence(
  alarm: Pick<
    Alarm,
    | 'kind'
    | 'subject'
    | 'indicator'
    | 'channelName'
    | 'deviceNumber'
    | 'value'
    | 'limitValue'
    | 'triggerAfterMs'
  >,
  language: Language,
  translate: Translate,
): string {
  const id: TextId = `realtime.alarm.${alarm.subject === 'device' && isSilence(alarm.kind) ? 'offline' : alarm.kind}`;
  const figure = (value: number | null) =>
    value === null
      ? ''
      : comparedWords(alarm.indicator, alarm.kind, value, language, (...words) =>
          translate(language, ...words),
        );
  return translate(language, id, {
    channel: alarm.channelName,
    device: alarm.deviceNumber,
    value: figure(alarm.value),
    limit: figure(alarm.limitValue),
    minutes: Math.round(alarm.triggerAfterMs / 60_000),
  });
}
