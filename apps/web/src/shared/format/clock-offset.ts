import { formatDuration } from '@isotherm/i18n/figures';
import type { Text } from '../i18n/use-text.ts';

/**
 * Returns `4 min ahead`, `1 d 00 h behind`, or that the clock is right. `offsetMs` is the device time minus
 * the real time.
 */
export function offsetText(offsetMs: number, text: Text): string {
  if (offsetMs === 0) return text('devices.clock.right');
  const duration = formatDuration(Math.abs(offsetMs), text);
  return text(offsetMs > 0 ? 'devices.clock.ahead' : 'devices.clock.behind', { duration });
}
