export interface SparkInput {
  min: readonly (number | null)[];
  max: readonly (number | null)[];
  low: number | null;
  high: number | null;
  width: number;
  height: number;
  /** True for an on/off channel, which is drawn in steps. */
  stepped?: boolean;
}

export interface SparkGeometry {
  /** SVG path through the middle of each time bucket, interrupted by gaps. */
  line: string;
  /** SVG path around the minimum and maximum of each time bucket, one outline per segment without gaps. */
  envelope: string;
  /** Periods without readings, as horizontal positions. */
  gaps: { x: number; width: number }[];
  /** Vertical position of the upper limit; the edge of the drawing if there is no limit. */
  bandTop: number;
  bandBottom: number;
  isOutside: boolean;
}

const PADDING = 3;
/** Margin beyond a limit, as a fraction of the distance between the limits. */
const HEADROOM = 0.12;

/**
 * Computes the geometry of a sparkline of the last 24 hours relative to the limits (design: the limit band).
 */
export function sparkGeometry(input: SparkInput): SparkGeometry | null {
  const { min, max, low, high, width, height, stepped = false } = input;
  const count = min.length;
  const lows = min.filter((value) => value !== null);
  const highs = max.filter((value) => value !== null);
  if (count < 2 || lows.length === 0) return null;
  const smallest = Math.min(...lows, ...(stepped ? [0] : []));
  const largest = Math.max(...highs, ...(stepped ? [1] : []));
  const span = low !== null && high !== null ? high - low : Math.max(largest - smallest, 1);
  // Every limit is visible, even if all values are beyond it.
  const bottom = Math.min(smallest, low === null ? (high ?? smallest) : low - span * HEADROOM);
  const top = Math.max(largest, high === null ? (low ?? largest) : high + span * HEADROOM);
  const range = top - bottom || 1;
  const x = (index: number) => (index / (count - 1)) * width;
  const y = (value: number) => PADDING + ((top - value) / range) * (height - 2 * PADDING);

  const stretches: number[][] = [];
  const gaps: { x: number; width: number }[] = [];
  let stretch: number[] = [];
  let gapFrom: number | null = null;
  for (let index = 0; index <= count; index += 1) {
    const known = index < count && min[index] !== null && max[index] !== null;
    if (known) {
      if (gapFrom !== null) {
        gaps.push(between(gapFrom - 1, index));
        gapFrom = null;
      }
      stretch.push(index);
    } else {
      if (stretch.length > 0) stretches.push(stretch);
      stretch = [];
      if (index < count) gapFrom ??= index;
    }
  }
  // The current bucket is often still empty, so it does not count as a gap.
  if (gapFrom !== null && gapFrom < count - 1) gaps.push(between(gapFrom - 1, count - 1));

  function between(from: number, to: number) {
    const left = x(Math.max(0, from));
    return { x: left, width: x(to) - left };
  }

  const point = (index: number, value: number) => `${x(index).toFixed(1)} ${y(value).toFixed(1)}`;
  const line = stretches
    .map((part) => {
      if (stepped) return steps(part);
      const points = part.map((index) => point(index, ((min[index] ?? 0) + (max[index] ?? 0)) / 2));
      // A single bucket is drawn as a dot.
      return `M${points.join('L')}${points.length === 1 ? 'h.1' : ''}`;
    })
    .join('');
  /** Draws steps. A switch with both states in one bucket changed its state in it. */
  function steps(part: readonly number[]): string {
    let path = '';
    let on: boolean | null = null;
    for (const index of part) {
      const mixed = (min[index] ?? 0) < 0.5 && (max[index] ?? 0) >= 0.5;
      const now: boolean = mixed ? !(on ?? false) : (max[index] ?? 0) >= 0.5;
      if (on === null) path = `M${point(index, now ? 1 : 0)}`;
      else path += `H${x(index).toFixed(1)}${now === on ? '' : `V${y(now ? 1 : 0).toFixed(1)}`}`;
      on = now;
    }
    return part.length === 1 ? `${path}h.1` : path;
  }
  const envelope = stretches
    .filter((part) => part.length > 1 && !stepped)
    .map((part) => {
      const upper = part.map((index) => point(index, max[index] ?? 0));
      const lower = [...part].reverse().map((index) => point(index, min[index] ?? 0));
      return `M${upper.join('L')}L${lower.join('L')}Z`;
    })
    .join('');
  return {
    line,
    envelope,
    gaps,
    bandTop: high === null ? 0 : y(high),
    bandBottom: low === null ? height : y(low),
    isOutside: (high !== null && largest > high) || (low !== null && smallest < low),
  };
}
