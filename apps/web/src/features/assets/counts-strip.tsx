import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { useText } from '../../shared/i18n/use-text.ts';
import { LevelGlyph, UnknownGlyph } from '../../shared/ui/level-glyph.tsx';
import { WALL_STATES, type WallCounts, type WallState } from './wall-order.ts';

const LABEL: Record<WallState, string> = {
  alarm: 'monitor.count.alarm',
  pending: 'monitor.count.pending',
  unknown: 'monitor.count.unknown',
  normal: 'monitor.count.normal',
};

/** How many assets are in each state; each count is a filter. */
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
  return (
    <fieldset className="counts" aria-label={text('monitor.counts')}>
      {WALL_STATES.map((each) => (
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
              {counts.levels.map((entry) => (
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
          {each === 'pending' && counts.states.pending > 0 ? <LevelGlyph level={2} mode="pending" /> : null}
          {each === 'unknown' && counts.states.unknown > 0 ? <UnknownGlyph /> : null}
        </div>
      ))}
    </fieldset>
  );
}
