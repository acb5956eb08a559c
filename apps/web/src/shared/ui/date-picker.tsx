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
 * The date picker of the console. Its values are local times in the user's time zone and contain no zone
 * themselves; the zone of the browser has no effect. `toWallClock` and `fromWallClock` convert them.
 */
export const DatePicker = generatePicker<Dayjs>({
  ...dayjsConfig,
  getNow: () => toWallClock(Date.now(), pickerZone()),
});

/** Converts a time (epoch ms or ISO 8601) to a value of the picker. */
export function toWallClock(moment: number | string, zone: string): Dayjs {
  return dayjs.utc(dayjs(moment).tz(zone).format('YYYY-MM-DDTHH:mm:ss'));
}

/** Converts a picked local time in the zone to epoch ms. */
export function fromWallClock(picked: Dayjs, zone: string): number {
  return dayjs.tz(picked.format('YYYY-MM-DDTHH:mm:ss'), zone).valueOf();
}

/**
 * Returns the formats of a picker. The first one is displayed and equals that of `formatTime`; ISO 8601 is
 * accepted in all languages.
 */
export function pickerFormats(shape: 'date' | 'date-time', language: Language): string[] {
  const iso = shape === 'date' ? 'YYYY-MM-DD' : 'YYYY-MM-DD HH:mm';
  if (language.startsWith('zh')) return [iso];
  return [shape === 'date' ? 'D MMM YYYY' : 'D MMM YYYY HH:mm', iso];
}
