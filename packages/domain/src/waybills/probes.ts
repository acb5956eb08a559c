import type { Proposal, Verdict } from './verdict.ts';

/**
 * Combines the probes of the legs of a trip to series that cover the whole trip: the first probe of each leg, the
 * second one, and so on. A leg with fewer probes repeats its last one, so that every probe is in a series and
 * every series covers all legs that have a probe.
 */
export function probesAcrossLegs<T>(legs: readonly (readonly T[])[]): T[][] {
  const most = Math.max(0, ...legs.map((probes) => probes.length));
  return Array.from({ length: most }, (_, i) =>
    legs.flatMap((probes) => {
      const probe = probes[Math.min(i, probes.length - 1)];
      return probe === undefined ? [] : [probe];
    }),
  );
}

/** From the most to the least severe proposal. */
const SEVERITY = [
  'reject',
  'insufficient',
  'within-budget',
  'release',
] as const satisfies readonly Proposal[];

type Judged = Pick<Verdict, 'proposal' | 'outsideMs' | 'meanKinetic'>;

/**
 * Compares two verdicts: the more severe one comes first, of equal ones that with more time outside, then the
 * warmer one.
 */
export function worstFirst(a: Judged, b: Judged): number {
  return (
    SEVERITY.indexOf(a.proposal) - SEVERITY.indexOf(b.proposal) ||
    b.outsideMs - a.outsideMs ||
    (b.meanKinetic ?? 0) - (a.meanKinetic ?? 0)
  );
}
