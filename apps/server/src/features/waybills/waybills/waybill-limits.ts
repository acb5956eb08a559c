import { AppError, InvalidFieldsError } from '@isotherm/contracts/errors';
import type { WaybillInput } from '@isotherm/contracts/waybills';
import { DEFAULT_ACTIVATION_KJ } from '@isotherm/domain/readings/mean-kinetic';
import type { Db } from '../../../platform/db/pool.ts';
import { findProfileById, findProfileFor, type ProfileRow } from '../profiles/profiles.repo.ts';
import type { WaybillLimits } from './waybills.repo.ts';

type Form = Pick<WaybillInput, 'profileId' | 'temperatureLow' | 'temperatureHigh' | 'preCoolMinutes'>;

/** Products that were read, so that an import reads each once. */
export type KnownProducts = Map<string, Promise<ProfileRow | null>>;

/**
 * Returns the limits of a new waybill of an organisation: those of its product, with its own temperatures instead.
 * Throws `profile.not_found`, also for a product of another organisation, `waybill.limits`, and `request.invalid`
 * without a product and temperatures.
 */
export async function limitsFor(
  db: Db,
  organizationPath: string,
  form: Form,
  known: KnownProducts = new Map(),
): Promise<WaybillLimits> {
  const key = `${organizationPath} ${form.profileId}`;
  const read = () => (form.profileId === null ? null : findProfileFor(db, organizationPath, form.profileId));
  if (!known.has(key)) known.set(key, Promise.resolve(read()));
  const profile = (await known.get(key)) ?? null;
  if (form.profileId !== null && !profile?.enabled) throw new AppError('profile.not_found');
  const limits = combined(form, profile);
  if (!limits)
    throw new InvalidFieldsError(
      (['temperatureLow', 'temperatureHigh'] as const)
        .filter((field) => form[field] === null)
        .map((field) => ({ field: `waybill.${field}`, rule: 'required', params: {} })),
    );
  if (limits.temperatureHigh < limits.temperatureLow) throw new AppError('waybill.limits');
  return limits;
}

/**
 * Returns the limits at the departure: those that the product has now, also if it was disabled or is no longer
 * shared, and whoever records the departure. They
 * stay as they were if the product was deleted or no longer fits the waybill's own temperatures.
 */
export async function limitsAtDeparture(
  db: Db,
  before: Form & { limits: WaybillLimits },
): Promise<WaybillLimits> {
  const profile = before.profileId === null ? null : await findProfileById(db, before.profileId);
  const limits = profile && combined(before, profile);
  return limits && limits.temperatureHigh >= limits.temperatureLow ? limits : before.limits;
}

/** Null if neither the waybill nor a product has a range. */
function combined(form: Form, profile: ProfileRow | null): WaybillLimits | null {
  const low = form.temperatureLow ?? profile?.temperatureLow;
  const high = form.temperatureHigh ?? profile?.temperatureHigh;
  if (low === undefined || high === undefined) return null;
  return {
    temperatureLow: low,
    temperatureHigh: high,
    humidityLow: profile?.humidityLow ?? null,
    humidityHigh: profile?.humidityHigh ?? null,
    budget: profile?.budget ?? [],
    mktLimit: profile?.mktLimit ?? null,
    activationKj: profile?.activationKj ?? DEFAULT_ACTIVATION_KJ,
    profileName: profile?.name ?? null,
    profileVersion: profile?.version ?? null,
    preCoolMinutes: (form.preCoolMinutes ?? profile?.preCoolMinutes) || null,
  };
}
