import type { ChartSeries } from '../../shared/chart/curve-model.ts';
import { useText } from '../../shared/i18n/use-text.ts';

/** Names the lines of a chart, and the envelope of an aggregate. */
export function CurveLegend({
  series,
  tag,
}: {
  series: readonly ChartSeries[];
  /** What is said about the values of a channel. */
  tag?: (series: ChartSeries) => string | null;
}) {
  const { text } = useText();
  return (
    <>
      {series.map((each, index) => {
        const said = tag?.(each) ?? null;
        return (
          <span key={each.channelId} className="legend">
            <svg width="20" height="8" aria-hidden="true">
              <path
                d="M0 4h20"
                stroke={`var(--chart-series-${(index % 6) + 1})`}
                strokeWidth="2"
                strokeDasharray={index > 0 ? '5 3' : undefined}
              />
            </svg>
            <span className={index === 0 ? 'strong legend-main' : undefined}>{each.name}</span>
            {said ? <span className="tag">{said}</span> : null}
          </span>
        );
      })}
      {series[0]?.stepMs ? (
        <span className="legend">
          <svg width="20" height="10" aria-hidden="true">
            <rect width="20" height="10" fill="var(--chart-envelope)" />
          </svg>
          {text('curve.min-to-max')}
        </span>
      ) : null}
    </>
  );
}
