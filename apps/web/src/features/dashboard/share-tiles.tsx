import type { Dashboard } from '@isotherm/contracts/dashboard';
import { useViewer } from '../../shared/format/viewer.tsx';
import { dayWords, shareWords } from './dashboard-words.ts';
import { Tile } from './tile.tsx';

/** A day with a smaller share within limits than this is marked. */
const GOOD_SHARE = 0.995;
/** A day with a smaller share of its readings than this is marked. */
const COMPLETE_SHARE = 0.95;

export function LimitTimeTile({ limitTime, days }: { limitTime: Dashboard['limitTime']; days: number }) {
  const { text, language } = useViewer();
  const lowest = Math.min(0.99, ...(limitTime?.days ?? []).map(({ share }) => share));
  const [first, last] = [limitTime?.days[0], limitTime?.days.at(-1)];
  return (
    <Tile
      name="limit-time"
      note={text('dashboard.days', { count: days })}
      link={{ to: '/alarm/graded', words: text('dashboard.analysis') }}
    >
      {limitTime === null ? (
        <p className="dashboard-none">{text('dashboard.calm.none')}</p>
      ) : (
        <>
          <p>
            <span className="dashboard-figure number">{shareWords(language, limitTime.share)}</span>{' '}
            <span className="small tertiary">
              {limitTime.before === null
                ? ''
                : text('dashboard.before', { share: shareWords(language, limitTime.before), count: days })}
            </span>
          </p>
          <ol className="dashboard-hanging" aria-label={text('dashboard.tile.limit-time')}>
            {limitTime.days.map(({ day, share }) => {
              const words = `${dayWords(language, day)}: ${shareWords(language, share)}`;
              return (
                <li key={day} title={words}>
                  <span className="visually-hidden">{words}</span>
                  <span
                    className={share < GOOD_SHARE ? 'dashboard-bar dashboard-bar-bad' : 'dashboard-bar'}
                    style={{ height: `${Math.max(4, (100 * (1 - share)) / (1 - lowest))}%` }}
                    aria-hidden="true"
                  />
                </li>
              );
            })}
          </ol>
          {first && last ? (
            <div className="dashboard-axis small tertiary" aria-hidden="true">
              <span>{dayWords(language, first.day)}</span>
              <span>{text('dashboard.down-to', { share: shareWords(language, lowest, 1) })}</span>
              <span>{dayWords(language, last.day)}</span>
            </div>
          ) : null}
        </>
      )}
    </Tile>
  );
}

export function CompletenessTile({ completeness }: { completeness: NonNullable<Dashboard['completeness']> }) {
  const { text, language } = useViewer();
  const { received, due, organizations } = completeness;
  return (
    <Tile name="completeness" link={{ to: '/device/stats', words: text('dashboard.statistics') }}>
      {due === 0 ? (
        <p className="dashboard-none">{text('dashboard.completeness.none')}</p>
      ) : (
        <>
          <p>
            <span className="dashboard-figure number">
              {shareWords(language, Math.min(1, received / due), 1)}
            </span>{' '}
            <span className="small tertiary">{text('dashboard.completeness.note')}</span>
          </p>
          <ul className="dashboard-organizations">
            {organizations
              .filter((each) => each.due > 0)
              .map((each) => (
                <li key={each.id}>
                  <span className="row small">
                    <span className="grow dashboard-cut">{each.name}</span>
                    <span className="number">
                      {shareWords(language, Math.min(1, each.received / each.due), 1)}
                    </span>
                  </span>
                  <span className="dashboard-days" aria-hidden="true">
                    {each.days.map(({ day, received: got, due: wanted }) => (
                      <span
                        key={day}
                        className={wanted > 0 && got / wanted < COMPLETE_SHARE ? 'dashboard-day-short' : ''}
                        title={dayWords(language, day)}
                      />
                    ))}
                  </span>
                </li>
              ))}
          </ul>
        </>
      )}
    </Tile>
  );
}
