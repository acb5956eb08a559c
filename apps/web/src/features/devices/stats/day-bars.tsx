import type { Language } from '@isotherm/i18n/languages';
import { formatTime } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';

/** Formats a day as `16 Nov` in the user's language. Days are UTC days. */
export function dayWords(language: Language, day: string): string {
  return formatTime(`${day}T00:00:00Z`, 'day', language, 'UTC');
}

export interface DayBar {
  day: string;
  /** Fraction of the full height, from 0 to 1. */
  height: number;
  isBad: boolean;
  words: string;
}

/** Bar chart with one bar per day. The number of a bar is in its tooltip and available to screen readers. */
export function DayBars({
  label,
  bars,
  hanging = false,
}: {
  label: string;
  bars: readonly DayBar[];
  /** True if bars hang from the top, for missing parts. */
  hanging?: boolean;
}) {
  return (
    <ol className={hanging ? 'day-bars day-bars-hanging' : 'day-bars'} aria-label={label}>
      {bars.map(({ day, height, isBad, words }) => (
        <li key={day} title={words}>
          <span className="visually-hidden">{words}</span>
          {height > 0 ? (
            <span
              className={isBad ? 'day-bar day-bar-bad' : 'day-bar'}
              style={{ height: `${height * 100}%` }}
              aria-hidden="true"
            />
          ) : null}
        </li>
      ))}
    </ol>
  );
}

/** Axis below the bars, with the first and the last day. */
export function DayAxis({ days }: { days: readonly { day: string }[] }) {
  const { language } = useViewer();
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return null;
  return (
    <div className="day-axis small tertiary" aria-hidden="true">
      <span>{dayWords(language, first.day)}</span>
      {days.length > 1 ? <span>{dayWords(language, last.day)}</span> : null}
    </div>
  );
}
