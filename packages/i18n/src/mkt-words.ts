import { celsius, fixed, shareWords } from './figures.ts';
import type { Language } from './languages.ts';
import type { TextId } from './text-id.ts';

type Text = (id: TextId, values?: Record<string, string | number>) => string;

/** The window with the highest mean kinetic temperature. Times are epoch ms. */
interface MktWindow {
  windowMs: number;
  value: number;
  from: number;
  to: number;
  readings: number;
  coverage: number;
}

interface Judged {
  readings: number;
  meanKinetic: number | null;
  mktWindow: MktWindow | null;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Formats the length of a window: `24 h`, `30 d`. */
export const windowWords = (windowMs: number, text: Text): string =>
  windowMs > DAY_MS
    ? text('waybills.mkt.days', { days: windowMs / DAY_MS })
    : text('common.duration.hours', { hours: windowMs / HOUR_MS });

/**
 * Returns a sentence for each of: the mean kinetic temperature of the trip, that of its worst window, and what went into them. None
 * without readings.
 */
export function mktWords(
  { readings, meanKinetic, mktWindow }: Judged,
  activationKj: number,
  {
    text,
    language,
    period,
  }: { text: Text; language: Language; period: (from: number, to: number) => string },
): string[] {
  if (meanKinetic === null) return [];
  const degrees = (value: number) => celsius(value, language, 2);
  return [
    text('waybills.mkt.whole', { value: degrees(meanKinetic), count: readings }),
    mktWindow === null
      ? text('waybills.mkt.none')
      : mktWindow.to - mktWindow.from < mktWindow.windowMs
        ? text('waybills.mkt.short', { window: windowWords(mktWindow.windowMs, text) })
        : text('waybills.mkt.window', {
            window: windowWords(mktWindow.windowMs, text),
            value: degrees(mktWindow.value),
            period: period(mktWindow.from, mktWindow.to),
            count: mktWindow.readings,
            share: shareWords(mktWindow.coverage),
          }),
    text('waybills.mkt.inputs', { value: fixed(activationKj, 3, language) }),
  ];
}
