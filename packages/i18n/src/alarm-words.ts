import type { AlarmReason } from '@isotherm/domain/alarms/acknowledgement';
import {
  type ALARM_END_REASONS,
  type AlarmKind,
  comparedUnit,
  isFailure,
  isOffset,
  isSilence,
} from '@isotherm/domain/alarms/catalogue';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import { fixed } from './figures.ts';
import type { Language } from './languages.ts';
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
export function faultWords(indicator: Indicator, kind: AlarmKind, text: Text): string {
  if (isSilence(kind)) return text('alarms.fault.no-data');
  if (isOffset(kind)) return text('alarms.fault.clock');
  if (isFailure(kind)) return text('alarms.fault.backup');
  const known = FAULTS[`${indicator} ${kind}`];
  if (known) return text(known);
  return text(`alarms.fault.${kind}`, { indicator: text(`common.indicator.${indicator}`) });
}

const SWITCH_LABEL: Partial<Record<Indicator, readonly [TextId, TextId]>> = {
  door: ['common.switch.door-closed', 'common.switch.door-open'],
  power: ['common.switch.power-off', 'common.switch.power-on'],
  defrost: ['common.switch.defrost-off', 'common.switch.defrost-on'],
  button: ['common.switch.button-off', 'common.switch.button-on'],
};

/** Text id of the state of a switch, such as `open`. */
export function switchLabel(indicator: Indicator, value: number): TextId {
  return SWITCH_LABEL[indicator]?.[value >= 0.5 ? 1 : 0] ?? 'common.value.none';
}

/** A value, a peak or a limit of an alarm, as its kind counts: `9.2 °C`, `12.0 °C/h`, `35 min`, `3 times`. */
export function comparedWords(
  indicator: Indicator,
  kind: AlarmKind,
  value: number,
  language: Language,
  text: Text,
): string {
  const { precision, unit } = INDICATORS[indicator];
  switch (comparedUnit(kind)) {
    case 'per-hour':
      return `${fixed(value, precision, language)} ${unit}/h`;
    case 'minutes':
      return text('alarms.figure.minutes', { count: Math.round(value) });
    case 'times':
      return text('alarms.figure.times', { count: value });
    case 'value':
      return `${fixed(value, precision, language)} ${unit}`.trim();
  }
}

/** Text ids of the reasons why an alarm ended. */
export const END_WORDS: Readonly<Record<(typeof ALARM_END_REASONS)[number], TextId>> = {
  recovered: 'alarms.end.recovered',
  'data-returned': 'alarms.end.data-returned',
  'clock-corrected': 'alarms.end.clock-corrected',
  'backup-made': 'alarms.end.backup-made',
  'late-readings': 'alarms.end.late-readings',
  'rule-changed': 'alarms.end.rule-changed',
  'rule-edited': 'alarms.end.rule-edited',
  'rule-deleted': 'alarms.end.rule-deleted',
  'policy-disabled': 'alarms.end.policy-disabled',
  'device-removed': 'alarms.end.device-removed',
  'data-timeout': 'alarms.end.data-timeout',
  'subscription-expired': 'alarms.end.subscription-expired',
  manual: 'alarms.end.manual',
};

/** Text ids of the reasons that a person can select when acknowledging an alarm. */
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
