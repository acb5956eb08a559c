import type { AlarmPolicy } from '@isotherm/contracts/alarm-policies';
import type { getAlarmCourse } from '@isotherm/contracts/alarms';
import type { ResponseOf } from '@isotherm/contracts/route';
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
 * Describes the condition of an alarm with where and when it applies: `Door open, inside Depot, Mon–Fri 08:00–18:00
 * (Europe/Madrid), not on holidays`. `fences` has the names of the geofences.
 */
export function conditionWords(
  condition: Pick<
    PolicyCondition,
    'quantity' | 'low' | 'high' | 'signal' | 'schedule' | 'defrostDelayMs' | 'leg' | 'fence'
  >,
  text: Text,
  fences: AlarmPolicy['fences'] = [],
): string {
  const limits = whenWords(condition, text);
  const { defrostDelayMs = 0 } = condition;
  const delayed =
    defrostDelayMs > 0
      ? text('policies.defrost.words', { when: limits, duration: formatSetting(defrostDelayMs, text) })
      : limits;
  const onLeg = condition.leg ? text(`policies.leg.words.${condition.leg}`, { when: delayed }) : delayed;
  const { fence = null } = condition;
  const name = fences.find(({ id }) => id === fence?.fenceId)?.name ?? `#${fence?.fenceId}`;
  const when = fence ? text(`policies.fence.words.${fence.side}`, { when: onLeg, name }) : onLeg;
  return condition.schedule
    ? text('schedules.condition', { when, schedule: scheduleWords(condition.schedule, text) })
    : when;
}

/** Describes where the rule of an alarm applies: `In transit · Only inside Depot`. */
export function appliesWords(
  { leg, fence }: Pick<NonNullable<ResponseOf<typeof getAlarmCourse>['policy']>, 'leg' | 'fence'>,
  text: Text,
): string {
  const name = fence?.name || text('policies.fence.hidden');
  return [
    ...(leg ? [text(`policies.leg.${leg}`)] : []),
    ...(fence ? [text(`policies.fence.applies.${fence.side}`, { name })] : []),
  ].join(' · ');
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
  if (signal) return furtherWords(signal, signalWords(quantity, signal, { low, high }, text), text);
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

/** Adds the further conditions of a signal to its words: `…, while Door of sensor 1 is closed`. */
function furtherWords(signal: PolicySignal, own: string, text: Text): string {
  const parts = [...(signal.type === 'while' ? [signal] : []), ...(signal.and ?? [])];
  return parts.reduce(
    (when, { otherQuantity, otherSensor, ...range }, i) =>
      text(i === 0 ? 'policies.signal.words.while' : 'policies.signal.words.and', {
        when,
        other: quantityWords(otherQuantity, text),
        sensor: otherSensor,
        range: rangeWords(range, otherQuantity, text),
      }),
    own,
  );
}

/** Describes what another channel must be: `closed`, `at least 4.0 °C`. */
const rangeWords = (range: Bounds, of: Indicator, text: Text): string =>
  isSwitch(of)
    ? text(switchLabel(of, range.high === null ? 1 : 0)).toLowerCase()
    : boundsWords('range', range, of, text);

const figureWords = (of: Indicator, value: number | null) => (value === null ? '' : withUnit(of, value));

function boundsWords(id: 'range' | 'where', { low, high }: Bounds, of: Indicator, text: Text): string {
  return text(`policies.signal.words.${id}`, {
    sides: low !== null && high !== null ? 'both' : low === null ? 'high' : 'low',
    low: figureWords(of, low),
    high: figureWords(of, high),
  });
}

/**
 * Describes the condition of an alarm about a signal, without its further conditions: `Temperature outside 2.0–8.0 °C for more than 30 min in total
 * within 24 h`.
 */
function signalWords(quantity: Indicator, signal: PolicySignal, { low, high }: Bounds, text: Text): string {
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
        where: boundsWords('where', signal, quantity, text),
      });
    case 'outside-count':
      return text('policies.signal.words.outside-count', {
        name,
        window,
        high: high ?? 0,
        where: boundsWords('where', signal, quantity, text),
      });
    case 'forecast':
      return text('policies.signal.words.forecast', {
        when: whenWords({ quantity, low, high }, text),
        horizon: formatSetting(signal.horizonMs, text),
      });
    case 'difference':
      return text('policies.signal.words.difference', {
        name,
        high: figureWords(quantity, high),
        sensor: signal.otherSensor,
      });
    case 'while':
      return whenWords({ quantity, low, high }, text);
  }
}

export const delayWords = (ms: number, text: Text): string =>
  ms === 0 ? text('policies.step.at-once') : formatSetting(ms, text);
