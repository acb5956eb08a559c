import { ATTENTIONS } from '@isotherm/domain/devices/attention';
import { CONNECTION_STATES, DEVICE_TYPES, TERM_STATES } from '@isotherm/domain/devices/device-state';
import { z } from 'zod';
import { defineRoute, id } from './route.ts';

const count = z.number().int();
/** Received and due readings over complete UTC days. */
const brought = { received: z.number(), due: z.number() };
const connections = z.record(z.enum(CONNECTION_STATES), count);
const device = z.object({ number: z.string(), name: z.string(), organizationName: z.string() });

/** Problems of devices on a day. */
export const DAY_FAULTS = ['silent', 'incomplete', 'batteryLow', 'signalWeak'] as const;
export type DayFault = (typeof DAY_FAULTS)[number];

/** Periods in days; the newest counted day is the last of each. */
export const STATS_DAYS = [1, 7, 30] as const;

export const deviceStats = z.object({
  total: count,
  connections,
  terms: z.record(z.enum(TERM_STATES), count),
  types: z.record(z.enum(DEVICE_TYPES), count),
  bound: count,
  attention: z.record(z.enum(ATTENTIONS), count),
  /** Largest first; '' for none. Further models are one sum. */
  models: z.array(z.object({ model: z.string(), total: count, connections })),
  otherModels: count,
  /**
   * Organisations directly below the selected one, each with all below it, and its own devices last. Largest
   * first.
   */
  organizations: z.array(
    z.object({
      id: count,
      name: z.string(),
      isOwn: z.boolean(),
      total: count,
      connections,
      ...brought,
      /** Oldest first; only days that were counted. */
      days: z.array(z.object({ day: z.string(), ...brought })),
    }),
  ),
  otherOrganizations: count,
  completeness: z.object({
    ...brought,
    /** Counted days, oldest first. */
    days: z.array(
      z.object({
        day: z.string(),
        ...brought,
        /** Counted devices, and those of them that sent nothing, sent too little, or had a low battery. */
        devices: count,
        silent: count,
        incomplete: count,
        batteryLow: count,
        /** Null if it was not counted. */
        signalWeak: count.nullable(),
      }),
    ),
    /** Devices with the lowest completeness. */
    worst: z.array(device.extend(brought)),
  }),
  offline: z.object({
    /** Time offline in the groups of `OFFLINE_STEPS_H`. */
    groups: z.array(count),
    /** Longest first. */
    longest: z.array(device.extend({ lastSeenAt: z.string() })),
  }),
  /**
   * Newest values in the groups of `BATTERY_STEPS` and `SIGNAL_STEPS`; devices without a value are in no
   * group.
   */
  levels: z.object({ battery: z.array(count), signal: z.array(count) }),
  /** Batteries that will be empty first, as far as there is a trend; percent per day. */
  batteries: z.array(
    device.extend({ battery: z.number().nullable(), perDay: z.number(), daysLeft: z.number() }),
  ),
  /** Devices with the weakest signal; dBm. */
  signals: z.array(device.extend({ signal: z.number() })),
});
export type DeviceStats = z.output<typeof deviceStats>;

/** Throws `organization.not_found`. */
export const getDeviceStats = defineRoute({
  name: 'getDeviceStats',
  method: 'GET',
  path: '/device/stats',
  access: 'device-stats:view',
  summary:
    'Devices of own and subordinate organisations in numbers: states, completeness, batteries, reception',
  query: z.object({
    organizationId: id.optional(),
    days: z.coerce
      .number()
      .pipe(z.union(STATS_DAYS.map((days) => z.literal(days))))
      .default(7),
  }),
  response: deviceStats,
});
