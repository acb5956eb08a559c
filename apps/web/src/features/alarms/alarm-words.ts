import type { Alarm } from '@isotherm/contracts/alarms';
import type { AcknowledgementField } from '@isotherm/domain/alarms/acknowledgement';
import { isOffset, isSilence } from '@isotherm/domain/alarms/catalogue';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { faultWords } from '@isotherm/i18n/alarm-words';
import type { TextId } from '@isotherm/i18n/text-id';
import { formatSetting } from '../../shared/format/duration.ts';
import { switchLabel } from '../../shared/format/labels.ts';
import { withUnit } from '../../shared/format/number.ts';
import type { Text } from '../../shared/i18n/use-text.ts';

export function alarmFault(alarm: Alarm, text: Text): string {
  if (alarm.subject === 'device' && isSilence(alarm.kind)) return text('alarms.fault.offline');
  return faultWords(alarm.indicator, alarm.kind, text);
}

/** Subject of the alarm: a channel, or a device as a whole. */
export function subjectText(alarm: Alarm, text: Text): string {
  return alarm.subject === 'device'
    ? text('alarms.subject.device', { number: alarm.deviceNumber })
    : alarm.channelName;
}

/** A value in the format of its indicator: a number with its unit, or open and closed. */
export function valueText(alarm: Alarm, value: number | null, text: Text): string | null {
  if (value === null) return null;
  return isSwitch(alarm) ? text(switchLabel(alarm.indicator, value)) : withUnit(alarm.indicator, value);
}

/** The limit without a label. */
export function bareLimitText(alarm: Alarm, text: Text): string {
  return !isSilence(alarm.kind) && alarm.limitValue !== null && !isSwitch(alarm)
    ? withUnit(alarm.indicator, alarm.limitValue)
    : limitText(alarm, text);
}

function isSwitch({ indicator }: Alarm): boolean {
  return INDICATORS[indicator].kind === 'switch';
}

/** `limit 8.0 °C`, or the allowed silence. */
export function limitText(alarm: Alarm, text: Text): string {
  if (isOffset(alarm.kind)) return '';
  if (isSilence(alarm.kind) || alarm.limitValue === null) {
    return text('alarms.no-data-after', { duration: formatSetting(alarm.triggerAfterMs, text) });
  }
  if (isSwitch(alarm)) {
    return text('alarms.lasting-after', { duration: formatSetting(alarm.triggerAfterMs, text) });
  }
  return text('alarms.limit', { limit: withUnit(alarm.indicator, alarm.limitValue) });
}

/** Doors, mains power and silence have no numeric limits. */
export function stateText(alarm: Alarm, text: Text): string {
  const isOutside =
    alarm.state !== 'active' || (!isSilence(alarm.kind) && !isOffset(alarm.kind) && !isSwitch(alarm));
  return text(isOutside ? STATE_LABEL[alarm.state] : 'alarms.state.open');
}

const STATE_LABEL: Record<Alarm['state'], TextId> = {
  active: 'alarms.state.active',
  recovering: 'alarms.state.recovering',
  ended: 'alarms.state.ended',
};

/** Fields of an acknowledgement. */
export const FIELD_LABEL: Readonly<Record<AcknowledgementField, TextId>> = {
  reason: 'alarms.acknowledge.reason',
  cause: 'alarms.acknowledge.cause',
  correctiveAction: 'alarms.acknowledge.corrective-action',
};

/** Address of the alarm's own page. */
export const alarmPath = ({ id }: Pick<Alarm, 'id'>) => `/alarm/${id}`;

/** Address of the chart around this alarm. */
export function curvePath(alarm: Alarm): string {
  return `/asset/${alarm.assetId}?tab=curve&alarm=${alarm.id}&channels=${alarm.channelId}`;
}
