import type { Text } from '../i18n/use-text.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `40 s`, `42 min`, `2 h 05 min`, `3 d 4 h`: two units at most, nothing below what matters. */
export function formatDuration(ms: number, text: Text): string {
  const size = Math.max(0, ms);
  if (size < MINUTE) return text('common.duration.seconds', { seconds: Math.floor(size / 1000) });
  if (size < HOUR) return text('common.duration.minutes', { minutes: Math.floor(size / MINUTE) });
  if (size < DAY) {
    const minutes = Math.floor((size % HOUR) / MINUTE);
    return text('common.duration.hours-minutes', {
      hours: Math.floor(size / HOUR),
      minutes: String(minutes).padStart(2, '0'),
    });
  }
  return text('common.duration.days-hours', {
    days: Math.floor(size / DAY),
    hours: Math.floor((size % DAY) / HOUR),
  });
}

/** A length that is set and not measured: `5 min`, `1 h`, `30 s`. */
export function formatSetting(ms: number, text: Text): string {
  if (ms % HOUR === 0 && ms > 0) return text('common.duration.hours', { hours: ms / HOUR });
  if (ms % MINUTE === 0 && ms > 0) return text('common.duration.minutes', { minutes: ms / MINUTE });
  return text('common.duration.seconds', { seconds: Math.round(ms / 1000) });
}

/** `12 s ago` */
export function formatAge(ms: number, text: Text): string {
  return text('common.age', { duration: formatDuration(ms, text) });
}
