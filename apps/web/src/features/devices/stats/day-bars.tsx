import type { Language } from '@isotherm/i18n/languages';
import { formatTime } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';

/** `16 Nov` in the reader's language; days are UTC days. */
export function dayWords(language: Language, day: string): string {
  return formatTime(`${day}T00:00:00Z`, 'day', language, 'UTC');
}

export interface DayBar {
  day: string;
  /** 0 to 1: fraction of the height. */
  height: number;
  isBad: boolean;
  words: string;
}

/** One bar per day; its number is in a tooltip and for screen readers. */
export function DayBars({
  label,
  bars,
  hanging = false,
}: {
  label: string;
  bars: readonly DayBar[];
  /** Hanging from the top, for missing parts. */
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

/** First and last day below the bars. */
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
