import type { Alarm } from '@isotherm/contracts/alarms';
import type { AcknowledgementField } from '@isotherm/domain/alarms/acknowledgement';
import { ALARM_CATALOGUE, isAboutSwitch, isOfRule, isSilence } from '@isotherm/domain/alarms/catalogue';
import { comparedWords, faultWords, switchLabel } from '@isotherm/i18n/alarm-words';
import type { TextId } from '@isotherm/i18n/text-id';
import { formatSetting } from '../../shared/format/duration.ts';
import { currentLanguage } from '../../shared/i18n/language.ts';
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

/** A value in the format of its indicator: a number with its unit, or a state such as open or closed. */
export function valueText(alarm: Alarm, value: number | null, text: Text): string | null {
  if (value === null) return null;
  return isAboutSwitch(alarm) ? text(switchLabel(alarm.indicator, value)) : compared(alarm, value, text);
}

/** The limit as text, without a label. */
export function bareLimitText(alarm: Alarm, text: Text): string {
  return !isSilence(alarm.kind) && alarm.limitValue !== null && !isAboutSwitch(alarm)
    ? compared(alarm, alarm.limitValue, text)
    : limitText(alarm, text);
}

const compared = ({ indicator, kind }: Alarm, value: number, text: Text) =>
  comparedWords(indicator, kind, value, currentLanguage(), text);

/** The limit with a label, such as `limit 8.0 °C`, or the allowed time without data. */
export function limitText(alarm: Alarm, text: Text): string {
  if (!isOfRule(alarm.kind)) return '';
  if (isSilence(alarm.kind) || alarm.limitValue === null) {
    return text('alarms.no-data-after', { duration: formatSetting(alarm.triggerAfterMs, text) });
  }
  if (isAboutSwitch(alarm)) {
    return text('alarms.lasting-after', { duration: formatSetting(alarm.triggerAfterMs, text) });
  }
  return text('alarms.limit', { limit: compared(alarm, alarm.limitValue, text) });
}

/**
 * The state of an alarm as text. Alarms about switches, missing data, clocks and backups have no numeric limits,
 * so their state is not described as outside the limits.
 */
export function stateText(alarm: Alarm, text: Text): string {
  const isMeasured = ALARM_CATALOGUE[alarm.kind].hasLimit && !isAboutSwitch(alarm);
  const isOutside = alarm.state !== 'active' || isMeasured;
  return text(isOutside ? STATE_LABEL[alarm.state] : 'alarms.state.open');
}

const STATE_LABEL: Record<Alarm['state'], TextId> = {
  active: 'alarms.state.active',
  recovering: 'alarms.state.recovering',
  ended: 'alarms.state.ended',
};

/** Labels of the fields of an acknowledgement. */
export const FIELD_LABEL: Readonly<Record<AcknowledgementField, TextId>> = {
  reason: 'alarms.acknowledge.reason',
  cause: 'alarms.acknowledge.cause',
  correctiveAction: 'alarms.acknowledge.corrective-action',
};

/** Path of the page of an alarm. */
export const alarmPath = ({ id }: Pick<Alarm, 'id'>) => `/alarm/${id}`;

/** Address of the chart for the time around this alarm, below the page of the asset. */
export function curveQuery(alarm: Alarm): string {
  return `?tab=curve&alarm=${alarm.id}&channels=${alarm.channelId}`;
}
