import type { Alarm } from '@isotherm/contracts/alarms';
import { isSilence } from '@isotherm/domain/alarms/catalogue';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { comparedWords, faultWords } from '@isotherm/i18n/alarm-words';
import type { Language } from '@isotherm/i18n/languages';
import { formatTime } from '../../shared/format/time.ts';
import type { Text } from '../../shared/i18n/use-text.ts';

/** Formats a share as `99.62 %`. It is never 100 % while something is missing. */
export function shareWords(language: Language, share: number, decimals = 2): string {
  const step = 10 ** decimals;
  const floored = Math.floor(share * 100 * step) / step;
  const digits = { minimumFractionDigits: share === 1 ? 0 : decimals, maximumFractionDigits: decimals };
  return `${new Intl.NumberFormat(language, digits).format(floored)} %`;
}

/** Formats a UTC day as `16 Nov`. */
export function dayWords(language: Language, day: string): string {
  return formatTime(`${day.slice(0, 10)}T00:00:00Z`, 'day', language, 'UTC');
}

/** What is wrong, such as *too warm*. */
export function faultOf(alarm: Alarm, text: Text): string {
  return alarm.subject === 'device' && isSilence(alarm.kind)
    ? text('alarms.fault.offline')
    : faultWords(alarm.indicator, alarm.kind, text);
}

/** The value of an alarm with its unit; empty for missing data and for switches, whose fault says it all. */
export function valueWords(alarm: Alarm, language: Language, text: Text): string {
  return alarm.value === null || isSilence(alarm.kind) || INDICATORS[alarm.indicator].kind === 'switch'
    ? ''
    : comparedWords(alarm.indicator, alarm.kind, alarm.value, language, text);
}
