import { MAX_CURVE_RANGE_MS } from '@isotherm/contracts/telemetry';

const HOUR = 3_600_000;

/** Ranges that end at the current time, by their name in the address. */
export const LATEST = { '6h': 6 * HOUR, '24h': 24 * HOUR, '7d': 168 * HOUR, '30d': 720 * HOUR } as const;
export type LatestName = keyof typeof LATEST;
export const LATEST_NAMES = Object.keys(LATEST) as LatestName[];

/** Time range of the chart in epoch milliseconds: the latest period of a length, or fixed bounds. */
export type CurveWindow =
  | { kind: 'latest'; name: LatestName; lengthMs: number }
  | { kind: 'fixed'; from: number; to: number };

/** Additional time before and after an alarm: half its length on each side, at least an hour. */
const BESIDE_SHARE = 0.5;
const BESIDE_LEAST_MS = HOUR;

export function latest(name: LatestName): CurveWindow {
  return { kind: 'latest', name, lengthMs: LATEST[name] };
}

/**
 * Parses the range in the address: a free range has priority over a named one, and the range around an alarm
 * is the fallback.
 */
export function windowOf(params: URLSearchParams, around: { from: number; to: number } | null): CurveWindow {
  const from = Date.parse(params.get('from') ?? '');
  const to = Date.parse(params.get('to') ?? '');
  if (Number.isFinite(from) && Number.isFinite(to) && from < to) return { kind: 'fixed', ...clamp(from, to) };
  const name = LATEST_NAMES.find((each) => each === params.get('range'));
  if (name) return latest(name);
  return around ? { kind: 'fixed', ...around } : latest('24h');
}

/** Limits a range to the longest allowed one, and to the current time. */
export function clamp(from: number, to: number): { from: number; to: number } {
  const end = Math.min(to, Date.now() + 60_000);
  const start = Math.min(from, end - 60_000);
  return { from: Math.max(start, end - MAX_CURVE_RANGE_MS), to: end };
}

export function lengthOf(window: CurveWindow): number {
  return window.kind === 'latest' ? window.lengthMs : window.to - window.from;
}

export function aroundAlarm(alarm: { since: string; endedAt: string | null }, now: number) {
  const since = Date.parse(alarm.since);
  const end = alarm.endedAt ? Date.parse(alarm.endedAt) : now;
  const beside = Math.max(BESIDE_LEAST_MS, (end - since) * BESIDE_SHARE);
  return { from: since - beside, to: Math.min(now, end + beside) };
}
