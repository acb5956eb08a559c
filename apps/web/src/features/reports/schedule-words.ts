import type { ReportSchedule, RunState } from '@isotherm/contracts/report-schedules';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Viewer } from '../../shared/format/viewer.tsx';

export const RUN_STATE_TEXT: Record<RunState, TextId> = {
  waiting: 'reports.run.state.waiting',
  running: 'reports.run.state.running',
  sent: 'reports.run.state.sent',
  failed: 'reports.run.state.failed',
};

/** Name of a weekday; 1 is Monday. */
export function weekdayName(day: number, language: string): string {
  // 1 January 2024 was a Monday.
  return new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' }).format(
    Date.UTC(2024, 0, day),
  );
}

/** When a report is made, in words. */
export function whenWords(
  { interval, weekday, monthDay, at, timeZone: zone }: ReportSchedule,
  { text, language }: Pick<Viewer, 'text' | 'language'>,
): string {
  if (interval === 'day') return text('reports.schedule.when.day', { at, zone });
  return interval === 'week'
    ? text('reports.schedule.when.week', { weekday: weekdayName(weekday, language), at, zone })
    : text('reports.schedule.when.month', { day: monthDay, at, zone });
}

/** Names of the assets of a report: the first ones, and how many more. */
export function assetWords({ assetNames, assets }: ReportSchedule, text: Viewer['text']): string {
  const names = assetNames.join(', ');
  const count = assets.length - assetNames.length;
  return count > 0 ? text('reports.schedule.assets.more', { names, count }) : names;
}

/** Why a schedule is paused; null if it is not. */
export function pauseWords(
  { enabled, pauseReason }: Pick<ReportSchedule, 'enabled' | 'pauseReason'>,
  text: Viewer['text'],
): string | null {
  if (enabled) return null;
  return text(pauseReason ? `reports.schedule.paused.${pauseReason}` : 'reports.schedule.paused');
}
