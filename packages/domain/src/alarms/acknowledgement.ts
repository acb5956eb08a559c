import type { AlarmLevel } from './alarm-level.ts';

/** Why an alarm occurred, as chosen by whoever acknowledges it. */
export const ALARM_REASONS = [
  'door-open',
  'loading',
  'defrost',
  'power-failure',
  'equipment-fault',
  'sensor-fault',
  'connection-lost',
  'maintenance',
  'test',
  'other',
] as const;
export type AlarmReason = (typeof ALARM_REASONS)[number];

/** What an acknowledgement can say. */
export const ACKNOWLEDGEMENT_FIELDS = ['reason', 'cause', 'correctiveAction'] as const;
export type AcknowledgementField = (typeof ACKNOWLEDGEMENT_FIELDS)[number];

/** What a policy requires of acknowledgements of alarms that reached a level. */
export interface AcknowledgementRule {
  required: readonly AcknowledgementField[];
  fromLevel: AlarmLevel;
}

/** Applies to alarms without a policy, and to policies that do not say. */
export const DEFAULT_ACKNOWLEDGEMENT: AcknowledgementRule = { required: ['reason'], fromLevel: 1 };

/** Fields that an acknowledgement must have, in the order of the form. */
export function requiredFields(
  rule: AcknowledgementRule | null | undefined,
  peakLevel: AlarmLevel,
): AcknowledgementField[] {
  const { required, fromLevel } = rule ?? DEFAULT_ACKNOWLEDGEMENT;
  return peakLevel >= fromLevel ? ACKNOWLEDGEMENT_FIELDS.filter((field) => required.includes(field)) : [];
}
