/** What a device is (requirements §3, "type"). */
export const DEVICE_TYPES = ['logger', 'gateway', 'node', 'tracker'] as const;
export type DeviceType = (typeof DEVICE_TYPES)[number];

/** Whether a device is heard from (requirements §4). */
export const CONNECTION_STATES = ['online', 'offline', 'never-seen'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/**
 * How long a device is paid for (requirements §4, §9). `expired` is to be renewed and goes on at once; of a `lapsed`
 * one the SIM card is cancelled, so that it must be sent in.
 */
export const TERM_STATES = ['unlimited', 'valid', 'expiring', 'expired', 'lapsed'] as const;
export type TermState = (typeof TERM_STATES)[number];

/** What feeds a device; `unknown` where it does not measure that. */
export const SUPPLY_STATES = ['charging', 'battery', 'unknown'] as const;
export type SupplyState = (typeof SUPPLY_STATES)[number];

/** "Offline criterion: integer at least 10 (minutes)" (requirements §5). */
export const OFFLINE_MINUTES_MIN = 10;

/** How long before its end a term is said to expire, and how long after it a device can be renewed as it hangs. */
export interface RenewalTerms {
  expiringMonths: number;
  lapsedMonths: number;
}

const MINUTE_MS = 60_000;

/** All times in epoch milliseconds. */
export interface DeviceFacts {
  /** When the server heard from it last; null when it never did. */
  lastSeenAt: number | null;
  offlineAfterMinutes: number;
  /** The first moment that is not paid for; null when there is none. */
  expiresAt: number | null;
  /** Newest value of its power channel: 1 where it is fed from outside. */
  power: number | null;
  assetId: number | null;
}

export interface DeviceState {
  connection: ConnectionState;
  /** For how long it has been silent beyond what is allowed; null while it is not offline. */
  offlineForMs: number | null;
  term: TermState;
  /** Expiring, expired or lapsed. */
  toBeRenewed: boolean;
  supply: SupplyState;
  bound: boolean;
}

/** Moments between which the terms of all devices lie, so that a database can compare with the same ones. */
export interface TermBounds {
  lapsedUntil: number;
  /** Now. */
  expiredUntil: number;
  expiringBefore: number;
}

export function termBounds(now: number, { expiringMonths, lapsedMonths }: RenewalTerms): TermBounds {
  return {
    lapsedUntil: addMonths(now, -lapsedMonths),
    expiredUntil: now,
    expiringBefore: addMonths(now, expiringMonths),
  };
}

/** Everything that is said of a device's state, from the facts. */
export function deviceState(facts: DeviceFacts, bounds: TermBounds): DeviceState {
  const { lastSeenAt, offlineAfterMinutes, expiresAt, power, assetId } = facts;
  const now = bounds.expiredUntil;
  const offlineSince = lastSeenAt === null ? null : lastSeenAt + offlineAfterMinutes * MINUTE_MS;
  const term = termOf(expiresAt, bounds);
  return {
    connection: offlineSince === null ? 'never-seen' : now > offlineSince ? 'offline' : 'online',
    offlineForMs: offlineSince !== null && now > offlineSince ? now - offlineSince : null,
    term,
    toBeRenewed: term !== 'unlimited' && term !== 'valid',
    supply: power === null ? 'unknown' : power === 1 ? 'charging' : 'battery',
    bound: assetId !== null,
  };
}

function termOf(expiresAt: number | null, bounds: TermBounds): TermState {
  if (expiresAt === null) return 'unlimited';
  if (expiresAt <= bounds.lapsedUntil) return 'lapsed';
  if (expiresAt <= bounds.expiredUntil) return 'expired';
  return expiresAt < bounds.expiringBefore ? 'expiring' : 'valid';
}

/** The same day of another month in UTC; its last day where it has no such day. */
export function addMonths(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return date.getTime();
}
