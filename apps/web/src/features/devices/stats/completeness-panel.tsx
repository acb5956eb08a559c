import type { DeviceStats } from '@isotherm/contracts/device-stats';
import { COMPLETE_SHARE } from '@isotherm/domain/devices/attention';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { Notice } from '../../../shared/ui/notice.tsx';
import { DeviceFigures } from './device-figures.tsx';
import { shareWords } from './stats-words.tsx';

/** Readings that came of those that were due: day by day, and who brought least. */
export function Completeness({ completeness }: { completeness: DeviceStats['completeness'] }) {
  const { text, language } = useViewer();
  const { received, due, days, worst } = completeness;
  return (
    <section className="panel stats-panel stats-wide" aria-label={text('stats.completeness')}>
      <h2 className="stats-title">{text('stats.completeness')}</h2>
      {due === 0 ? (
        <Notice icon="curve" title={text('stats.completeness.none')}>
          {text('stats.completeness.when')}
        </Notice>
      ) : (
        <>
          <p>
            <strong className="stats-share">{shareWords(language, received, due)}</strong>{' '}
            <span className="secondary">{text('stats.completeness.means')}</span>
          </p>
          <ol className="stats-days">
            {days.map((day) => {
              const share = day.due === 0 ? null : day.received / day.due;
              const words = share === null ? EN_RULE : shareWords(language, day.received, day.due);
              return (
                <li key={day.day} title={`${day.day} · ${words}`}>
                  <span className="visually-hidden">{`${day.day}: ${words}`}</span>
                  <span className="stats-column" aria-hidden="true">
                    <span
                      className={share !== null && share < COMPLETE_SHARE ? 'stats-short' : ''}
                      style={{ height: `${(share ?? 0) * 100}%` }}
                    />
                  </span>
                  <span className="small tertiary" aria-hidden="true">
                    {day.day.slice(5)}
                  </span>
                </li>
              );
            })}
          </ol>
          {worst.length > 0 ? (
            <>
              <h3 className="stats-title">{text('stats.worst')}</h3>
              <DeviceFigures
                label={text('stats.worst')}
                columns={[text('stats.missing'), text('stats.completeness')]}
                devices={worst}
                figures={(device) => [
                  Math.round(device.due - device.received),
                  shareWords(language, device.received, device.due),
                ]}
              />
            </>
          ) : null}
        </>
      )}
    </section>
  );
}
