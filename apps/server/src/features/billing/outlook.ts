import {
  outageUnits,
  WARNED_COMMODITIES,
  type WarnedCommodity,
} from '@isotherm/domain/billing/balance-warning';
import { lastsDays } from '@isotherm/domain/billing/forecast';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/pool.ts';
import { findOrganizationPath } from '../identity/index.ts';
import { findBalances } from './balances.repo.ts';
import type { Ledger } from './ledger.ts';
import { findFunded, findSiteReaches, findUnitsPerMessage } from './outlook.repo.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;

/** How long a balance lasts, and what the outage of a site would cost. */
export interface BalanceOutlook {
  available: number;
  /** Days that it lasts at the rate of the last 30 days; null if nothing was used. */
  lastsDays: number | null;
  /**
   * Finds the units that the most expensive outage of a site costs, if all its alarms rise and end. It reads all rules, so
   * it is asked only when it is told.
   */
  outageUnits(): Promise<number>;
}

/** Units that the outage of a site of a payer costs. */
export async function outageOf(
  db: Db,
  clock: Clock,
  payerId: number,
  commodity: WarnedCommodity,
): Promise<number> {
  const path = await findOrganizationPath(db, '/', payerId);
  if (path === null) return 0;
  const since = new Date(clock.now() - DAYS * DAY_MS);
  const reaches = await findSiteReaches(db, path, commodity);
  return outageUnits(reaches, (await findUnitsPerMessage(db, payerId, commodity, since)) ?? 1);
}

/** The balances that pay for an organisation, with their outlook; none of which the payer never had units. */
export async function findOutlook(
  db: Db,
  ledger: Pick<Ledger, 'payerOf'>,
  clock: Clock,
  organizationId: number,
): Promise<Partial<Record<WarnedCommodity, BalanceOutlook>>> {
  const payerId = await ledger.payerOf(db, organizationId);
  const rows = await findBalances(db, payerId, new Date(clock.now() - DAYS * DAY_MS));
  const funded = await findFunded(db, payerId);
  const found: Partial<Record<WarnedCommodity, BalanceOutlook>> = {};
  for (const commodity of WARNED_COMMODITIES) {
    if (!funded.has(commodity)) continue;
    const { available = 0, used = 0 } = rows.find((row) => row.commodity === commodity) ?? {};
    found[commodity] = {
      available,
      lastsDays: lastsDays(available, used, DAYS),
      outageUnits: () => outageOf(db, clock, payerId, commodity),
    };
  }
  return found;
}
