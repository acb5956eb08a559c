import type { BalanceView } from '@isotherm/contracts/billing';
import { integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';

const WIDTH = 640;
const HEIGHT = 220;
const LEFT = 48;
const TOP = 24;
const BOTTOM = 24;
const DAY_MS = 86_400_000;
const DAYS_AHEAD = 30;
/** Least height of the scale, so that an empty balance has readable marks. */
const SCALE_MIN = 100;

/**
 * Chart of the balance of the last 30 days, and of how it goes on at the average use: as it is, and after a recharge
 * of the chosen package.
 */
export function BalanceChart({ balance, added }: { balance: BalanceView; added: number }) {
  const { text, time, language } = useViewer();
  const { course, available, usedIn30Days } = balance;
  const first = course[0];
  const last = course.at(-1);
  if (!first || !last) return null;
  const now = Date.parse(last.at);
  const from = Date.parse(first.at);
  const until = now + DAYS_AHEAD * DAY_MS;
  const most = Math.max(SCALE_MIN, available + added, ...course.map((point) => point.balance));
  const x = (at: number) => LEFT + ((at - from) / (until - from)) * (WIDTH - LEFT);
  const y = (units: number) => TOP + (1 - Math.max(0, units) / most) * (HEIGHT - TOP - BOTTOM);
  const perDay = usedIn30Days / 30;
  /** The line of a balance that is used at the average rate, until it is used up or the chart ends. */
  const ahead = (units: number) => {
    const days = perDay > 0 ? Math.min(DAYS_AHEAD, Math.max(0, units) / perDay) : DAYS_AHEAD;
    return `M${x(now)},${y(units)}L${x(now + days * DAY_MS)},${y(units - days * perDay)}`;
  };
  const line = course.map((point) => `${x(Date.parse(point.at))},${y(point.balance)}`).join('L');
  const ticks = [0, most / 2, most];
  return (
    <svg
      className="balance-chart"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={text('billing.chart')}
    >
      {ticks.map((units) => (
        <g key={units}>
          <line className="balance-chart-grid" x1={LEFT} x2={WIDTH} y1={y(units)} y2={y(units)} />
          <text className="balance-chart-label" x={LEFT - 8} y={y(units) + 4} textAnchor="end">
            {integer(language, Math.round(units))}
          </text>
        </g>
      ))}
      <path className="balance-chart-area" d={`M${x(from)},${y(0)}L${line}L${x(now)},${y(0)}Z`} />
      <path className="balance-chart-line" d={`M${line}`} />
      <path className="balance-chart-ahead" d={ahead(available)} />
      {added > 0 ? (
        <>
          <path
            className="balance-chart-added"
            d={`M${x(now)},${y(available)}L${x(now)},${y(available + added)} ${ahead(available + added)}`}
          />
          <text className="balance-chart-note" x={x(now) + 8} y={y(available + added) - 8}>
            {text('billing.chart.after', { units: integer(language, available + added) })}
          </text>
        </>
      ) : null}
      <line className="balance-chart-now" x1={x(now)} x2={x(now)} y1={TOP} y2={HEIGHT - BOTTOM} />
      <text className="balance-chart-label" x={LEFT} y={HEIGHT - 6}>
        {time(from, 'date')}
      </text>
      <text className="balance-chart-label balance-chart-today" x={x(now)} y={HEIGHT - 6} textAnchor="middle">
        {text('billing.chart.today')}
      </text>
      <text className="balance-chart-label" x={WIDTH} y={HEIGHT - 6} textAnchor="end">
        {time(until, 'date')}
      </text>
    </svg>
  );
}
