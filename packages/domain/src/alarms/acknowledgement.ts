import type { AlarmLevel } from './alarm-level.ts';

/** Reasons of an alarm from which a person chooses when acknowledging it. */
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

/** Fields of an acknowledgement. */
export const ACKNOWLEDGEMENT_FIELDS = ['reason', 'cause', 'correctiveAction'] as const;
export type AcknowledgementField = (typeof ACKNOWLEDGEMENT_FIELDS)[number];

/** The fields that a policy requires in an acknowledgement, for alarms that reached a given level. */
export interface AcknowledgementRule {
  required: readonly AcknowledgementField[];
  fromLevel: AlarmLevel;
}

/** Required fields for alarms without a policy, and for policies that do not specify them. */
export const DEFAULT_ACKNOWLEDGEMENT: AcknowledgementRule = { required: ['reason'], fromLevel: 1 };

/** Fields that an acknowledgement must have, in the order of the form. */
export function requiredFields(
  rule: AcknowledgementRule | null | undefined,
  peakLevel: AlarmLevel,
): AcknowledgementField[] {
  const { required, fromLevel } = rule ?? DEFAULT_ACKNOWLEDGEMENT;
  return peakLevel >= fromLevel ? ACKNOWLEDGEMENT_FIELDS.filter((field) => required.includes(field)) : [];
}
