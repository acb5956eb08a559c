import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { memo, useId, useMemo } from 'react';
import { sparkGeometry } from './spark-geometry.ts';

interface LimitSparkProps {
  min: readonly (number | null)[];
  max: readonly (number | null)[];
  low: number | null;
  high: number | null;
  width: number;
  height: number;
  /** Alarm level that determines the colour of values outside the limits; null for a neutral colour. */
  level: AlarmLevel | null;
  /** True for an on/off channel, which is drawn in steps. */
  stepped?: boolean;
  /** True for stale values, which are drawn lighter. */
  muted?: boolean;
}

/**
 * Sparkline of the last 24 hours with the limits. It is hidden from screen readers, because these read the
 * value as text.
 */
export const LimitSpark = memo(function LimitSpark(props: LimitSparkProps) {
  const { min, max, low, high, width, height, level, stepped = false, muted = false } = props;
  const id = useId();
  const shape = useMemo(
    () => sparkGeometry({ min, max, low, high, width, height, stepped }),
    [min, max, low, high, width, height, stepped],
  );
  if (!shape) {
    return (
      <svg className="spark" width="100%" height={height} aria-hidden="true">
        <defs>
          <Hatch id={`${id}h`} />
        </defs>
        <rect y="3" width="100%" height={height - 6} fill={`url(#${id}h)`} />
      </svg>
    );
  }
  const { bandTop, bandBottom } = shape;
  const colour = level === null ? 'var(--text-tertiary)' : `var(--alarm-${level}-border)`;
  const stroke = muted ? 'var(--text-disabled)' : 'var(--text-secondary)';
  return (
    <svg
      className="spark"
      width="100%"
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <defs>
        <clipPath id={`${id}c`}>
          {high === null ? null : <rect x="0" y="-4" width={width} height={Math.max(0, bandTop + 4)} />}
          {low === null ? null : <rect x="0" y={bandBottom} width={width} height={height} />}
        </clipPath>
        <Hatch id={`${id}h`} />
      </defs>
      {low === null && high === null ? null : (
        <rect y={bandTop} width={width} height={Math.max(0, bandBottom - bandTop)} fill="var(--band-fill)" />
      )}
      <path
        d={`${high === null ? '' : `M0 ${bandTop}H${width}`}${low === null ? '' : `M0 ${bandBottom}H${width}`}`}
        stroke="var(--band-edge)"
        strokeDasharray="2 3"
        opacity=".6"
        vectorEffect="non-scaling-stroke"
      />
      {shape.gaps.map((gap) => (
        <rect key={gap.x} x={gap.x} y="3" width={gap.width} height={height - 6} fill={`url(#${id}h)`} />
      ))}
      <path d={shape.envelope} fill={stroke} opacity=".28" />
      <path
        d={shape.line}
        fill="none"
        stroke={stroke}
        strokeWidth="1.400"
        strokeLinejoin="round"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
      {shape.isOutside && level !== null ? (
        <g clipPath={`url(#${id}c)`}>
          <path d={shape.envelope} fill={colour} opacity=".35" />
          <path
            d={shape.line}
            fill="none"
            stroke={colour}
            strokeWidth="2"
            strokeLinejoin="round"
            vectorEffect="non-scaling-stroke"
          />
        </g>
      ) : null}
    </svg>
  );
});

function Hatch({ id }: { id: string }) {
  return (
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="2" height="6" fill="var(--unknown-hatch)" />
    </pattern>
  );
}
