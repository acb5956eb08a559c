import type { Shipment } from '@isotherm/contracts/waybill-links';
import { timeTicks, valueScale } from '@isotherm/domain/readings/axis-scale';
import { celsius } from '../../../shared/format/number.ts';
import { formatTime } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';

const WIDTH = 480;
const HEIGHT = 200;
const LEFT = 30;
const TOP = 8;
const BOTTOM = 20;
const RIGHT = 4;
/** Room that a label of the time axis needs on each side. */
const LABEL_ROOM = 18;

/** The temperatures of a shipment, small enough for a page without the charts of the console. */
export function ShipmentCurve({
  record,
  low,
  high,
}: {
  record: NonNullable<Shipment['record']>;
  low: number;
  high: number;
}) {
  const { text, time, language, zone } = useViewer();
  const { from, to, curve, verdict } = record;
  const scale = valueScale([low, high, ...curve.flat().map(([, value]) => value)], 4);
  const right = WIDTH - RIGHT;
  const bottom = HEIGHT - BOTTOM;
  const x = (at: number) => LEFT + ((at - from) / Math.max(1, to - from)) * (right - LEFT);
  const y = (value: number) => bottom - ((value - scale.min) / (scale.max - scale.min)) * (bottom - TOP);
  const inside = (at: number) => Math.min(right, Math.max(LEFT, x(at)));
  const values: number[] = [];
  for (let value = scale.min; value <= scale.max + scale.step / 2; value += scale.step) values.push(value);
  const { ticks } = timeTicks(from, to, WIDTH, zone);
  return (
    <svg
      className="shipment-curve"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={text('waybills.shipment.curve', {
        from: time(from, 'date-time'),
        to: time(to, 'date-time'),
      })}
    >
      <rect className="shipment-band" x={LEFT} y={y(high)} width={right - LEFT} height={y(low) - y(high)} />
      {values.map((value) => (
        <g key={value}>
          <line className="shipment-grid" x1={LEFT} x2={right} y1={y(value)} y2={y(value)} />
          <text x={LEFT - 4} y={y(value) + 4} textAnchor="end">
            {Math.round(value * 10) / 10}
          </text>
        </g>
      ))}
      {[low, high].map((limit) => (
        <line key={limit} className="shipment-limit" x1={LEFT} x2={right} y1={y(limit)} y2={y(limit)}>
          <title>{celsius(limit)}</title>
        </line>
      ))}
      {verdict.excursions.map((excursion) => (
        <rect
          key={excursion.from}
          className="shipment-excursion"
          x={inside(excursion.from)}
          y={TOP}
          width={Math.max(1.5, inside(excursion.to) - inside(excursion.from))}
          height={bottom - TOP}
        />
      ))}
      {verdict.gaps.map((gap) => (
        <rect
          key={gap.from}
          className="shipment-gap"
          x={inside(gap.from)}
          y={TOP}
          width={Math.max(1.5, inside(gap.to) - inside(gap.from))}
          height={bottom - TOP}
        />
      ))}
      {curve.map((points) => (
        <polyline
          key={points[0]?.[0]}
          className="shipment-line"
          points={points.map(([at, value]) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}
        />
      ))}
      {ticks.map(({ at, midnight }) => (
        <text
          key={at}
          x={x(at)}
          y={HEIGHT - 5}
          textAnchor={x(at) > right - LABEL_ROOM ? 'end' : x(at) < LEFT + LABEL_ROOM ? 'start' : 'middle'}
        >
          {formatTime(at, midnight ? 'day' : 'time', language, zone)}
        </text>
      ))}
    </svg>
  );
}
