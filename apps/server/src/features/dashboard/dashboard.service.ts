import type { AlarmAnalysis } from '@isotherm/contracts/alarm-history';
import type { ArrangementInput, Dashboard } from '@isotherm/contracts/dashboard';
import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { headlineOf } from '@isotherm/domain/dashboard/headline';
import { limitTime } from '@isotherm/domain/dashboard/limit-time';
import { arrangeTiles, TILES } from '@isotherm/domain/dashboard/tiles';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Alarms } from '../alarms/index.ts';
import type { Billing } from '../billing/index.ts';
import type { DeviceCalls } from '../devices/index.ts';
import {
  countAssets,
  countExpiring,
  countFailedBackups,
  countOpenByLevel,
  countReleasedDevices,
  deleteArrangement,
  findArrangement,
  findName,
  saveArrangement,
  sumOutside,
} from './dashboard.repo.ts';

const DAY_MS = 86_400_000;
const WORST_ALARMS = 5;
/** Unacknowledged alarms that need attention. */
const WAITING_ALARMS = 3;
const EXPIRING_WEEKS = 13;

export interface DashboardNeeds {
  pool: pg.Pool;
  clock: Clock;
  alarms: Pick<Alarms, 'worst' | 'analyze'>;
  devices: Pick<DeviceCalls, 'summary' | 'calibrationCounts'>;
  balances: Billing['balancesOf'];
}

export interface DashboardService {
  get(caller: Caller, days: number): Promise<Dashboard>;
  arrange(caller: Caller, own: ArrangementInput | null): Promise<Dashboard['arrangement']>;
}

export function createDashboardService(needs: DashboardNeeds): DashboardService {
  const { pool, clock, alarms, devices, balances } = needs;

  async function ownArrangement(caller: Caller) {
    return caller.accountId === null ? null : findArrangement(pool, caller.accountId);
  }

  /** The counts of open alarms, and the worst alarms for callers who may see alarms. */
  async function alarmPart(caller: Caller): Promise<NonNullable<Dashboard['alarms']>> {
    const maySee = caller.permissions.has(TILES.alarms.permission);
    const [counts, items, waitingItems] = await Promise.all([
      countOpenByLevel(pool, caller.scope),
      maySee ? alarms.worst(caller, 'all', WORST_ALARMS) : [],
      maySee ? alarms.worst(caller, 'unacknowledged', WAITING_ALARMS) : [],
    ]);
    const levels: [number, number, number, number, number] = [0, 0, 0, 0, 0];
    for (const { level, open } of counts) levels[level - 1] = open;
    const waiting = counts.filter(({ unacknowledged }) => unacknowledged > 0);
    const worst = waiting.sort((a, b) => b.level - a.level)[0];
    return {
      open: sum(levels),
      unacknowledged: sum(waiting.map(({ unacknowledged }) => unacknowledged)),
      worst: worst ? { level: worst.level as AlarmLevel, count: worst.unacknowledged } : null,
      levels,
      items,
      waiting: waitingItems,
    };
  }

  async function limitPart(caller: Caller, days: number, assets: number): Promise<Dashboard['limitTime']> {
    const now = clock.now();
    const to = Math.floor(now / DAY_MS) * DAY_MS + DAY_MS;
    const middle = to - days * DAY_MS;
    const [present, before] = await Promise.all([
      sumOutside(pool, caller.scope, new Date(middle), new Date(to), new Date(now)),
      sumOutside(pool, caller.scope, new Date(middle - days * DAY_MS), new Date(middle), new Date(now)),
    ]);
    const found = limitTime(present, assets, now);
    return found && { ...found, before: limitTime(before, assets, now)?.share ?? null };
  }

  return {
    async get(caller, days) {
      const now = clock.now();
      const may = (tile: keyof typeof TILES) => caller.permissions.has(TILES[tile].permission);
      const only = <T>(isAllowed: boolean, load: () => Promise<T>): Promise<T | null> =>
        isAllowed ? load() : Promise.resolve(null);
      const [organizationName, own, assets] = await Promise.all([
        findName(pool, caller.organizationId),
        ownArrangement(caller),
        countAssets(pool, caller.scope),
      ]);
      const [
        open,
        summary,
        analysis,
        limits,
        balance,
        expiringByWeek,
        calibrations,
        failedBackups,
        releasedDevices,
      ] = await Promise.all([
        alarmPart(caller),
        only(may('devices'), () => devices.summary(caller, days)),
        only(may('history'), () => alarms.analyze(caller, new Date(now - days * DAY_MS), new Date(now))),
        only(may('limit-time'), () => limitPart(caller, days, assets.total - assets.unwatched)),
        only(may('balance'), () => balances(caller)),
        only(may('expiring'), () => countExpiring(pool, caller.scope, new Date(now), EXPIRING_WEEKS)),
        only(caller.permissions.has('device-calibration:view'), () => devices.calibrationCounts(caller)),
        only(caller.permissions.has('setting-backup:view'), () => countFailedBackups(pool, caller.scope)),
        only(caller.permissions.has('device-expired:view'), () => countReleasedDevices(pool, caller.scope)),
      ]);
      return {
        organizationName,
        headline: headlineOf({
          unacknowledged: open.worst,
          open: open.open,
          assets: assets.total,
          silent: assets.silent,
          unwatched: assets.unwatched,
        }),
        assets,
        arrangement: copyOf(arrangeTiles(own, caller.permissions)),
        isArranged: own !== null,
        alarms: may('alarms') ? open : null,
        devices: summary?.devices ?? null,
        completeness: summary?.completeness ?? null,
        history: analysis && historyOf(analysis),
        limitTime: limits,
        balances: balance,
        expiringByWeek,
        calibrations: calibrations && { dueSoon: calibrations['due-soon'], overdue: calibrations.overdue },
        failedBackups,
        releasedDevices,
      };
    },

    async arrange(caller, own) {
      // An API key has no dashboard of its own.
      if (caller.accountId !== null) {
        if (own === null) await deleteArrangement(pool, caller.accountId);
        else await saveArrangement(pool, caller.accountId, own, new Date(clock.now()));
      }
      return copyOf(arrangeTiles(own, caller.permissions));
    },
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const copyOf = ({ shown, hidden }: ReturnType<typeof arrangeTiles>): Dashboard['arrangement'] => ({
  shown: [...shown],
  hidden: [...hidden],
});

function historyOf({
  from,
  to,
  total,
  totalBefore,
  levels,
  steps,
  stepDays,
  acknowledgement,
}: AlarmAnalysis) {
  return {
    from,
    to,
    total,
    totalBefore,
    levels,
    steps,
    stepDays,
    acknowledgement: acknowledgement.map(({ level, acknowledged, open, medianS }) => ({
      level,
      acknowledged,
      open,
      medianS,
    })),
  };
}
