import type { Language } from '@isotherm/i18n/languages';
import dayjsConfig from '@rc-component/picker/generate/dayjs';
import generatePicker from 'antd/es/date-picker/generatePicker';
import dayjs, { type Dayjs } from 'dayjs';
import timezone from 'dayjs/plugin/timezone';
import utc from 'dayjs/plugin/utc';
import { pickerZone } from '../format/picker-zone.ts';

dayjs.extend(utc);
dayjs.extend(timezone);

/**
 * The one date picker. Its values are wall-clock times: what the clocks of the reader's time zone show, without a
 * zone of their own, whatever the zone of the browser is. `toWallClock` and `fromWallClock` convert.
 */
export const DatePicker = generatePicker<Dayjs>({
  ...dayjsConfig,
  getNow: () => toWallClock(Date.now(), pickerZone()),
});

/** The picker's value for a moment (epoch ms or ISO 8601). */
export function toWallClock(moment: number | string, zone: string): Dayjs {
  return dayjs.utc(dayjs(moment).tz(zone).format('YYYY-MM-DDTHH:mm:ss'));
}

/** The moment (epoch ms) at which the clocks of the zone show what was picked. */
export function fromWallClock(picked: Dayjs, zone: string): number {
  return dayjs.tz(picked.format('YYYY-MM-DDTHH:mm:ss'), zone).valueOf();
}

/**
 * Formats of a picker: the first one is shown, and equals that of `formatTime`; ISO 8601 is understood everywhere.
 */
export function pickerFormats(shape: 'date' | 'date-time', language: Language): string[] {
  const iso = shape === 'date' ? 'YYYY-MM-DD' : 'YYYY-MM-DD HH:mm';
  if (language.startsWith('zh')) return [iso];
  return [shape === 'date' ? 'D MMM YYYY' : 'D MMM YYYY HH:mm', iso];
}
