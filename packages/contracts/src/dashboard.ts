import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { HEADLINES } from '@isotherm/domain/dashboard/headline';
import { TILE_NAMES } from '@isotherm/domain/dashboard/tiles';
import { CONNECTION_STATES, TERM_STATES } from '@isotherm/domain/devices/device-state';
import { z } from 'zod';
import { alarmAnalysis } from './alarm-history.ts';
import { alarm } from './alarms.ts';
import { balance } from './billing.ts';
import { deviceStats } from './device-stats.ts';
import { defineRoute } from './route.ts';

/** Lengths of the dashboard's period in days. */
export const DASHBOARD_DAYS = [7, 30] as const;

const count = z.number().int();
const share = z.number().min(0).max(1);
const level = z.union(ALARM_LEVELS.map((each) => z.literal(each)));

const arrangement = z.strictObject({
  shown: z.array(z.enum(TILE_NAMES)).max(TILE_NAMES.length),
  hidden: z.array(z.enum(TILE_NAMES)).max(TILE_NAMES.length),
});
export type ArrangementInput = z.output<typeof arrangement>;

export const dashboard = z.object({
  organizationName: z.string(),
  headline: z.enum(HEADLINES),
  assets: z.object({
    total: count,
    /** Number of assets without an open alarm. */
    calm: count,
    /** Number of assets from which no data arrives. */
    silent: count,
    /** Number of assets without a rule in force, for which no alarm can be raised. */
    unwatched: count,
  }),
  arrangement,
  /** True if the user has an arrangement of their own. */
  isArranged: z.boolean(),
  // Each part is null for a user who may not see it.
  alarms: z
    .object({
      open: count,
      unacknowledged: count,
      /** Highest level of the alarms that nobody has acknowledged, and their number at this level. */
      worst: z.object({ level, count }).nullable(),
      /** Number of open alarms by level, for levels 1 to 5. */
      levels: z.tuple([count, count, count, count, count]),
      /** The worst alarms that are open or not acknowledged. */
      items: z.array(alarm),
      /** The worst alarms that nobody has acknowledged. */
      waiting: z.array(alarm),
    })
    .nullable(),
  devices: z
    .object({
      total: count,
      bound: count,
      connections: z.record(z.enum(CONNECTION_STATES), count),
      terms: z.record(z.enum(TERM_STATES), count),
      attention: deviceStats.shape.attention,
    })
    .nullable(),
  /** Completeness of the organisations directly below, over UTC days. */
  completeness: z
    .object({
      received: z.number(),
      due: z.number(),
      organizations: z.array(
        z.object({
          id: count,
          name: z.string(),
          received: z.number(),
          due: z.number(),
          days: z.array(z.object({ day: z.string(), received: z.number(), due: z.number() })),
        }),
      ),
    })
    .nullable(),
  history: alarmAnalysis
    .pick({ from: true, to: true, total: true, totalBefore: true, levels: true, steps: true, stepDays: true })
    .extend({
      acknowledgement: z.array(
        z.object({ level, acknowledged: count, open: count, medianS: z.number().nullable() }),
      ),
    })
    .nullable(),
  /** Share of the time of all assets without an alarm about a limit, by UTC day; null without assets. */
  limitTime: z
    .object({ share, before: share.nullable(), days: z.array(z.object({ day: z.string(), share })) })
    .nullable(),
  balances: z.array(balance.omit({ course: true })).nullable(),
  /** Number of devices whose subscription ends in each of the next 13 weeks. */
  expiringByWeek: z.array(count).nullable(),
  /** Sensors whose calibration is due soon or overdue. */
  calibrations: z.object({ dueSoon: count, overdue: count }).nullable(),
  /** Number of configurations whose last backup has failed or which the server has paused. */
  failedBackups: count.nullable(),
  /** Number of expired devices whose data will be deleted. */
  releasedDevices: count.nullable(),
});
export type Dashboard = z.output<typeof dashboard>;

export const getDashboard = defineRoute({
  name: 'getDashboard',
  method: 'GET',
  path: '/dashboard',
  access: 'dashboard:view',
  summary: 'Everything that the dashboard shows the caller, in one response',
  query: z.object({
    days: z.coerce
      .number()
      .pipe(z.union(DASHBOARD_DAYS.map((days) => z.literal(days))))
      .default(30),
  }),
  response: dashboard,
});

/** Stores the caller's own arrangement of tiles; null returns to the default. */
export const arrangeDashboard = defineRoute({
  name: 'arrangeDashboard',
  method: 'PUT',
  path: '/dashboard/arrangement',
  access: 'dashboard:view',
  summary: 'Arrange the tiles of the own dashboard',
  body: z.strictObject({ arrangement: arrangement.nullable() }),
  response: arrangement,
});
