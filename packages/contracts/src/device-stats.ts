import { ATTENTIONS } from '@isotherm/domain/devices/attention';
import { CONNECTION_STATES, DEVICE_TYPES, TERM_STATES } from '@isotherm/domain/devices/device-state';
import { z } from 'zod';
import { defineRoute, id } from './route.ts';

const count = z.number().int();
/** Number of received and expected readings over complete UTC days. */
const brought = { received: z.number(), due: z.number() };
const connections = z.record(z.enum(CONNECTION_STATES), count);
const device = z.object({ number: z.string(), name: z.string(), organizationName: z.string() });

/** Problems that a device can have on a day. */
export const DAY_FAULTS = ['silent', 'incomplete', 'batteryLow', 'signalWeak'] as const;
export type DayFault = (typeof DAY_FAULTS)[number];

/** Lengths of the period in days. Each period ends with the newest counted day. */
export const STATS_DAYS = [1, 7, 30] as const;

export const deviceStats = z.object({
  total: count,
  connections,
  terms: z.record(z.enum(TERM_STATES), count),
  types: z.record(z.enum(DEVICE_TYPES), count),
  bound: count,
  attention: z.record(z.enum(ATTENTIONS), count),
  /**
   * Number of devices by model, largest first; '' for devices without a model. Further models are added up.
   */
  models: z.array(z.object({ model: z.string(), total: count, connections })),
  otherModels: count,
  /**
   * Organisations directly below the selected one, each with all its descendants, largest first; the devices
   * of the selected one itself come last.
   */
  organizations: z.array(
    z.object({
      id: count,
      name: z.string(),
      isOwn: z.boolean(),
      total: count,
      connections,
      ...brought,
      /** Counted days, oldest first. */
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
        /**
         * Number of counted devices, and of those that sent nothing, sent too little, or had a low battery.
         */
        devices: count,
        silent: count,
        incomplete: count,
        batteryLow: count,
        /** Number of devices with a weak signal; null if it was not counted. */
        signalWeak: count.nullable(),
      }),
    ),
    /** Devices with the lowest completeness. */
    worst: z.array(device.extend(brought)),
  }),
  offline: z.object({
    /** Number of devices by time offline, in the groups of `OFFLINE_STEPS_H`. */
    groups: z.array(count),
    /** Devices that have been offline longest, the longest first. */
    longest: z.array(device.extend({ lastSeenAt: z.string() })),
  }),
  /**
   * Number of devices by newest value, in the groups of `BATTERY_STEPS` and `SIGNAL_STEPS`. Devices without
   * a value are in no group.
   */
  levels: z.object({ battery: z.array(count), signal: z.array(count) }),
  /** Batteries that will be empty first, if there is a trend, in percent per day. */
  batteries: z.array(
    device.extend({ battery: z.number().nullable(), perDay: z.number(), daysLeft: z.number() }),
  ),
  /** Devices with the weakest signal, in dBm. */
  signals: z.array(device.extend({ signal: z.number() })),
});
export type DeviceStats = z.output<typeof deviceStats>;

/** Reads the device statistics of an organisation. Throws `organization.not_found`. */
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
