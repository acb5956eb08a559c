/** Types of devices (requirements §3, "type"). */
export const DEVICE_TYPES = ['logger', 'gateway', 'node', 'tracker'] as const;
export type DeviceType = (typeof DEVICE_TYPES)[number];

/** Connection states (requirements §4). */
export const CONNECTION_STATES = ['online', 'offline', 'never-seen'] as const;
export type ConnectionState = (typeof CONNECTION_STATES)[number];

/**
 * States of a subscription (requirements §4, §9). An `expired` device can be renewed and continues at once;
 * the SIM card of a `lapsed` one is cancelled, so it must be sent in.
 */
export const TERM_STATES = ['unlimited', 'valid', 'expiring', 'expired', 'lapsed'] as const;
export type TermState = (typeof TERM_STATES)[number];

/** Power supply of a device; `unknown` if it does not measure that. */
export const SUPPLY_STATES = ['charging', 'battery', 'unknown'] as const;
export type SupplyState = (typeof SUPPLY_STATES)[number];

/** "Offline criterion: integer at least 10 (minutes)" (requirements §5). */
export const OFFLINE_MINUTES_MIN = 10;

/**
 * How long before its end a subscription expires soon, and how long afterwards a device can be renewed in
 * place.
 */
export interface RenewalTerms {
  expiringMonths: number;
  lapsedMonths: number;
}

const MINUTE_MS = 60_000;

/** All times in epoch milliseconds. */
export interface DeviceFacts {
  /** When it was last seen; null if never. */
  lastSeenAt: number | null;
  offlineAfterMinutes: number;
  /** The first moment that is not paid for; null if unlimited. */
  expiresAt: number | null;
  /** Newest value of its power channel: 1 with external power. */
  power: number | null;
  assetId: number | null;
}

export interface DeviceState {
  connection: ConnectionState;
  /** How long it has been silent beyond its offline standard; null unless it is offline. */
  offlineForMs: number | null;
  term: TermState;
  /** Expiring, expired or lapsed. */
  toBeRenewed: boolean;
  supply: SupplyState;
  bound: boolean;
}

/** Limits between the states of all subscriptions, shared with SQL. */
export interface TermBounds {
  lapsedUntil: number;
  /** The present. */
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

/** The state of a device, derived from facts. */
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

/** The same day of another month in UTC; its last day if it has no such day. */
export function addMonths(at: number, months: number): number {
  const date = new Date(at);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const days = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, days));
  return date.getTime();
}
