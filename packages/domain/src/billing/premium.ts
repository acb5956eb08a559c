/** Services that an organisation tries or buys (requirements §2, "premium services"). */
export const PREMIUM_SERVICES = ['backup', 'smart-screen'] as const;
export type PremiumService = (typeof PREMIUM_SERVICES)[number];

/** States of a service (requirements §4), and `ended` after a trial or an activation. */
export const PREMIUM_STATES = ['not-activated', 'trial', 'active', 'ended'] as const;
export type PremiumState = (typeof PREMIUM_STATES)[number];

/** Requirements §9: "Trial of backup: 1 week, 50 devices; smart screen trial 1 week". */
export const TRIAL_MS = 7 * 86_400_000;
export const TRIAL_DEVICES: Readonly<Record<PremiumService, number | null>> = {
  backup: 50,
  'smart-screen': null,
};

/** What is stored of a service of an organisation; times in epoch ms. */
export interface PremiumRecord {
  trialStartedAt: number | null;
  activatedAt: number | null;
  /** First moment that is not activated. */
  activeUntil: number | null;
  deviceLimit: number | null;
}

export const NO_PREMIUM: PremiumRecord = {
  trialStartedAt: null,
  activatedAt: null,
  activeUntil: null,
  deviceLimit: null,
};

export interface Premium {
  state: PremiumState;
  /** End of the trial or of the activation; null if there was none. */
  until: number | null;
  /** Largest number of devices; null without limit, and 0 if the service may not be used. */
  deviceLimit: number | null;
}

/** The state of a service at a moment. An activation comes before a trial. */
export function premiumAt(service: PremiumService, record: PremiumRecord, now: number): Premium {
  const { trialStartedAt, activeUntil, deviceLimit } = record;
  const trialUntil = trialStartedAt === null ? null : trialStartedAt + TRIAL_MS;
  if (activeUntil !== null && now < activeUntil) return { state: 'active', until: activeUntil, deviceLimit };
  if (trialUntil !== null && now < trialUntil)
    return { state: 'trial', until: trialUntil, deviceLimit: TRIAL_DEVICES[service] };
  const ends = [trialUntil, activeUntil].filter((end) => end !== null);
  if (ends.length === 0) return { state: 'not-activated', until: null, deviceLimit: 0 };
  return { state: 'ended', until: Math.max(...ends), deviceLimit: 0 };
}

export type PremiumEvent =
  /** The organisation tries the service. */
  | { type: 'trial' }
  /** The platform activates it, or changes the activation. */
  | { type: 'activate'; until: number; deviceLimit: number | null }
  /** The platform ends the activation. */
  | { type: 'end' };

/**
 * What an event makes of the record, or why it is refused: `used` if the organisation has tried or had the service
 * before, `until` for an end that is not in the future, `inactive` if there is nothing to end.
 */
export function stepPremium(
  record: PremiumRecord,
  event: PremiumEvent,
  now: number,
): PremiumRecord | { refused: 'used' | 'until' | 'inactive' } {
  switch (event.type) {
    case 'trial':
      if (record.trialStartedAt !== null || record.activatedAt !== null) return { refused: 'used' };
      return { ...record, trialStartedAt: now };
    case 'activate':
      if (event.until <= now) return { refused: 'until' };
      return {
        ...record,
        activatedAt: record.activeUntil !== null && now < record.activeUntil ? record.activatedAt : now,
        activeUntil: event.until,
        deviceLimit: event.deviceLimit,
      };
    case 'end':
      if (record.activeUntil === null || record.activeUntil <= now) return { refused: 'inactive' };
      return { ...record, activeUntil: now };
  }
}

const RANK: Readonly<Record<PremiumState, number>> = { active: 3, trial: 2, ended: 1, 'not-activated': 0 };

/**
 * The service that an organisation may use, from its own and those of the organisations above it, the nearest first: the
 * nearest activation, otherwise the nearest trial, otherwise what ended.
 */
export function inheritedPremium<T extends Premium>(nearestFirst: readonly T[]): T | null {
  return nearestFirst.reduce<T | null>(
    (best, each) => (best === null || RANK[each.state] > RANK[best.state] ? each : best),
    null,
  );
}
