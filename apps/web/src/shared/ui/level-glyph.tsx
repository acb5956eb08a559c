import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { ReactNode } from 'react';
import { useText } from '../i18n/use-text.ts';

/**
 * The shape of each alarm level as an SVG path. A level is shown by colour, shape and number, so that any
 * one of them is sufficient (design: levels). The chart parses these paths too; it does not support arc
 * flags without spaces.
 */
export const LEVEL_SHAPES: Record<AlarmLevel, string> = {
  1: 'M8 1a7 7 0 1 0 0 14A7 7 0 1 0 8 1z',
  2: 'M3.5 1.5h9a2 2 0 0 1 2 2v9a2 2 0 0 1 -2 2h-9a2 2 0 0 1 -2 -2v-9a2 2 0 0 1 2 -2z',
  3: 'M8 .2L15.800 8 8 15.800.2 8z',
  4: 'M8 .4L16.400 15.200H-.4z',
  5: 'M5 .6h6L15.400 5v6L11 15.400H5L.6 11V5z',
};

/**
 * `inverse` is for a background in the colour of the level; `pending` has a dashed outline, `ended` a solid
 * one.
 */
export type GlyphMode = 'solid' | 'inverse' | 'pending' | 'ended';

function paint(level: AlarmLevel, mode: GlyphMode): { fill: string; figure: string } {
  if (mode === 'solid') return { fill: `var(--alarm-${level}-solid)`, figure: `var(--alarm-${level}-on)` };
  if (mode === 'inverse') return { fill: `var(--alarm-${level}-on)`, figure: `var(--alarm-${level}-solid)` };
  return { fill: 'transparent', figure: `var(--alarm-${level}-fg)` };
}

export function LevelGlyph({
  level,
  mode = 'solid',
  size = 16,
}: {
  level: AlarmLevel;
  mode?: GlyphMode;
  size?: number;
}) {
  const { text } = useText();
  const { fill, figure } = paint(level, mode);
  return (
    <svg
      className="glyph"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      overflow="visible"
      role="img"
      aria-label={text('alarms.level', { level })}
    >
      <path
        d={LEVEL_SHAPES[level]}
        fill={fill}
        stroke={mode === 'inverse' ? 'none' : `var(--alarm-${level}-border)`}
        strokeWidth={mode === 'pending' || mode === 'ended' ? 1.5 : 1}
        strokeDasharray={mode === 'pending' ? '2 1.5' : undefined}
        strokeLinejoin="round"
      />
      <text
        x="8"
        y={level === 4 ? 13.2 : 11.5}
        textAnchor="middle"
        fontSize={level === 4 ? 9.5 : 10}
        fill={figure}
      >
        {level}
      </text>
    </svg>
  );
}

/** Circle with the symbol of a state that has no level. */
function Round({
  label,
  size,
  dashed = false,
  children,
}: {
  label: string;
  size: number;
  dashed?: boolean;
  children: ReactNode;
}) {
  return (
    <svg className="glyph" width={size} height={size} viewBox="0 0 16 16" role="img" aria-label={label}>
      <circle
        cx="8"
        cy="8"
        r="6.500"
        fill="none"
        stroke="var(--unknown-border)"
        strokeWidth="1.500"
        strokeDasharray={dashed ? '2.500 1.800' : undefined}
      />
      {children}
    </svg>
  );
}

/** Icon of an unknown state. It must never look like the normal state (ui.md 2). */
export function UnknownGlyph({ size = 16 }: { size?: number }) {
  const { text } = useText();
  return (
    <Round label={text('monitor.state.unknown')} size={size} dashed>
      <text x="8" y="11.600" textAnchor="middle" fontSize="10" fill="var(--unknown-fg)">
        ?
      </text>
    </Round>
  );
}

/** Icon of an asset without limits, which is neither good nor bad. */
export function UnsetGlyph({ size = 16 }: { size?: number }) {
  const { text } = useText();
  return (
    <Round label={text('monitor.state.unset')} size={size}>
      <path d="M5 8h6" stroke="var(--unknown-fg)" strokeWidth="1.500" strokeLinecap="round" />
    </Round>
  );
}
