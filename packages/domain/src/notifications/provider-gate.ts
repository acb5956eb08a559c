import type { SmsOutcome } from './sms-provider.ts';

/**
 * Rate limit and circuit breaker of a provider. The state is stored, so that all processes share it; these functions
 * decide what follows from it. Times in epoch ms.
 */
export interface ProviderGate {
  /** Token bucket: the time at which the bucket would be full again, plus one second. */
  nextAt: number;
  /** Faults in a row. */
  failures: number;
  /** Until when the circuit is open; null if it is closed. After this time it is half open. */
  retryAt: number | null;
  /** Until when the attempt that tests the provider may take; null if none is under way. */
  probeUntil: number | null;
}

export const CLOSED_GATE: ProviderGate = { nextAt: 0, failures: 0, retryAt: null, probeUntil: null };

export const CIRCUITS = ['closed', 'open', 'half-open'] as const;
export type Circuit = (typeof CIRCUITS)[number];

/** Faults in a row that open the circuit. */
const OPENS_AFTER = 5;
const FIRST_PAUSE_MS = 15_000;
/** A grave alarm must not wait long for a provider that has recovered. */
const MAX_PAUSE_MS = 120_000;
/** Longer than an attempt may take; then another one tests the provider. */
const PROBE_MS = 60_000;
/** Interval at which messages ask again while another one tests the provider. */
const PROBE_CHECK_MS = 2_000;
/** How many messages may be sent at once, as a time at the rate. */
const BURST_MS = 1_000;
/** A message waits for its turn up to this time within its attempt; otherwise it is tried later. */
const MAX_WAIT_MS = 2_000;

export const circuitOf = ({ retryAt }: ProviderGate, now: number): Circuit =>
  retryAt === null ? 'closed' : now < retryAt ? 'open' : 'half-open';

/** `go`: the message may be handed over at `at`. `wait`: not before `at`. */
export interface GateVerdict {
  kind: 'go' | 'wait';
  at: number;
  why: 'free' | 'rate' | 'circuit';
  gate: ProviderGate;
}

/**
 * Limits stored times to those that can follow from `now`. Others were written before the clock was set back, and would
 * block the provider until it has caught up.
 */
function plausible(gate: ProviderGate, ratePerSecond: number, now: number): ProviderGate {
  const most = (time: number | null, ahead: number) => time && Math.min(time, now + ahead);
  const interval = ratePerSecond === 0 ? 0 : 1000 / ratePerSecond;
  // One more millisecond, because stored times are rounded.
  const nextAt = Math.min(gate.nextAt, now + BURST_MS + MAX_WAIT_MS + interval + 1);
  const retryAt = most(gate.retryAt, MAX_PAUSE_MS + 1);
  const probeUntil = most(gate.probeUntil, PROBE_MS + 1);
  const isPlausible = nextAt === gate.nextAt && retryAt === gate.retryAt && probeUntil === gate.probeUntil;
  return isPlausible ? gate : { ...gate, nextAt, retryAt, probeUntil };
}

/**
 * Decides whether a message may be handed to a provider. A rate of 0 is no limit. The gate of the verdict must be stored
 * if it is another one, also for `wait`.
 */
export function enterGate(stored: ProviderGate, ratePerSecond: number, now: number): GateVerdict {
  const gate = plausible(stored, ratePerSecond, now);
  const wait = (at: number, why: 'rate' | 'circuit'): GateVerdict => ({ kind: 'wait', at, why, gate });
  if (gate.retryAt !== null && now < gate.retryAt) return wait(gate.retryAt, 'circuit');
  const isHalfOpen = gate.retryAt !== null;
  if (isHalfOpen && gate.probeUntil !== null && now < gate.probeUntil)
    return wait(now + PROBE_CHECK_MS, 'circuit');
  const probed = isHalfOpen ? { ...gate, probeUntil: now + PROBE_MS } : gate;
  if (ratePerSecond === 0) return { kind: 'go', at: now, why: 'free', gate: probed };
  const at = Math.max(now, gate.nextAt - BURST_MS);
  if (at - now > MAX_WAIT_MS) return wait(at, 'rate');
  const nextAt = Math.max(now, gate.nextAt) + 1000 / ratePerSecond;
  return { kind: 'go', at, why: 'free', gate: { ...probed, nextAt } };
}

/** Errors that are about a recipient and say nothing about the provider. */
const RECIPIENT_FAULTS = [
  'isv.BUSINESS_LIMIT_CONTROL',
  'isv.DAY_LIMIT_CONTROL',
  'LimitExceeded.PhoneNumber',
  '21610',
];

/** True if an outcome is a fault of the provider; null if it says nothing about it. */
export function isProviderFault(outcome: SmsOutcome): boolean | null {
  if (outcome.kind === 'sent' || outcome.kind === 'refused') return false;
  return RECIPIENT_FAULTS.some((code) => outcome.error.startsWith(code)) ? null : true;
}

/** State after an attempt. A fault while the circuit is open is of an attempt that began before. */
export function leaveGate(gate: ProviderGate, isFault: boolean | null, now: number): ProviderGate {
  if (isFault === null) return { ...gate, probeUntil: null };
  if (!isFault) return { ...gate, failures: 0, retryAt: null, probeUntil: null };
  if (circuitOf(gate, now) === 'open') return gate;
  const failures = gate.failures + 1;
  if (failures < OPENS_AFTER) return { ...gate, failures };
  const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - OPENS_AFTER, 10));
  return { ...gate, failures, retryAt: now + pause, probeUntil: null };
}
