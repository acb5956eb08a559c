import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import {
  MAINTENANCE_KINDS,
  MAINTENANCE_MEASURES,
  type MaintenanceMeasure,
} from '@isotherm/domain/assets/maintenance-norms';
import { z } from 'zod';
import { attachmentRoutes } from './attachments.ts';
import { currency, label, orNone, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/**
 * Range of accepted values. It is wider than any norm, so that values out of range can be recorded, and
 * narrow enough to detect a misplaced decimal point.
 */
const measured = z.strictObject(
  Object.fromEntries(
    MAINTENANCE_MEASURES.map((measure) => [measure, z.number().min(-100).max(1_000).optional()]),
  ) as Record<MaintenanceMeasure, z.ZodOptional<z.ZodNumber>>,
);

/** Form fields of a maintenance record except its asset. */
export const maintenanceFields = {
  kind: z.enum(MAINTENANCE_KINDS),
  doneOn: z.iso.date({ error: 'format' }),
  /** Person or company that did the maintenance. */
  doneBy: label(),
  measured,
  work: prose(2000).default(''),
  nextDueOn: z.iso.date({ error: 'format' }).nullable().default(null),
  cost: z.number().min(0).max(9_999_999_999).multipleOf(0.01).nullable().default(null),
  /** Currency of the cost. */
  currency: orNone(currency).default(''),
};
type Form = z.output<z.ZodObject<typeof maintenanceFields>>;

/** Checks "End later than start" (requirements §5), and that a cost has a currency. */
export function wholeRecord<T extends z.ZodType<Pick<Form, 'doneOn' | 'nextDueOn' | 'cost' | 'currency'>>>(
  schema: T,
): T {
  return schema
    .refine(({ doneOn, nextDueOn }) => nextDueOn === null || nextDueOn > doneOn, {
      path: ['nextDueOn'],
      error: 'above-other',
    })
    .refine(({ cost, currency }) => cost === null || currency !== '', {
      path: ['currency'],
      error: 'required',
    }) as T;
}

export const maintenanceRecord = z.object({
  id: z.number().int(),
  asset: z.object({
    id: z.number().int(),
    name: z.string(),
    code: z.string(),
    kind: z.enum(ASSET_KINDS),
  }),
  organizationName: z.string(),
  ...maintenanceFields,
  /** Measured values outside their norms (requirements §9). */
  outside: z.array(z.enum(MAINTENANCE_MEASURES)),
  /** Number of files attached to the record. */
  files: z.number().int(),
  /** True if a newer record of the same asset determines when the next maintenance is due. */
  superseded: z.boolean(),
  changedBy: z.string(),
  changedAt: moment,
});
export type MaintenanceRecord = z.output<typeof maintenanceRecord>;

/**
 * Filters of the list: all records, records with values out of range, and records due within a month or
 * overdue.
 */
export const MAINTENANCE_SHOWN = ['all', 'outside', 'due'] as const;

export const listMaintenance = defineRoute({
  name: 'listMaintenance',
  method: 'GET',
  path: '/asset-maintenance',
  access: 'asset-maintenance:view',
  summary: 'Maintenance records of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    shown: z.enum(MAINTENANCE_SHOWN).default('all'),
    kind: z.enum(MAINTENANCE_KINDS).optional(),
    assetId: id.optional(),
    sort: z.enum(['doneOn', 'nextDueOn', 'assetName', 'cost']).default('doneOn'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(maintenanceRecord),
});

/** Reads a maintenance record. Throws `maintenance.not_found`. */
export const getMaintenance = defineRoute({
  name: 'getMaintenance',
  method: 'GET',
  path: '/asset-maintenance/:id',
  access: 'asset-maintenance:view',
  summary: 'One maintenance record',
  params: z.object({ id }),
  response: maintenanceRecord,
});

/** Creates a maintenance record. Throws `asset.not_found`. */
export const createMaintenance = defineRoute({
  name: 'createMaintenance',
  method: 'POST',
  path: '/asset-maintenance',
  access: 'asset-maintenance:edit',
  summary: 'Record what was found and done on an asset',
  body: wholeRecord(z.strictObject({ assetId: id, ...maintenanceFields })),
  response: maintenanceRecord,
});

/** Edits a maintenance record. Throws `maintenance.not_found`. */
export const editMaintenance = defineRoute({
  name: 'editMaintenance',
  method: 'PUT',
  path: '/asset-maintenance/:id',
  access: 'asset-maintenance:edit',
  summary: 'Change a maintenance record',
  params: z.object({ id }),
  body: wholeRecord(z.strictObject(maintenanceFields)),
  response: maintenanceRecord,
});

/** Deletes a maintenance record. Throws `maintenance.not_found`. */
export const deleteMaintenance = defineRoute({
  name: 'deleteMaintenance',
  method: 'DELETE',
  path: '/asset-maintenance/:id',
  access: 'asset-maintenance:edit',
  summary: 'Delete a maintenance record',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const maintenanceFiles = attachmentRoutes({
  name: 'Maintenance',
  path: '/asset-maintenance/:id',
  view: 'asset-maintenance:view',
  edit: 'asset-maintenance:edit',
});
