import { z } from 'zod';
import { batchResult } from './batches.ts';
import { deviceNumber, reason } from './fields.ts';
import { defineRoute, id } from './route.ts';

/** Number of days in which deleted devices can be restored. */
export const DELETED_KEEP_DAYS = 30;
const MOST_AT_ONCE = 500;

const numbers = z.array(deviceNumber).min(1).max(MOST_AT_ONCE);

/**
 * Moves devices to another organisation. Bound devices are refused, because the devices of an asset belong
 * to its organisation.
 */
export const moveDevices = defineRoute({
  name: 'moveDevices',
  method: 'POST',
  path: '/device/list/move',
  access: 'device-list:move',
  summary: 'Move devices to another organisation',
  body: z.strictObject({ numbers, organizationId: id }),
  response: batchResult,
});

/** Binds devices to an asset. Earlier readings stay with the asset where they were measured. */
export const bindDevices = defineRoute({
  name: 'bindDevices',
  method: 'POST',
  path: '/device/list/bind',
  access: 'device-list:bind',
  summary: 'Bind devices to assets of their organisation',
  body: z.strictObject({
    bonds: z
      .array(z.strictObject({ number: deviceNumber, assetId: id }))
      .min(1)
      .max(MOST_AT_ONCE),
  }),
  response: batchResult,
});

export const unbindDevices = defineRoute({
  name: 'unbindDevices',
  method: 'POST',
  path: '/device/list/unbind',
  access: 'device-list:bind',
  summary: 'Take devices off their assets',
  body: z.strictObject({ numbers, reason }),
  response: batchResult,
});

/** Finds the assets that a device can be bound to. */
export const findBindableAssets = defineRoute({
  name: 'findBindableAssets',
  method: 'GET',
  path: '/device/list/assets',
  access: 'device-list:bind',
  summary: 'Assets of own and subordinate organisations by name or code',
  query: z.object({ search: z.string().max(100).default(''), organizationId: id.optional() }),
  response: z.array(
    z.object({ id: z.number().int(), name: z.string(), code: z.string(), organizationName: z.string() }),
  ),
});

/**
 * Renews the subscription of devices, counted from the last paid day (requirements §9). A device that
 * expired too long ago is refused: it must be sent in.
 */
export const renewDevices = defineRoute({
  name: 'renewDevices',
  method: 'POST',
  path: '/device/expired/renew',
  access: 'device-expired:renew',
  summary: 'Renew devices by months',
  body: z.strictObject({ numbers, months: z.number().int().min(1).max(120), reason }),
  response: batchResult,
});

/** Returns what is deleted together with devices. */
export const getDeletionOutlook = defineRoute({
  name: 'getDeletionOutlook',
  method: 'POST',
  path: '/device/list/deletion',
  access: 'device-list:delete',
  summary: 'What deleting these devices would take along',
  body: z.strictObject({ numbers }),
  response: z.object({
    devices: z.number().int(),
    channels: z.number().int(),
    rules: z.number().int(),
    openAlarms: z.number().int(),
    openCommands: z.number().int(),
    bound: z.number().int(),
    /** Number of devices that are connected through these gateways. */
    behind: z.number().int(),
  }),
});

/**
 * Deletes devices. They can be restored for {@link DELETED_KEEP_DAYS} days. When the response arrives, their
 * readings are no longer accepted.
 */
export const deleteDevices = defineRoute({
  name: 'deleteDevices',
  method: 'POST',
  path: '/device/list/delete',
  access: 'device-list:delete',
  summary: 'Delete devices; they can be brought back for 30 days',
  body: z.strictObject({ numbers, reason }),
  response: batchResult,
});

export const restoreDevices = defineRoute({
  name: 'restoreDevices',
  method: 'POST',
  path: '/device/list/restore',
  access: 'device-list:delete',
  summary: 'Bring deleted devices back as they were',
  body: z.strictObject({ numbers }),
  response: batchResult,
});
