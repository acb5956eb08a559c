import type { DeviceStats, getDeviceStats } from '@isotherm/contracts/device-stats';
import { AppError } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import { momentsOf } from '../registry/device-filter.ts';
import type { RenewalPolicyReader } from '../renewal/renewal-policy.ts';
import {
  countLevels,
  countModels,
  countOrganizations,
  countTotals,
  findLastCounted,
  listDays,
  listEndingBatteries,
  listOffline,
  listWeakSignals,
  listWorst,
} from './stats.repo.ts';

export interface StatsService {
  get(caller: Caller, query: z.output<(typeof getDeviceStats)['query']>): Promise<DeviceStats>;
}

const DAY_MS = 86_400_000;
const MOST_GROUPS = 20;
const MOST_DEVICES = 10;

export function createStatsService(pool: pg.Pool, renewal: RenewalPolicyReader, clock: Clock): StatsService {
  return {
    /** Throws `organization.not_found`. */
    async get(caller, { organizationId, days }) {
      const path =
        organizationId === undefined
          ? caller.scope
          : await findOrganizationPath(pool, caller.scope, organizationId);
      if (path === null) throw new AppError('organization.not_found');
      const now = clock.now();
      const last = await findLastCounted(pool);
      const since = new Date((last === null ? now : Date.parse(last)) - (days - 1) * DAY_MS)
        .toISOString()
        .slice(0, 10);
      const moments = momentsOf(path, await renewal.bounds());
      const [
        { offlineGroups, ...totals },
        models,
        organizations,
        worst,
        batteries,
        signals,
        levels,
        longest,
      ] = await Promise.all([
        countTotals(pool, moments),
        countModels(pool, moments, MOST_GROUPS),
        countOrganizations(pool, moments, days, MOST_GROUPS),
        listWorst(pool, path, days, MOST_DEVICES),
        listEndingBatteries(pool, path, new Date(now), MOST_DEVICES),
        listWeakSignals(pool, path, MOST_DEVICES),
        countLevels(pool, path),
        listOffline(pool, moments, MOST_DEVICES),
      ]);
      const counted = await listDays(
        pool,
        path,
        since,
        organizations.map(({ below }) => below),
      );
      return {
        ...totals,
        models: models.map(({ all, ...model }) => model),
        otherModels: beyond(models),
        organizations: organizations.map(({ all, below, ...organization }) => ({
          ...organization,
          days: counted.below.get(below) ?? [],
        })),
        otherOrganizations: beyond(organizations),
        completeness: {
          received: sum(counted.days.map(({ received }) => received)),
          due: sum(counted.days.map(({ due }) => due)),
          days: counted.days,
          worst,
        },
        offline: { groups: offlineGroups, longest },
        levels,
        batteries,
        signals,
      };
    },
  };
}

/** Number of devices in groups that are not listed. */
const beyond = (groups: readonly { total: number; all: number }[]): number =>
  (groups[0]?.all ?? 0) - sum(groups.map(({ total }) => total));

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
