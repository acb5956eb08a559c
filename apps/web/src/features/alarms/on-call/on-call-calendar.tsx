import './on-call.css';
import type { NamedPerson } from '@isotherm/contracts/recipient-groups';
import type { Cover } from '@isotherm/domain/alarms/on-call';
import { personKey } from '@isotherm/domain/alarms/person';
import { formatDuration } from '@isotherm/i18n/figures';
import { formatTime } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { personName } from '../people-field.tsx';

/** Number of colours for people. */
const TONES = 4;

/** Calendar of some weeks: a row for each week, with a block for each span of cover and for each gap. */
export function OnCallCalendar({
  weeks,
  cover,
  people,
  zone,
  now,
}: {
  /** Starts of the days of each week, and its end (`weeksOf`). */
  weeks: readonly (readonly number[])[];
  cover: readonly Cover[];
  people: readonly NamedPerson[];
  zone: string;
  now: number;
}) {
  const { text, language } = useViewer();
  const known = new Map(people.map((person, at) => [personKey(person), { person, at }]));
  return (
    <div className="oncall-weeks">
      {weeks.map((days) => {
        const [start = 0, end = 0] = [days[0], days.at(-1)];
        const share = (at: number) => ((Math.min(Math.max(at, start), end) - start) / (end - start)) * 100;
        return (
          <div key={start} className="oncall-week">
            <div className="oncall-days">
              {days.slice(0, -1).map((day, at) => (
                <span
                  key={day}
                  className={
                    day <= now && now < (days[at + 1] ?? 0) ? 'oncall-day oncall-today' : 'oncall-day'
                  }
                >
                  <span className="oncall-weekday">{weekdayOf(day, language, zone)} </span>
                  {formatTime(day, 'day', language, zone)}
                </span>
              ))}
            </div>
            <ul className="oncall-track">
              {cover
                .filter(({ from, until }) => from < end && until > start)
                .map((span) => {
                  const found = span.person ? known.get(personKey(span.person)) : undefined;
                  const name = found ? personName(found.person) : text('on-call.nobody');
                  const [from, until] = [span.from, span.until].map((at) =>
                    formatTime(at, 'day-time', language, zone),
                  );
                  const tone = found ? `oncall-tone-${found.at % TONES}` : 'oncall-gap';
                  return (
                    <li
                      key={span.from}
                      className={`oncall-span ${tone}`}
                      style={{
                        left: `${share(span.from)}%`,
                        width: `${share(span.until) - share(span.from)}%`,
                      }}
                      title={`${name}: ${from} – ${until}`}
                    >
                      <span className="oncall-name">
                        {span.person ? name : formatDuration(span.until - span.from, text)}
                      </span>
                      <span className="oncall-source">
                        {span.person
                          ? span.source === 'override'
                            ? text('on-call.override')
                            : text('on-call.until-time', { time: until ?? '' })
                          : name}
                      </span>
                    </li>
                  );
                })}
              {start <= now && now < end ? (
                <li className="oncall-now" style={{ left: `${share(now)}%` }} aria-hidden="true" />
              ) : null}
            </ul>
          </div>
        );
      })}
    </div>
  );
}

const weekdayOf = (day: number, language: string, timeZone: string) =>
  new Intl.DateTimeFormat(language, { weekday: 'short', timeZone }).format(day);
