import { Link } from 'react-router';

/** A bar of a chart: a day with its parts from below, which lead to what they count. */
export interface ReportBar {
  key: string;
  /** Said by screen readers and on hover. */
  label: string;
  /** Address of what it counts; null if the reader may not see it. */
  to: string | null;
  parts: readonly { className: string; value: number }[];
}

/** Bars side by side, the highest one as high as the chart or `most`. */
export function ReportBars({
  label,
  bars,
  most,
  from,
  to,
}: {
  label: string;
  bars: readonly ReportBar[];
  most?: number;
  /** Words below the first and the last bar. */
  from: string;
  to: string;
}) {
  const highest =
    most ?? Math.max(1, ...bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)));
  return (
    <figure className="report-bars" aria-label={label}>
      <div className="report-bars-plot">
        {bars.map(({ key, label: words, to: address, parts }) => {
          const content = parts.map(({ className, value }) =>
            value > 0 ? (
              <span
                key={className}
                className={`report-bar-part ${className}`}
                style={{ height: `${(value / highest) * 100}%` }}
              />
            ) : null,
          );
          return address === null ? (
            <span key={key} className="report-bar-column" title={words} role="img" aria-label={words}>
              {content}
            </span>
          ) : (
            <Link key={key} className="report-bar-column" to={address} title={words} aria-label={words}>
              {content}
            </Link>
          );
        })}
      </div>
      <figcaption className="report-bars-foot">
        <span>{from}</span>
        <span>{to}</span>
      </figcaption>
    </figure>
  );
}
