import {
  type ALARM_END_REASONS,
  type ALARM_KINDS,
  isOffset,
  isSilence,
  isUpper,
} from '@isotherm/domain/alarms/catalogue';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { TextId } from './text-id.ts';

type Text = (id: TextId, values?: Record<string, string | number>) => string;

/**
 * Text ids of alarm causes that have their own text, such as a temperature that is too warm or an open door.
 */
const FAULTS: Readonly<Record<string, TextId>> = {
  'temperature high': 'alarms.fault.too-warm',
  'temperature low': 'alarms.fault.too-cold',
  'humidity high': 'alarms.fault.too-humid',
  'humidity low': 'alarms.fault.too-dry',
  'battery low': 'alarms.fault.battery-low',
  'power low': 'alarms.fault.power-off',
  'door high': 'alarms.fault.door-open',
};

/** Returns the cause of an alarm in standard terms, for screens and spreadsheets. */
export function faultWords(indicator: Indicator, kind: (typeof ALARM_KINDS)[number], text: Text): string {
  if (isSilence(kind)) return text('alarms.fault.no-data');
  if (isOffset(kind)) return text('alarms.fault.clock');
  const known = FAULTS[`${indicator} ${kind}`];
  if (known) return text(known);
  const name = text(`common.indicator.${indicator}`);
  return isUpper(kind)
    ? text('alarms.fault.high', { indicator: name })
    : text('alarms.fault.low', { indicator: name });
}

/** Text ids of the reasons why an alarm ended. */
export const END_WORDS: Readonly<Record<(typeof ALARM_END_REASONS)[number], TextId>> = {
  recovered: 'alarms.end.recovered',
  'data-returned': 'alarms.end.data-returned',
  'clock-corrected': 'alarms.end.clock-corrected',
  'late-readings': 'alarms.end.late-readings',
  'rule-changed': 'alarms.end.rule-changed',
  'rule-edited': 'alarms.end.rule-changed',
  'rule-deleted': 'alarms.end.rule-deleted',
  'policy-disabled': 'alarms.end.policy-disabled',
  'device-removed': 'alarms.end.device-removed',
  manual: 'alarms.end.manual',
};
