/** Types of devices (requirements §3, "type"). */
export const DEVICE_TYPES = ['logger', 'gateway', 'node', 'tracker'] as const;
export type DeviceType = (typeof DEVICE_TYPES)[number];

/** Connection states (requirements §4). */
export const CONNECTION_STATES = ['online', 'offline', 'never-seen'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/**
 * States of a subscription (requirements §4, §9). An `expired` device can be renewed and works again at
 * once. The SIM card of a `lapsed` device is cancelled, so the device must be sent in.
 */
export const TERM_STATES = ['unlimited', 'valid', 'expiring', 'expired', 'lapsed'] as const;
export type TermState = (typeof TERM_STATES)[number];

/** Power supply of a device; `unknown` if the device does not measure it. */
export const SUPPLY_STATES = ['charging', 'battery', 'unknown'] as const;
export type SupplyState = (typeof SUPPLY_STATES)[number];

/**
 * Shortest time after which a device counts as offline. Requirements §5: "Offline criterion: integer at
 * least 10 (minutes)".
 */
export const OFFLINE_MINUTES_MIN = 10;

/**
 * How long before its end a subscription counts as expiring, and how long afterwards the device can still be
 * renewed without being sent in.
 */
export interface RenewalTerms {
  expiringMonths: number;
  lapsedMonths: number;
}

const MINUTE_MS = 60_000;

/** The stored data from which the state of a device is derived. All times are in epoch milliseconds. */
export interface DeviceFacts {
  /** Time of the last message from the device; null if there was none. */
  lastSeenAt: number | null;
  offlineAfterMinutes: number;
  /** First time that is not paid for; null if the subscription is unlimited. */
  expiresAt: number | null;
  /** Newest value of the power channel; 1 means external power. */
  power: number | null;
  assetId: number | null;
}

export interface DeviceState {
  connection: ConnectionState;
  /** How long the device has counted as offline; null unless it is offline. */
  offlineForMs: number | null;
  term: TermState;
  /** True if the subscription is expiring, expired or lapsed. */
  toBeRenewed: boolean;
  supply: SupplyState;
  bound: boolean;
}

/** The time limits between the states of all subscriptions. SQL queries use them too. */
export interface TermBounds {
  lapsedUntil: number;
  /** The current time. */
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

/** Derives the state of a device from its stored data. */
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

/** Returns the same day in another month in UTC, or the last day of that month if it has no such day. */
export function addMonths(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return date.getTime();
}
