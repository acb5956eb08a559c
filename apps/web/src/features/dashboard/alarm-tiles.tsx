import type { Dashboard } from '@isotherm/contracts/dashboard';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { formatDuration } from '@isotherm/i18n/figures';
import { Link } from 'react-router';
import { integer } from '../../shared/format/number.ts';
import { Lasting, useViewer } from '../../shared/format/viewer.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { dayWords, faultOf, valueWords } from './dashboard-words.ts';
import { Tile } from './tile.tsx';

/** Levels in the order of their severity. */
const WORST_FIRST = [...ALARM_LEVELS].reverse();

export function AlarmsTile({ alarms }: { alarms: NonNullable<Dashboard['alarms']> }) {
  const { text, language } = useViewer();
  return (
    <Tile
      name="alarms"
      note={text('dashboard.alarms.note', { count: alarms.open })}
      link={{ to: '/alarm/current', words: text('dashboard.show-all') }}
    >
      <ul className="dashboard-levels">
        {WORST_FIRST.map((level) => (
          <li key={level}>
            <Link to={`/alarm/current?level=${level}`} className="row">
              <LevelGlyph level={level} mode={alarms.levels[level - 1] === 0 ? 'ended' : 'solid'} />
              <span className="number strong">{integer(language, alarms.levels[level - 1] ?? 0)}</span>
            </Link>
          </li>
        ))}
      </ul>
      {alarms.items.length === 0 ? <p className="dashboard-none">{text('dashboard.alarms.none')}</p> : null}
      <ul className="dashboard-rows">
        {alarms.items.map((alarm) => (
          <li key={alarm.id}>
            <LevelGlyph level={alarm.level} mode={alarm.endedAt ? 'ended' : 'solid'} />
            <Link className="grow dashboard-cut dashboard-name dashboard-link" to={`/alarm/${alarm.id}`}>
              {alarm.assetName}
            </Link>
            <span className={`number level-${alarm.level} dashboard-value`}>
              {valueWords(alarm, language, text) || faultOf(alarm, text)}
            </span>
            <span className="small tertiary dashboard-age">
              <Lasting since={alarm.since} until={alarm.endedAt} />
            </span>
          </li>
        ))}
      </ul>
    </Tile>
  );
}

export function HistoryTile({ history }: { history: NonNullable<Dashboard['history']> }) {
  const { text, language } = useViewer();
  const highest = Math.max(1, ...history.steps.flatMap(({ levels }) => levels));
  const [first, last] = [history.steps[0], history.steps.at(-1)];
  return (
    <Tile
      name="history"
      note={text('dashboard.history.note', { count: history.total, before: history.totalBefore })}
      link={{ to: '/alarm/graded', words: text('dashboard.analysis') }}
    >
      <div className="dashboard-history">
        {WORST_FIRST.map((level) => (
          <div className="dashboard-lane" key={level}>
            <LevelGlyph level={level} />
            <ol aria-label={text('alarms.level', { level })}>
              {history.steps.map(({ from, levels }) => {
                const count = levels[level - 1] ?? 0;
                const words = `${dayWords(language, from)}: ${integer(language, count)}`;
                return (
                  <li key={from} title={words}>
                    <span className="visually-hidden">{words}</span>
                    {count > 0 ? (
                      <span
                        className={`dashboard-mark dashboard-mark-${level}`}
                        style={{ height: `${Math.max(25, (100 * count) / highest)}%` }}
                        aria-hidden="true"
                      />
                    ) : null}
                  </li>
                );
              })}
            </ol>
            <Link className="number dashboard-link" to={`/alarm/graded?level=${level}`}>
              {integer(language, history.levels[level - 1] ?? 0)}
            </Link>
          </div>
        ))}
        {first && last ? (
          <div className="dashboard-axis small tertiary" aria-hidden="true">
            <span>{dayWords(language, first.from)}</span>
            <span>{dayWords(language, last.from)}</span>
          </div>
        ) : null}
      </div>
    </Tile>
  );
}

export function AcknowledgementTile({ history }: { history: NonNullable<Dashboard['history']> }) {
  const { text, language } = useViewer();
  const used = [...history.acknowledgement]
    .reverse()
    .filter(({ acknowledged, open }) => acknowledged + open > 0);
  return (
    <Tile name="acknowledgement" link={{ to: '/alarm/graded', words: text('dashboard.analysis') }}>
      <p className="small tertiary">
        {text(used.length === 0 ? 'dashboard.alarms.none' : 'dashboard.acknowledgement.note')}
      </p>
      <ul className="dashboard-rows">
        {used.map(({ level, acknowledged, open, medianS }) => (
          <li key={level}>
            <LevelGlyph level={level} />
            <span className="grow strong number">
              {medianS === null
                ? text('dashboard.acknowledgement.none')
                : formatDuration(medianS * 1000, text)}
            </span>
            <span className="small tertiary number">
              {text('dashboard.acknowledgement.of', {
                acknowledged: integer(language, acknowledged),
                total: integer(language, acknowledged + open),
              })}
            </span>
          </li>
        ))}
      </ul>
    </Tile>
  );
}
