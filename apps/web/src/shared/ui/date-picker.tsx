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
 * The date picker of the console. Its values are local times in the reader's time zone, without a zone of
 * their own, whatever the browser's zone is. `toWallClock` and `fromWallClock` convert.
 */
export const DatePicker = generatePicker<Dayjs>({
  ...dayjsConfig,
  getNow: () => toWallClock(Date.now(), pickerZone()),
});

/** The picker's value for a moment (epoch ms or ISO 8601). */
export function toWallClock(moment: number | string, zone: string): Dayjs {
  return dayjs.utc(dayjs(moment).tz(zone).format('YYYY-MM-DDTHH:mm:ss'));
}

/** The moment (epoch ms) of a picked local time in the zone. */
export function fromWallClock(picked: Dayjs, zone: string): number {
  return dayjs.tz(picked.format('YYYY-MM-DDTHH:mm:ss'), zone).valueOf();
}

/**
 * Formats of a picker: the first is displayed, and equals that of `formatTime`; ISO 8601 is accepted in all
 * languages.
 */
export function pickerFormats(shape: 'date' | 'date-time', language: Language): string[] {
  const iso = shape === 'date' ? 'YYYY-MM-DD' : 'YYYY-MM-DD HH:mm';
  if (language.startsWith('zh')) return [iso];
  return [shape === 'date' ? 'D MMM YYYY' : 'D MMM YYYY HH:mm', iso];
}
