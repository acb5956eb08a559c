/**
 * The receiving clock counts the time in which the installation could receive readings: at least one ingest
 * process was running and could write to the database. No-data rules use this clock, so that an outage or a
 * restart of the server does not count as missing data, and a jump of the wall clock has no effect. Pure
 * functions; all times in ms.
 */
export interface ReceivingClock {
  /** Receiving time counted so far. */
  elapsedMs: number;
  /** Database time of the last heartbeat. */
  beatAt: number;
}

/**
 * A period in which the receiving clock and the wall clock of the processes advance together. It begins at
 * `wallFrom` (epoch ms) and lasts until the next span. A new span begins after each outage and each jump of
 * the wall clock.
 */
export interface ReceivingSpan {
  clockFrom: number;
  wallFrom: number;
}

/** Longest time that one heartbeat adds: a longer interval includes time without receiving. */
export const LONGEST_BEAT_MS = 10_000;
/**
 * The clocks of processes on different machines may differ by this much; a larger difference begins a new
 * span.
 */
export const SPAN_TOLERANCE_MS = 10_000;

/**
 * The clock after a heartbeat at `now` of the database's clock. It does not matter which process sent the
 * previous one.
 */
export function beatReceivingClock({ elapsedMs, beatAt }: ReceivingClock, now: number): ReceivingClock {
  return { elapsedMs: elapsedMs + Math.min(Math.max(now - beatAt, 0), LONGEST_BEAT_MS), beatAt: now };
}

/**
 * The new span that a heartbeat at the wall-clock time `wall` begins; null while both clocks advance
 * together.
 */
export function spanBegunBy(
  last: ReceivingSpan | undefined,
  elapsedMs: number,
  wall: number,
): ReceivingSpan | null {
  if (last && Math.abs(wall - last.wallFrom - (elapsedMs - last.clockFrom)) <= SPAN_TOLERANCE_MS) return null;
  return { clockFrom: elapsedMs, wallFrom: wall };
}

/**
 * Converts a wall-clock time `wall` to receiving time, for an event between `from` and `until` of the
 * receiving clock. If the wall clock was set back, it showed some times twice; the later match is returned.
 * `spans` are ordered by `clockFrom`.
 */
export function receivingTimeAt(
  spans: readonly ReceivingSpan[],
  wall: number,
  from: number,
  until: number,
): number {
  let nearest: number | null = null;
  for (let i = spans.length - 1; i >= 0; i--) {
    const { clockFrom, wallFrom } = spans[i] as ReceivingSpan;
    const isFirst = i === 0;
    // The clock of the receiving process may be behind that of the process that began the span.
    if (wall < wallFrom - SPAN_TOLERANCE_MS && !isFirst) continue;
    const end = spans[i + 1]?.clockFrom ?? Number.POSITIVE_INFINITY;
    // Before the first span, the clocks are assumed to have advanced together.
    const begun = isFirst ? Number.NEGATIVE_INFINITY : clockFrom;
    const shown = Math.max(Math.min(clockFrom + (wall - wallFrom), end), begun);
    nearest ??= shown;
    if (from - SPAN_TOLERANCE_MS <= shown && shown <= until + SPAN_TOLERANCE_MS) {
      nearest = shown;
      break;
    }
  }
  return Math.min(Math.max(nearest ?? until, from), until);
}

/** Wall-clock time at which the receiving clock reached `clock`; epoch ms. */
export function wallTimeAt(spans: readonly ReceivingSpan[], clock: number): number {
  const span = spans.findLast(({ clockFrom }) => clockFrom <= clock) ?? spans[0];
  return span ? span.wallFrom + (clock - span.clockFrom) : clock;
}
