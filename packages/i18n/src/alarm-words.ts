import type { AlarmReason } from '@isotherm/domain/alarms/acknowledgement';
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

/** Faults with a name of their own: a temperature is too warm, a door is open. */
const FAULTS: Readonly<Record<string, TextId>> = {
  'temperature high': 'alarms.fault.too-warm',
  'temperature low': 'alarms.fault.too-cold',
  'humidity high': 'alarms.fault.too-humid',
  'humidity low': 'alarms.fault.too-dry',
  'battery low': 'alarms.fault.battery-low',
  'power low': 'alarms.fault.power-off',
  'door high': 'alarms.fault.door-open',
};

/** What is wrong, in standard terms, for screens and spreadsheets. */
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

/** Why an alarm ended. */
export const END_WORDS: Readonly<Record<(typeof ALARM_END_REASONS)[number], TextId>> = {
  recovered: 'alarms.end.recovered',
  'data-returned': 'alarms.end.data-returned',
  'clock-corrected': 'alarms.end.clock-corrected',
  'late-readings': 'alarms.end.late-readings',
  'rule-changed': 'alarms.end.rule-changed',
  'rule-edited': 'alarms.end.rule-edited',
  'rule-deleted': 'alarms.end.rule-deleted',
  'policy-disabled': 'alarms.end.policy-disabled',
  'device-removed': 'alarms.end.device-removed',
  'data-timeout': 'alarms.end.data-timeout',
  manual: 'alarms.end.manual',
};

/** Why an alarm occurred, as chosen by whoever acknowledged it. */
export const REASON_WORDS: Readonly<Record<AlarmReason, TextId>> = {
  'door-open': 'alarms.reason.door-open',
  loading: 'alarms.reason.loading',
  defrost: 'alarms.reason.defrost',
  'power-failure': 'alarms.reason.power-failure',
  'equipment-fault': 'alarms.reason.equipment-fault',
  'sensor-fault': 'alarms.reason.sensor-fault',
  'connection-lost': 'alarms.reason.connection-lost',
  maintenance: 'alarms.reason.maintenance',
  test: 'alarms.reason.test',
  other: 'alarms.reason.other',
};
