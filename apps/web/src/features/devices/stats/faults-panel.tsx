import { DAY_FAULTS, type DeviceStats } from '@isotherm/contracts/device-stats';
import { EN_RULE, integer } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { DayAxis, DayBars, dayWords } from './day-bars.tsx';

/** Panel with the number of devices with problems by day: one row per problem, each with its own scale. */
export function FaultsPanel({ days }: { days: DeviceStats['completeness']['days'] }) {
  const { text, language } = useViewer();
  const last = days.at(-1);
  const wordsOf = ({ day, devices }: (typeof days)[number], count: number | null) =>
    count === null
      ? `${dayWords(language, day)}: ${EN_RULE}`
      : text('stats.fault.on-day', { day: dayWords(language, day), count, devices });
  return (
    <section className="panel stats-panel" aria-label={text('stats.faults')}>
      <h2 className="stats-title">{text('stats.faults')}</h2>
      <p className="small secondary">{last ? text('stats.faults.means') : text('stats.completeness.when')}</p>
      {last ? (
        <div className="stats-faults">
          {DAY_FAULTS.map((fault) => {
            const most = Math.max(1, ...days.map((day) => day[fault] ?? 0));
            return (
              <div key={fault} className="stats-fault">
                <span className="stats-fault-name">{text(`stats.fault.${fault}`)}</span>
                <strong
                  className="number stats-fault-last"
                  title={
                    last[fault] === null
                      ? undefined
                      : text('stats.fault.last', { count: last[fault], devices: last.devices })
                  }
                >
                  {last[fault] === null ? EN_RULE : integer(language, last[fault])}
                </strong>
                <DayBars
                  label={text(`stats.fault.${fault}`)}
                  bars={days.map((day) => ({
                    day: day.day,
                    height: (day[fault] ?? 0) / most,
                    isBad: (day[fault] ?? 0) > 0 && day[fault] === most,
                    words: wordsOf(day, day[fault]),
                  }))}
                />
              </div>
            );
          })}
          <DayAxis days={days} />
        </div>
      ) : null}
    </section>
  );
}
