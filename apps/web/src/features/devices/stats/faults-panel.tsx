import { DAY_FAULTS, type DeviceStats } from '@isotherm/contracts/device-stats';
import { integer } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { DayAxis, DayBars, dayWords } from './day-bars.tsx';

/** Devices with problems by day, one row per problem, each with its own scale. */
export function FaultsPanel({ days }: { days: DeviceStats['completeness']['days'] }) {
  const { text, language } = useViewer();
  const last = days.at(-1);
  return (
    <section className="panel stats-panel" aria-label={text('stats.faults')}>
      <h2 className="stats-title">{text('stats.faults')}</h2>
      <p className="small secondary">{last ? text('stats.faults.means') : text('stats.completeness.when')}</p>
      {last ? (
        <div className="stats-faults">
          {DAY_FAULTS.map((fault) => {
            const most = Math.max(1, ...days.map((day) => day[fault]));
            return (
              <div key={fault} className="stats-fault">
                <span className="stats-fault-name">{text(`stats.fault.${fault}`)}</span>
                <strong
                  className="number stats-fault-last"
                  title={text('stats.fault.last', { count: last[fault], devices: last.devices })}
                >
                  {integer(language, last[fault])}
                </strong>
                <DayBars
                  label={text(`stats.fault.${fault}`)}
                  bars={days.map((day) => ({
                    day: day.day,
                    height: day[fault] / most,
                    isBad: day[fault] > 0 && day[fault] === most,
                    words: text('stats.fault.on-day', {
                      day: dayWords(language, day.day),
                      count: day[fault],
                      devices: day.devices,
                    }),
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
