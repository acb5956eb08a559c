import type { AlarmAnalysis } from '@isotherm/contracts/alarm-history';
import { formatDuration } from '@isotherm/i18n/figures';
import { levelLabel } from '../../../shared/format/labels.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { labelled } from '../../../shared/i18n/phrases.ts';
import { LevelGlyph } from '../../../shared/ui/level-glyph.tsx';

/** The axis is logarithmic, from 10 seconds to 2 days. */
const FIRST_S = 10;
const LAST_S = 2 * 86_400;
const TICKS_S = [60, 600, 3600, 6 * 3600, 86_400];
/** Vertical offsets of neighbouring dots, so that equal times do not cover each other. */
const OFFSETS = [0, 6, -6, 3, -3, 9, -9];

/** Position of a time on the axis, in percent. */
function positionOf(seconds: number): number {
  const within = Math.min(LAST_S, Math.max(FIRST_S, seconds));
  return (Math.log(within / FIRST_S) / Math.log(LAST_S / FIRST_S)) * 100;
}

/** Times from the alarm to its acknowledgement by level: one dot per alarm or evenly spaced ones of many, and the median. */
export function DelayPanel({ levels }: { levels: AlarmAnalysis['acknowledgement'] }) {
  const { text } = useViewer();
  const title = text('alarms.analysis.delay');
  return (
    <section className="panel analysis-panel analysis-delay" aria-label={title}>
      <div className="analysis-head">
        <h2>{title}</h2>
        <span className="small tertiary">{text('alarms.analysis.delay.hint')}</span>
      </div>
      <div className="delay-rows">
        {[...levels].reverse().map(({ level, acknowledged, open, medianS, quantilesS }) => (
          <div key={level} className="delay-row">
            <LevelGlyph level={level} />
            <span
              className="delay-axis"
              role="img"
              aria-label={
                medianS === null
                  ? labelled(text, levelLabel(level, text), text('alarms.analysis.delay.none'))
                  : text('alarms.analysis.delay.words', {
                      level,
                      median: formatDuration(medianS * 1000, text),
                      count: acknowledged,
                    })
              }
            >
              {TICKS_S.map((tick) => (
                <i key={tick} className="delay-tick" style={{ insetInlineStart: `${positionOf(tick)}%` }} />
              ))}
              {quantilesS.map((seconds, i) => (
                <i
                  // biome-ignore lint/suspicious/noArrayIndexKey: the times are an ordered list without identity.
                  key={i}
                  className="delay-dot"
                  style={{
                    insetInlineStart: `${positionOf(seconds)}%`,
                    marginTop: OFFSETS[i % OFFSETS.length],
                  }}
                />
              ))}
              {medianS === null ? null : (
                <span className="delay-median" style={{ insetInlineStart: `${positionOf(medianS)}%` }}>
                  <b>{formatDuration(medianS * 1000, text)}</b>
                </span>
              )}
            </span>
            <span className="small secondary delay-open">
              {open > 0 ? text('alarms.analysis.delay.open', { count: open }) : ''}
            </span>
          </div>
        ))}
        <div className="delay-row delay-labels small tertiary">
          <span />
          <span className="delay-axis">
            {TICKS_S.map((tick) => (
              <span key={tick} style={{ insetInlineStart: `${positionOf(tick)}%` }}>
                {tick < 3600
                  ? text('common.duration.minutes', { minutes: tick / 60 })
                  : text('common.duration.hours', { hours: tick / 3600 })}
              </span>
            ))}
          </span>
          <span />
        </div>
      </div>
    </section>
  );
}
