import type { CurveSeries } from '@isotherm/contracts/telemetry';
import type { ReactNode } from 'react';
import { type ChartSeries, type ChartSpan, laneValue, nearestPoint } from '../../shared/chart/curve-model.ts';
import { formatDuration } from '../../shared/format/duration.ts';
import { EN_RULE, integer, withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { envelopeText, laneText, pointText, spanAt } from './chart-input.ts';

/** What the crosshair stands on, and what the whole window comes to: tables, not a tooltip. */
export function CurveReadout({
  series,
  lanes,
  spans,
  statistics,
  cursor,
}: {
  series: readonly ChartSeries[];
  lanes: readonly ChartSeries[];
  spans: readonly ChartSpan[];
  statistics: CurveSeries['statistics'];
  cursor: number | null;
}) {
  const { text, time, language } = useViewer();
  const [main] = series;
  const newest = main?.at.at(-1) ?? null;
  const moment = cursor ?? newest;
  return (
    <aside className="readout">
      <h3>{moment === null ? EN_RULE : time(moment, 'date-time-seconds')}</h3>
      <p className="small tertiary">{text(cursor === null ? 'curve.newest' : 'curve.at-crosshair')}</p>
      <table>
        <tbody>
          {moment === null
            ? null
            : series.map((each, index) => (
                <SeriesRows
                  key={each.channelId}
                  series={each}
                  spans={spans}
                  moment={moment}
                  withEnvelope={index === 0}
                />
              ))}
          {moment === null
            ? null
            : lanes.map((lane) => {
                const value = laneValue(lane, moment);
                return (
                  <Row key={lane.channelId} label={lane.name}>
                    {value === null ? EN_RULE : laneText(lane, value, text)}
                  </Row>
                );
              })}
        </tbody>
      </table>
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
                {/* A logger may send oftener than it must: then there is nothing to compare with. */}
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
          <span className={span ? `readout-alarm level-${span.level}` : 'strong'}>
            {span ? <LevelGlyph level={span.level} size={14} /> : null}
            <bdi dir="ltr">{pointText(series, value)}</bdi>
          </span>
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

function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{children}</td>
    </tr>
  );
}
