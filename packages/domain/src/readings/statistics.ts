/** A reading, or a bucket of neighbouring ones, as far as statistics of a window need it. */
export interface Sample {
  /** Epoch ms. */
  at: number;
  mean: number;
  /** Share of it that is outside the limits, 0 to 1. */
  outside: number;
}

export interface WindowStatistics {
  /** Weighted by time: a logger that sends oftener while something happens does not bend it. */
  mean: number;
  outsideMs: number;
}

/**
 * Time-weighted mean and time outside the limits. Each sample vouches for the time up to the next one, or to
 * `end`, but never for more than `allowanceMs`: what is not known is not counted. Null without samples.
 */
export function windowStatistics(
  samples: readonly Sample[],
  end: number,
  allowanceMs: number,
): WindowStatistics | null {
  const last = samples.at(-1);
  if (!last) return null;
  let weight = 0;
  let weighted = 0;
  let outsideMs = 0;
  samples.forEach((sample, index) => {
    const until = samples[index + 1]?.at ?? Math.max(end, sample.at);
    const vouched = until - sample.at > allowanceMs ? 0 : until - sample.at;
    weight += vouched;
    weighted += sample.mean * vouched;
    outsideMs += sample.outside * vouched;
  });
  return { mean: weight > 0 ? weighted / weight : last.mean, outsideMs: Math.round(outsideMs) };
}
