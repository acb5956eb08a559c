import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';

/** Colours for the canvas, which cannot use CSS variables. */
export interface Palette {
  font: string;
  text: string;
  textSecondary: string;
  textTertiary: string;
  container: string;
  grid: string;
  axis: string;
  tick: string;
  bandFill: string;
  bandEdge: string;
  envelope: string;
  laneOn: string;
  laneOff: string;
  unknownFg: string;
  unknownBg: string;
  /** Pattern tile that hatches gaps. */
  hatch: HTMLCanvasElement;
  /** Pattern tile that hatches periods in which notifications are held back. It leans the other way. */
  heldHatch: HTMLCanvasElement;
  series: readonly string[];
  level: (level: AlarmLevel, part: 'fg' | 'border' | 'solid' | 'on') => string;
}

const SERIES = [1, 2, 3, 4, 5, 6];
const TILE_PX = 8;

function hatchTile(colour: string, leans: 'forwards' | 'backwards'): HTMLCanvasElement {
  const tile = document.createElement('canvas');
  tile.width = TILE_PX;
  tile.height = TILE_PX;
  const pen = tile.getContext('2d');
  if (pen) {
    pen.strokeStyle = colour;
    pen.lineWidth = 2;
    pen.beginPath();
    for (const shift of [-TILE_PX, 0, TILE_PX]) {
      pen.moveTo(shift, leans === 'forwards' ? TILE_PX : 0);
      pen.lineTo(shift + TILE_PX, leans === 'forwards' ? 0 : TILE_PX);
    }
    pen.stroke();
  }
  return tile;
}

/** Reads the design tokens from the page. It is called again when the theme changes. */
export function readPalette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    font: value('--font'),
    text: value('--text-primary'),
    textSecondary: value('--text-secondary'),
    textTertiary: value('--text-tertiary'),
    container: value('--bg-container'),
    grid: value('--chart-grid'),
    axis: value('--chart-axis'),
    tick: value('--border-control'),
    bandFill: value('--band-fill'),
    bandEdge: value('--band-edge'),
    envelope: value('--chart-envelope'),
    laneOn: value('--lane-on'),
    laneOff: value('--lane-off'),
    unknownFg: value('--unknown-fg'),
    unknownBg: value('--unknown-bg'),
    hatch: hatchTile(value('--unknown-hatch'), 'forwards'),
    heldHatch: hatchTile(value('--unknown-hatch'), 'backwards'),
    series: SERIES.map((index) => value(`--chart-series-${index}`)),
    level: (level, part) => value(`--alarm-${level}-${part}`),
  };
}
