import type { PolicyCondition } from '@isotherm/domain/alarms/graded-policy';
import type { PolicyQuantity } from '@isotherm/domain/alarms/policy';
import type { PolicySignal } from '@isotherm/domain/alarms/policy-signal';
import { type Schedule, WEEKDAYS } from '@isotherm/domain/alarms/schedule';
import type { Bounds } from '@isotherm/domain/alarms/signal';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import { formatSetting } from '../../../shared/format/duration.ts';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { withUnit } from '../../../shared/format/number.ts';
import { zoneName } from '../../../shared/format/zones.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { isSwitch } from './policy-draft.ts';

const MINUTE_MS = 60_000;

export const quantityWords = (quantity: PolicyQuantity, text: Text): string =>
  text(quantity === 'contact' ? 'policies.quantity.contact' : INDICATOR_LABEL[quantity]);

/**
 * Describes the condition of an alarm with its schedule: `Door open, Mon–Fri 08:00–18:00 (Europe/Madrid), not on
 * holidays`.
 */
export function conditionWords(
  condition: Pick<PolicyCondition, 'quantity' | 'low' | 'high' | 'signal' | 'schedule' | 'defrostDelayMs'>,
  text: Text,
): string {
  const limits = whenWords(condition, text);
  const { defrostDelayMs = 0 } = condition;
  const when =
    defrostDelayMs > 0
      ? text('policies.defrost.words', { when: limits, duration: formatSetting(defrostDelayMs, text) })
      : limits;
  return condition.schedule
    ? text('schedules.condition', { when, schedule: scheduleWords(condition.schedule, text) })
    : when;
}

function scheduleWords({ spans, timeZone, holidays }: Schedule, text: Text): string {
  const hours = spans
    .map(({ days, from, until }) => `${daysWords(days, text)} ${from}–${until}`)
    .join(text('schedules.separator'));
  const words = text('schedules.words', { hours, zone: zoneName(timeZone) });
  return holidays === 'ignore' ? words : text(`schedules.words.${holidays}`, { words });
}

/** Days of the week, in ranges of three and more: `Mon–Fri`, `Mon, Wed`. */
function daysWords(days: readonly number[], text: Text): string {
  const ranges: number[][] = [];
  for (const day of WEEKDAYS) {
    if (!days.includes(day)) continue;
    const last = ranges.at(-1);
    if (last?.at(-1) === day - 1) last.push(day);
    else ranges.push([day]);
  }
  const name = (day: number | undefined) => text(`schedules.day.${day as 1}`);
  return ranges
    .flatMap((range) => (range.length > 2 ? [`${name(range[0])}–${name(range.at(-1))}`] : range.map(name)))
    .join(text('schedules.separator'));
}

/** Describes what raises an alarm: `Temperature below 2.0 °C or above 8.0 °C`, `Door open`. */
function whenWords(
  { quantity, low, high, signal = null }: Pick<PolicyCondition, 'quantity' | 'low' | 'high' | 'signal'>,
  text: Text,
): string {
  const name = quantityWords(quantity, text);
  if (quantity === 'contact') return name;
  if (signal) return signalWords(quantity, signal, { low, high }, text);
  if (isSwitch(quantity))
    return `${name} ${text(switchLabel(quantity, high === null ? 0 : 1)).toLowerCase()}`;
  const values = {
    name,
    low: low === null ? '' : withUnit(quantity, low),
    high: high === null ? '' : withUnit(quantity, high),
  };
  if (low !== null && high !== null) return text('policies.when.between', values);
  return text(low === null ? 'policies.when.above' : 'policies.when.below', values);
}

/**
 * Describes the condition of an alarm about a signal: `Temperature outside 2.0–8.0 °C for more than 30 min in total
 * within 24 h`.
 */
function signalWords(quantity: Indicator, signal: PolicySignal, { low, high }: Bounds, text: Text): string {
  const figure = (of: Indicator, value: number | null) => (value === null ? '' : withUnit(of, value));
  const bounds = (id: 'range' | 'where', { low: from, high: to }: Bounds, of: Indicator) =>
    text(`policies.signal.words.${id}`, {
      sides: from !== null && to !== null ? 'both' : from === null ? 'high' : 'low',
      low: figure(of, from),
      high: figure(of, to),
    });
  const name = quantityWords(quantity, text);
  const window = 'windowMs' in signal ? formatSetting(signal.windowMs, text) : '';
  switch (signal.type) {
    case 'rate':
      return text('policies.signal.words.rate', {
        sides: low !== null && high !== null ? 'both' : low === null ? 'high' : 'low',
        name,
        window,
        low: low === null ? '' : `${withUnit(quantity, low)}/h`,
        high: high === null ? '' : `${withUnit(quantity, high)}/h`,
      });
    case 'outside-time':
      return text('policies.signal.words.outside-time', {
        name,
        window,
        time: formatSetting((high ?? 0) * MINUTE_MS, text),
        where: bounds('where', signal, quantity),
      });
    case 'outside-count':
      return text('policies.signal.words.outside-count', {
        name,
        window,
        high: high ?? 0,
        where: bounds('where', signal, quantity),
      });
    case 'forecast':
      return text('policies.signal.words.forecast', {
        when: whenWords({ quantity, low, high }, text),
        horizon: formatSetting(signal.horizonMs, text),
      });
    case 'difference':
      return text('policies.signal.words.difference', {
        name,
        high: figure(quantity, high),
        sensor: signal.otherSensor,
      });
    case 'while':
      return text('policies.signal.words.while', {
        when: whenWords({ quantity, low, high }, text),
        other: quantityWords(signal.otherQuantity, text),
        sensor: signal.otherSensor,
        range: bounds('range', signal, signal.otherQuantity),
      });
  }
}

export const delayWords = (ms: number, text: Text): string =>
  ms === 0 ? text('policies.step.at-once') : formatSetting(ms, text);
