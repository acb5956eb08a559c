import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { TextId } from '@isotherm/i18n/text-id';
import { useText } from '../../shared/i18n/use-text.ts';
import { LevelGlyph, UnknownGlyph, UnsetGlyph } from '../../shared/ui/level-glyph.tsx';
import { WALL_STATES, type WallCounts, type WallState } from './wall-order.ts';

const LABEL: Record<WallState, TextId> = {
  alarm: 'monitor.count.alarm',
  ended: 'monitor.count.ended',
  pending: 'monitor.count.pending',
  unknown: 'monitor.count.unknown',
  expired: 'monitor.count.expired',
  unset: 'monitor.count.unset',
  normal: 'monitor.count.normal',
};

/** States that are shown only if at least one asset has them. */
const EXCEPTIONS: ReadonlySet<WallState> = new Set(['ended', 'expired', 'unset']);

/** Number of assets in each state; a click on a number filters by the state. */
export function CountsStrip({
  counts,
  state,
  level,
  onState,
  onLevel,
}: {
  counts: WallCounts;
  state: WallState | null;
  level: AlarmLevel | null;
  onState: (state: WallState | null) => void;
  onLevel: (level: AlarmLevel | null) => void;
}) {
  const { text } = useText();
  const shown = WALL_STATES.filter(
    (each) => counts.states[each] > 0 || each === state || !EXCEPTIONS.has(each),
  );
  return (
    <fieldset className="counts" aria-label={text('monitor.counts')}>
      {shown.map((each) => (
        <div key={each} className={`counts-cell${state === each ? ' counts-chosen' : ''}`}>
          <button
            type="button"
            className="counts-button"
            aria-pressed={state === each}
            onClick={() => onState(state === each ? null : each)}
          >
            <span className={each === 'alarm' ? 'counts-number' : 'counts-number secondary'}>
              {counts.states[each]}
            </span>
            <span className="counts-label">{text(LABEL[each])}</span>
          </button>
          {each === 'alarm' ? (
            <span className="counts-glyphs">
              {counts.levels.alarm?.map((entry) => (
                <button
                  key={entry.level}
                  type="button"
                  className="counts-glyph"
                  aria-pressed={level === entry.level}
                  title={text('monitor.count.level', { level: entry.level, count: entry.count })}
                  onClick={() => onLevel(level === entry.level ? null : entry.level)}
                >
                  <LevelGlyph level={entry.level} />
                </button>
              ))}
            </span>
          ) : null}
          <WorstGlyph state={each} counts={counts} />
        </div>
      ))}
    </fieldset>
  );
}

/** Icon of a state. Alarms have one icon per level; the icon of the worst level is shown. */
function WorstGlyph({ state, counts }: { state: WallState; counts: WallCounts }) {
  if (counts.states[state] === 0) return null;
  const worst = counts.levels[state]?.[0];
  if (state === 'unknown' || state === 'expired') return <UnknownGlyph />;
  if (state === 'unset') return <UnsetGlyph />;
  return worst && (state === 'pending' || state === 'ended') ? (
    <LevelGlyph level={worst.level} mode={state} />
  ) : null;
}
