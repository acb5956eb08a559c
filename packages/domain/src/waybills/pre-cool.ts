import { type Series, sliceSeries } from '../readings/series.ts';

/** Longest time that a vehicle or box can be asked to be in range before the departure, minutes. */
export const MOST_PRE_COOL_MINUTES = 1_440;

/** `outside` and `no-readings` say why no time counts; `waiting` that some is missing. */
export const PRE_COOL_STATES = ['ready', 'waiting', 'outside', 'no-readings'] as const;
export type PreCoolState = (typeof PRE_COOL_STATES)[number];

/** Readings of one temperature channel of the vehicle or box. */
export interface PreCoolProbe {
  series: Series;
  /** Time for which a reading counts at most: a longer silence is a gap. */
  allowanceMs: number;
}

export interface PreCool {
  state: PreCoolState;
  /** How long all probes have been in range without a gap until now, at most the required time, ms. */
  insideMs: number;
  missingMs: number;
}

/**
 * Judges whether a vehicle or box has been in the range of the goods for the required time, without interruption, until `at`
 * (epoch ms). All probes must have been: the one with the shortest time counts. A value equal to a limit is inside
 * (decision 6). The time before the first reading in range, and across gaps, does not count.
 */
export function judgePreCool(
  probes: readonly PreCoolProbe[],
  range: { temperatureLow: number; temperatureHigh: number },
  requiredMs: number,
  at: number,
): PreCool {
  const judged = probes.map((probe) => insideSince(probe, range, requiredMs, at));
  const found = judged.filter((each) => typeof each === 'number');
  const of = (state: PreCoolState, insideMs: number): PreCool => ({
    state,
    insideMs,
    missingMs: requiredMs - insideMs,
  });
  if (judged.includes('outside')) return of('outside', 0);
  if (found.length === 0 || judged.includes('no-readings')) return of('no-readings', 0);
  const insideMs = Math.min(requiredMs, ...found.map((since) => at - since));
  return of(insideMs >= requiredMs ? 'ready' : 'waiting', insideMs);
}

/** Returns since when a probe has been in range, epoch ms. */
function insideSince(
  { series, allowanceMs }: PreCoolProbe,
  { temperatureLow: low, temperatureHigh: high }: { temperatureLow: number; temperatureHigh: number },
  requiredMs: number,
  now: number,
): number | 'outside' | 'no-readings' {
  // A reading at the moment of the departure counts.
  const { at, value } = sliceSeries(series, now - requiredMs - allowanceMs, now + 1);
  let since: number | 'outside' | 'no-readings' = 'no-readings';
  let next = now;
  for (let i = at.length - 1; i >= 0; i--) {
    const moment = at[i] as number;
    const temperature = value[i] as number;
    if (next - moment > allowanceMs) return since;
    if (temperature < low || temperature > high) return since === 'no-readings' ? 'outside' : since;
    since = moment;
    next = moment;
  }
  return since;
}
