import { formatDuration } from '@isotherm/i18n/figures';
import type { Text } from '../i18n/use-text.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Formats a configured duration: `5 min`, `1 h`, `30 s`. */
export function formatSetting(ms: number, text: Text): string {
  if (ms % HOUR === 0 && ms > 0) return text('common.duration.hours', { hours: ms / HOUR });
  if (ms % MINUTE === 0 && ms > 0) return text('common.duration.minutes', { minutes: ms / MINUTE });
  return text('common.duration.seconds', { seconds: Math.round(ms / 1000) });
}

/** Formats an age: `12 s ago`. */
export function formatAge(ms: number, text: Text): string {
  return text('common.age', { duration: formatDuration(ms, text) });
}
