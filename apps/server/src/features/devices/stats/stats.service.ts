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
  /** The counts that the dashboard shows, of the caller's organisation and below. */
  summary(caller: Caller, days: number): Promise<DeviceSummary>;
}

export interface DeviceSummary {
  devices: Pick<DeviceStats, 'total' | 'bound' | 'connections' | 'terms' | 'attention'>;
  /** Received and expected readings, of everything and of the organisations directly below. */
  completeness: {
    received: number;
    due: number;
    organizations: Pick<DeviceStats['organizations'][number], 'id' | 'name' | 'received' | 'due' | 'days'>[];
  };
}

const DAY_MS = 86_400_000;
const MOST_GROUPS = 20;
/** Organisations in the summary. */
const MOST_SUMMED = 4;
const MOST_DEVICES = 10;

export function createStatsService(pool: pg.Pool, renewal: RenewalPolicyReader, clock: Clock): StatsService {
  /** First day of a period of this length, which ends with the newest counted day. */
  async function firstDay(days: number): Promise<string> {
    const last = await findLastCounted(pool);
    const end = last === null ? clock.now() : Date.parse(last);
    return new Date(end - (days - 1) * DAY_MS).toISOString().slice(0, 10);
  }

  return {
    async summary({ scope }, days) {
      const moments = momentsOf(scope, await renewal.bounds());
      const [{ total, bound, connections, terms, attention }, organizations, since] = await Promise.all([
        countTotals(pool, moments),
        countOrganizations(pool, moments, days, MOST_SUMMED),
        firstDay(days),
      ]);
      const counted = await listDays(
        pool,
        scope,
        since,
        organizations.map(({ below }) => below),
      );
      return {
        devices: { total, bound, connections, terms, attention },
        completeness: {
          received: sum(counted.days.map(({ received }) => received)),
          due: sum(counted.days.map(({ due }) => due)),
          organizations: organizations.map(({ id, name, received, due, below }) => ({
            id,
            name,
            received,
            due,
            days: counted.below.get(below) ?? [],
          })),
        },
      };
    },

    /** Throws `organization.not_found`. */
    async get(caller, { organizationId, days }) {
      const path =
        organizationId === undefined
          ? caller.scope
          : await findOrganizationPath(pool, caller.scope, organizationId);
      if (path === null) throw new AppError('organization.not_found');
      const now = clock.now();
      const since = await firstDay(days);
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
