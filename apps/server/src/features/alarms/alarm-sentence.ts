import type { Alarm } from '@isotherm/contracts/alarms';
import { isSilence } from '@isotherm/domain/alarms/catalogue';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import { fixed } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';

/** A value with the decimals of its indicator and its unit, as the reader's language writes it. */
export function measured(indicator: Indicator, value: number, language: Language): string {
  const { precision, unit } = INDICATORS[indicator];
  return `${fixed(value, precision, language)} ${unit}`.trim();
}

/** What an alarm is about in one sentence, for the alarm window and messages. */
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
  return translate(language, id, {
    channel: alarm.channelName,
    device: alarm.deviceNumber,
    value: alarm.value === null ? '' : measured(alarm.indicator, alarm.value, language),
    limit: alarm.limitValue === null ? '' : measured(alarm.indicator, alarm.limitValue, language),
    minutes: Math.round(alarm.triggerAfterMs / 60_000),
  });
}
