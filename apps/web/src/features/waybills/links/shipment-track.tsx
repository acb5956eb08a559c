import { type Shipment, TRACK_BOX } from '@isotherm/contracts/waybill-links';
import { useText } from '../../../shared/i18n/use-text.ts';

const { width, height, edge } = TRACK_BOX;

/** The route of a shipment with its numbered hand-overs, without a base map. */
export function ShipmentTrack({ track: { lines, marks, scale } }: { track: NonNullable<Shipment['track']> }) {
  const { text } = useText();
  const y = height - edge / 2;
  return (
    <svg
      className="shipment-track"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={text('waybills.shipment.route')}
    >
      {lines.map((points) => (
        <polyline
          key={points.join(' ')}
          className="shipment-line"
          points={points.map(([left, top]) => `${left.toFixed(1)},${top.toFixed(1)}`).join(' ')}
        />
      ))}
      {marks.map(([left, top], index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a mark is its number.
        <g key={index} className="shipment-mark">
          <circle cx={left} cy={top} r={8} />
          <text x={left} y={top + 4} textAnchor="middle">
            {index + 1}
          </text>
        </g>
      ))}
      <path className="shipment-scale" d={`M${edge} ${y - 4}v4h${scale.length}v-4`} />
      <text x={edge + scale.length + 6} y={y}>
        {scale.metres >= 1_000 ? `${scale.metres / 1_000} km` : `${scale.metres} m`}
      </text>
    </svg>
  );
}
