import type { Suppression } from '@isotherm/contracts/suppressions';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { serverNow } from '../../../shared/api/clock.ts';
import type { Viewer } from '../../../shared/format/viewer.tsx';
import type { Text } from '../../../shared/i18n/use-text.ts';

/** Time of day, with the date if the time is not today. */
export function shortTime(moment: string, { time }: Pick<Viewer, 'time'>): string {
  const isToday = time(moment, 'date') === time(serverNow(), 'date');
  return time(moment, isToday ? 'time' : 'day-time');
}

export function levelText(level: AlarmLevel, text: Text): string {
  return level === 5 ? text('suppressions.level.all') : text('suppressions.level.up-to', { level });
}

/** State of a window; a window that was ended early or cancelled is marked. */
export function stateWords({ state, from, endedAt }: Suppression, text: Text): string {
  if (endedAt === null) return text(`suppressions.state.${state}`);
  return text(Date.parse(endedAt) < Date.parse(from) ? 'suppressions.cancelled' : 'suppressions.ended-early');
}

/** When a window ends, or ended. */
export const endOf = ({ until, endedAt }: Pick<Suppression, 'until' | 'endedAt'>): string => endedAt ?? until;
