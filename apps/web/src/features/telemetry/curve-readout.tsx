import type { CurveSeries } from '@isotherm/contracts/telemetry';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { formatDuration } from '@isotherm/i18n/figures';
import type { TimeShape } from '@isotherm/i18n/moments';
import type { ReactNode } from 'react';
import { type ChartSeries, type ChartSpan, laneValue, nearestPoint } from '../../shared/chart/curve-model.ts';
import { EN_RULE, integer, withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { envelopeText, type LiveValue, laneText, pointText, spanAt } from './chart-input.ts';

const DAY_MS = 86_400_000;
/** Channels whose readings are at most this far apart share one time heading. */
const SAME_TIME_MS = 60_000;

/** Tables with the values at the crosshair or the latest values, and with the statistics of the range. */
export function CurveReadout({
  series,
  lanes,
  spans,
  live,
  statistics,
  cursor,
}: {
  series: readonly ChartSeries[];
  lanes: readonly ChartSeries[];
  spans: readonly ChartSpan[];
  live: ReadonlyMap<number, LiveValue>;
  statistics: CurveSeries['statistics'];
  cursor: number | null;
}) {
  const { text, language } = useViewer();
  const [main] = series;
  return (
    <aside className="readout">
      {cursor === null ? (
        <Newest series={series} lanes={lanes} live={live} />
      ) : (
        <AtCrosshair series={series} lanes={lanes} spans={spans} moment={cursor} />
      )}
      {main && statistics ? (
        <>
          <h3>{text('curve.window')}</h3>
          <p className="small tertiary ellipsis">{main.name}</p>
          <table>
            <tbody>
              <Row label={text('curve.lowest')}>{withUnit(main.indicator, statistics.min)}</Row>
              <Row label={text('curve.highest')}>{withUnit(main.indicator, statistics.max)}</Row>
              <Row label={text('curve.mean')}>{withUnit(main.indicator, statistics.mean)}</Row>
              <Row label={text('curve.outside')}>{formatDuration(statistics.outsideMs, text)}</Row>
              <Row label={text('curve.readings')}>
                {/* A logger may send more often than expected; then the number expected is not shown. */}
                {statistics.count >= statistics.expected
                  ? integer(language, statistics.count)
                  : text('curve.readings-of', {
                      count: integer(language, statistics.count),
                      expected: integer(language, statistics.expected),
                    })}
              </Row>
            </tbody>
          </table>
        </>
      ) : null}
    </aside>
  );
}

/** The latest stored readings. They may differ from the last point of the chart, which may be a mean. */
function Newest({
  series,
  lanes,
  live,
}: {
  series: readonly ChartSeries[];
  lanes: readonly ChartSeries[];
  live: ReadonlyMap<number, LiveValue>;
}) {
  const { text, time } = useViewer();
  const rows = [
    ...series.map((each) => ({ channel: each, word: pointText })),
    ...lanes.map((each) => ({ channel: each, word: laneText })),
  ];
  const newest = Math.max(0, ...rows.map(({ channel }) => live.get(channel.channelId)?.at ?? 0));
  return (
    <>
      <h3>{newest === 0 ? EN_RULE : time(newest, 'date-time-seconds')}</h3>
      <p className="small tertiary">{text('curve.newest')}</p>
      <table>
        <tbody>
          {rows.map(({ channel, word }) => {
            const now = live.get(channel.channelId);
            return (
              <Row key={channel.channelId} label={channel.name}>
                {now === undefined ? (
                  <span className="tertiary">{text('curve.no-data')}</span>
                ) : (
                  <>
                    {newest - now.at < SAME_TIME_MS ? null : (
                      <span className="tertiary">{time(now.at, shapeOfAge(newest - now.at))} </span>
                    )}
                    <Value level={now.level}>{word(channel, now.value, text)}</Value>
                  </>
                )}
              </Row>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

function shapeOfAge(ageMs: number): TimeShape {
  return ageMs < DAY_MS / 2 ? 'time' : 'day-time';
}

function AtCrosshair({
  series,
  lanes,
  spans,
  moment,
}: {
  series: readonly ChartSeries[];
  lanes: readonly ChartSeries[];
  spans: readonly ChartSpan[];
  moment: number;
}) {
  const { text, time } = useViewer();
  const [main] = series;
  const from = main?.at[nearestPoint(main, moment)];
  const step = from === undefined ? null : (main?.stepMs ?? null);
  const shape = step !== null && step >= DAY_MS ? 'day-time' : 'time';
  return (
    <>
      <h3>{time(from ?? moment, step === null ? 'date-time-seconds' : 'date-time')}</h3>
      <p className="small tertiary">
        {from === undefined || step === null
          ? text('curve.at-crosshair')
          : text('curve.step-mean', { from: time(from, shape), to: time(from + step, shape) })}
      </p>
      <table>
        <tbody>
          {series.map((each, index) => (
            <SeriesRows
              key={each.channelId}
              series={each}
              spans={spans}
              moment={moment}
              withEnvelope={index === 0}
            />
          ))}
          {lanes.map((lane) => {
            const value = laneValue(lane, moment);
            return (
              <Row key={lane.channelId} label={lane.name}>
                {value === null ? EN_RULE : laneText(lane, value, text)}
              </Row>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

function SeriesRows({
  series,
  spans,
  moment,
  withEnvelope,
}: {
  series: ChartSeries;
  spans: readonly ChartSpan[];
  moment: number;
  withEnvelope: boolean;
}) {
  const { text } = useViewer();
  const index = nearestPoint(series, moment);
  const value = series.mean[index];
  const span = spanAt(spans, series.channelId, moment);
  return (
    <>
      <Row label={series.name}>
        {value === undefined ? (
          <span className="tertiary">{text('curve.no-data')}</span>
        ) : (
          <Value level={span?.level ?? null}>{pointText(series, value)}</Value>
        )}
      </Row>
      {withEnvelope && value !== undefined && series.stepMs !== null ? (
        <Row label={text('curve.min-to-max')}>
          <bdi dir="ltr">{envelopeText(series, index, text)}</bdi>
        </Row>
      ) : null}
    </>
  );
}

function Value({ level, children }: { level: AlarmLevel | null; children: string }) {
  return (
    <span className={level === null ? 'strong' : `readout-alarm level-${level}`}>
      {level === null ? null : <LevelGlyph level={level} size={14} />}
      <bdi dir="ltr">{children}</bdi>
    </span>
  );
}

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{children}</td>
    </tr>
  );
}
