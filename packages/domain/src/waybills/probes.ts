import { decidingMkt } from './mean-kinetic.ts';
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

/**
 * Combines the channels of an asset that measured one after the other to probes: if a device is taken off in mid-trip and another one
 * takes its place, both are one probe. Each channel continues the probe that ended last before it began; it is a probe of its own if
 * none had ended. Those of one probe are in order of time; probes are in the order of their first channels.
 */
export function probesInTurn<T extends { from: number; until: number }>(channels: readonly T[]): T[][] {
  const probes = new Map<T, T[]>();
  const inOrder = [...channels].sort((a, b) => a.from - b.from);
  for (const channel of inOrder) {
    const ended = [...probes.values()].filter((probe) => (probe.at(-1) as T).until <= channel.from);
    const [first, ...others] = ended;
    if (!first) probes.set(channel, [channel]);
    else
      others
        .reduce(
          (latest, each) => ((each.at(-1) as T).until > (latest.at(-1) as T).until ? each : latest),
          first,
        )
        .push(channel);
  }
  return channels.flatMap((channel) => {
    const probe = probes.get(channel);
    return probe ? [probe] : [];
  });
}

/** From the most to the least severe proposal. */
const SEVERITY = [
  'reject',
  'insufficient',
  'within-budget',
  'release',
] as const satisfies readonly Proposal[];

type Judged = Pick<Verdict, 'proposal' | 'outsideMs' | 'meanKinetic' | 'mktWindow'>;

/**
 * Compares two verdicts: the more severe one comes first, of equal ones that with more time outside, then the one with the higher
 * mean kinetic temperature, of the trip or of its worst window.
 */
export function worstFirst(a: Judged, b: Judged): number {
  return (
    SEVERITY.indexOf(a.proposal) - SEVERITY.indexOf(b.proposal) ||
    b.outsideMs - a.outsideMs ||
    warmthOf(b) - warmthOf(a)
  );
}

/** Those without readings come last. */
const warmthOf = (judged: Judged): number => decidingMkt(judged)?.value ?? -Number.MAX_VALUE;
