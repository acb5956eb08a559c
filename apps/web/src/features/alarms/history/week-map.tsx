import { Link } from 'react-router';
import { integer } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { HOURS, hourText, weekdayText } from './history-words.ts';

/** Number of shades of a cell; shade 0 is a cell without alarms. */
const SHADES = 5;
/** Every so many hours have a label. */
const LABEL_EACH = 3;

/** Number of alarms by weekday and hour, as a table whose cells are darker the more alarms they count. */
export function WeekMap({
  hours,
  addressOf,
}: {
  hours: readonly (readonly number[])[];
  addressOf: (filter: Readonly<Record<string, string>>) => string;
}) {
  const { text, language } = useViewer();
  const most = Math.max(1, ...hours.flat());
  const title = text('alarms.analysis.week-map');
  return (
    <section className="panel analysis-panel analysis-week" aria-label={title}>
      <div className="analysis-head">
        <h2>{title}</h2>
        <span className="small tertiary">{text('alarms.analysis.week-map.hint')}</span>
      </div>
      <div className="week-map-scroll">
        <table className="week-map">
          <tbody>
            {hours.map((ofDay, day) => {
              const weekday = day + 1;
              return (
                <tr key={weekday}>
                  <th scope="row">{weekdayText(weekday, language, 'short')}</th>
                  {ofDay.map((count, hour) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: the index is the hour.
                    <td key={hour} className={`week-shade-${Math.ceil((count / most) * SHADES)}`}>
                      {count > 0 ? (
                        <Link
                          to={addressOf({ weekday: String(weekday), hour: String(hour) })}
                          aria-label={text('alarms.analysis.cell', {
                            weekday: weekdayText(weekday, language, 'long'),
                            hour: hourText(hour),
                            count,
                          })}
                        >
                          {integer(language, count)}
                        </Link>
                      ) : null}
                    </td>
                  ))}
                  <td className="week-total number strong">
                    {integer(
                      language,
                      ofDay.reduce((sum, count) => sum + count, 0),
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
          <tfoot>
            <tr>
              <td />
              {HOURS.filter((hour) => hour % LABEL_EACH === 0).map((hour) => (
                <th key={hour} scope="col" colSpan={LABEL_EACH}>
                  {hourText(hour)}
                </th>
              ))}
              <td />
            </tr>
          </tfoot>
        </table>
      </div>
    </section>
  );
}
