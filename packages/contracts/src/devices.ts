import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { CHANNEL_ALARM_KINDS, isSilence } from '@isotherm/domain/alarms/catalogue';
import { ASSET_KINDS, ASSET_TYPES, isTypeOf } from '@isotherm/domain/assets/asset-kind';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { DEVICE_TOKEN } from './ingest.ts';
import { defineRoute, timeZone } from './route.ts';

/** An alarm rule of a channel. Times are in milliseconds, values in the canonical unit. */
export const ruleInput = z
  .object({
    kind: z.enum(CHANNEL_ALARM_KINDS),
    level: z.number().int().min(1).max(ALARM_LEVELS.length),
    /** Limit in the canonical unit; required for high and low. */
    limit: z.number().optional(),
    recoveryMargin: z.number().min(0).default(0),
    /** Trigger delay. It may be 0 for level 1 and must be above 0 for levels 2–5 (decision 6). */
    triggerAfterMs: z.number().int().min(0),
    /** How long readings must be within the limit again before the alarm ends. */
    recoverAfterMs: z.number().int().min(0).default(0),
  })
  .refine((rule) => isSilence(rule.kind) || rule.limit !== undefined, {
    path: ['limit'],
    error: 'required',
  })
  .refine((rule) => rule.level === 1 || rule.triggerAfterMs > 0, {
    path: ['triggerAfterMs'],
    error: 'above 0',
  });

/** Returns true if no two items have the same key. */
function haveDistinct<T>(items: readonly T[], key: (item: T) => unknown): boolean {
  return new Set(items.map(key)).size === items.length;
}

export const provisionItem = z.object({
  asset: z
    .object({
      code: z.string().min(1).max(64),
      name: z.string().min(1).max(120),
      kind: z.enum(ASSET_KINDS),
      /** Type of the asset within its kind, if the kind has types. */
      type: z.enum([...ASSET_TYPES.refrigerator, ...ASSET_TYPES.vehicle]).optional(),
      /** Plate of a vehicle. */
      plate: z.string().max(20).optional(),
      model: z.string().max(120).default(''),
      place: z.string().max(200).default(''),
      timeZone: timeZone.default('UTC'),
      latitude: z.number().min(-90).max(90).optional(),
      longitude: z.number().min(-180).max(180).optional(),
      /** Code of an organisation in the user's scope; the default is the user's own. */
      organizationCode: z.string().max(64).optional(),
    })
    .refine(({ type, kind }) => type === undefined || isTypeOf(type, kind), { path: ['type'] }),
  device: z.object({
    /** Device number with 8 digits (requirements §5). */
    number: z.string().regex(/^\d{8}$/),
    name: z.string().min(1).max(120),
    model: z.string().max(120).default(''),
    /** Secret with which the device authenticates; 32 to 128 characters. Only its hash is stored. */
    key: z.string().min(32).max(128),
    /** Access token that the device has kept from ThingsBoard; only its hash is stored. */
    token: z.string().regex(DEVICE_TOKEN).optional(),
    /** Number of the gateway that sends the readings of the device, if it is behind one. */
    gatewayNumber: z
      .string()
      .regex(/^\d{8}$/)
      .optional(),
    /** LoRaWAN DevEUI of the device, 16 hexadecimal digits. */
    devEui: z
      .string()
      .regex(/^[0-9a-fA-F]{16}$/)
      .transform((text) => text.toLowerCase())
      .optional(),
    acquisitionIntervalMs: z.number().int().min(1000).max(86_400_000).default(60_000),
  }),
  sensors: z
    .array(
      z.object({
        index: z.number().int().min(1).max(64),
        serial: z.string().min(1).max(64),
        name: z.string().min(1).max(120),
        channels: z
          .array(
            z.object({
              indicator: z.enum(INDICATOR_NAMES),
              name: z.string().min(1).max(120),
              rules: z.array(ruleInput).max(20).default([]),
            }),
          )
          .min(1)
          .max(14)
          .refine((channels) => haveDistinct(channels, (channel) => channel.indicator)),
      }),
    )
    .min(1)
    .max(64)
    .refine((sensors) => haveDistinct(sensors, (sensor) => sensor.index)),
});
export type ProvisionItem = z.input<typeof provisionItem>;

/**
 * POST /device/provision: creates assets with their devices, sensors, channels and rules, up to 500 at a
 * time. The route is idempotent by device number: a device that exists in the user's scope is not changed
 * and counted under `existing`; one that exists elsewhere is refused (`device.number_taken`).
 */
export const provisionDevices = defineRoute({
  name: 'provisionDevices',
  method: 'POST',
  path: '/device/provision',
  access: 'device-list:import',
  summary: 'Bring assets, devices, sensors, channels and rules into service',
  body: z.object({
    items: z
      .array(provisionItem)
      .min(1)
      .max(500)
      .refine((items) => haveDistinct(items, (item) => item.device.number)),
  }),
  response: z.object({ created: z.number().int(), existing: z.number().int() }),
});
