import { DEFAULT_MARGIN_M, FENCE_KINDS, FENCE_LIMITS, fenceFault } from '@isotherm/domain/geo/fence';
import { FENCE_EVENTS } from '@isotherm/domain/geo/fence-judge';
import { z } from 'zod';
import { importBody, importReport, sheetExport } from './batches.ts';
import { label, prose, reason } from './fields.ts';
import { defineRoute, download, id, moment, pageOf, paging } from './route.ts';

/** Number of geofences that an organisation may have. */
export const MAX_FENCES = 1_000;
/** Longest time after which a stay is a dwell: a month. */
const MAX_DWELL_MINUTES = 31 * 24 * 60;

const place = z.strictObject({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
});
const { radiusM, sideM, ring, line, marginM } = FENCE_LIMITS;

/** Shape of a geofence, WGS-84 (domain `geo/fence.ts`). */
const storedShape = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('circle'),
    centre: place,
    radiusM: z.number().min(radiusM.min).max(radiusM.max),
  }),
  z.strictObject({ kind: z.literal('polygon'), ring: z.array(place).max(ring.max) }),
  z.strictObject({
    kind: z.literal('corridor'),
    line: z.array(place).max(line.max),
    sideM: z.number().min(sideM.min).max(sideM.max),
  }),
]);
/** A shape as people enter it: a polygon may not cross itself. */
export const fenceShape = storedShape.superRefine((shape, context) => {
  const fault = fenceFault(shape);
  if (fault) context.addIssue({ code: 'custom', message: `fence-${fault}` });
});

const fields = z.strictObject({
  organizationId: id,
  /** Unique within the organisation. */
  name: label(80),
  shape: fenceShape,
  /** An asset has left the fence when it is farther from it than this. */
  marginM: z.int().min(marginM.min).max(marginM.max).default(DEFAULT_MARGIN_M),
  /** Time in the fence after which a dwell is reported; null: never. */
  dwellMinutes: z.int().min(1).max(MAX_DWELL_MINUTES).nullable().default(null),
  /** True if it applies to the assets of the organisations below as well. */
  shared: z.boolean().default(true),
  note: prose().default(''),
});

/** A geofence as people enter it. */
export const geofenceInput = fields;
export type GeofenceInput = z.output<typeof geofenceInput>;

export const geofence = fields.extend({
  id: z.number().int(),
  shape: storedShape,
  organizationName: z.string(),
  /** Number of the caller's assets that are in it. */
  inside: z.number().int(),
  /** Number of its versions: edits of shape, margin, dwell time or sharing. */
  version: z.number().int(),
  /** False if it belongs to an organisation above the caller's own. */
  editable: z.boolean(),
  changedBy: z.string(),
  changedAt: moment,
});
export type Geofence = z.output<typeof geofence>;

const filter = {
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  kind: z.enum(FENCE_KINDS).optional(),
};

/** Own and subordinate geofences, and those of organisations above that apply to own assets. */
export const listGeofences = defineRoute({
  name: 'listGeofences',
  method: 'GET',
  path: '/map/geofence',
  access: 'map-geofences:view',
  summary: 'Geofences that apply to assets of the caller',
  query: z.object({
    ...paging,
    ...filter,
    sort: z.enum(['name', 'changedAt']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(geofence),
});

/** What a map draws. */
export const fenceOutline = z.object({
  id: z.number().int(),
  name: z.string(),
  shape: storedShape,
  inside: z.number().int(),
});
export type FenceOutline = z.output<typeof fenceOutline>;

/** Outlines of the first `MAX_FENCES` geofences by name, for a map. */
export const listFenceOutlines = defineRoute({
  name: 'listFenceOutlines',
  method: 'GET',
  path: '/map/geofence/outline',
  access: 'map-geofences:view',
  summary: 'Outlines of the geofences for a map',
  response: z.object({ fences: z.array(fenceOutline), total: z.number().int() }),
});

/** Exports the filtered geofences as GeoJSON. */
export const exportGeofences = defineRoute({
  name: 'exportGeofences',
  method: 'GET',
  path: '/map/geofence/export',
  access: 'map-geofences:export',
  summary: 'The filtered geofences as GeoJSON',
  query: z.object(filter),
  response: download,
});

/**
 * Imports geofences from GeoJSON or KML. Elements that are no geofence are reported and skipped; the others are written in one
 * transaction. Throws `organization.not_found`, `import.*`, `geofence.too_many`.
 */
export const importGeofences = defineRoute({
  name: 'importGeofences',
  method: 'POST',
  path: '/map/geofence/import',
  access: 'map-geofences:import',
  summary: 'Create geofences from GeoJSON or KML, or only check the file',
  encoding: 'multipart',
  body: importBody.extend({ organizationId: id }),
  response: importReport,
});

const eventFilter = {
  search: z.string().max(100).default(''),
  assetId: id.optional(),
  geofenceId: id.optional(),
  kind: z.enum(FENCE_EVENTS).optional(),
  from: moment.optional(),
  to: moment.optional(),
  sort: z.enum(['at']).default('at'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

export const geofenceEvent = z.object({
  id: z.number().int(),
  at: moment,
  kind: z.enum(FENCE_EVENTS),
  assetId: z.number().int(),
  assetName: z.string(),
  geofenceId: z.number().int(),
  geofenceName: z.string(),
  organizationName: z.string(),
  latitude: z.number(),
  longitude: z.number(),
  /** End of the stay that the event begins; null while it lasts, and for other kinds. */
  until: moment.nullable(),
});
export type GeofenceEvent = z.output<typeof geofenceEvent>;

/** Events of the caller's assets at geofences. */
export const listGeofenceEvents = defineRoute({
  name: 'listGeofenceEvents',
  method: 'GET',
  path: '/map/geofence/event',
  access: 'map-geofences:view',
  summary: 'When assets entered and left geofences',
  query: z.object({ ...paging, ...eventFilter }),
  response: pageOf(geofenceEvent),
});

/** Exports the filtered events as XLSX, as base64 in the JSON response. */
export const exportGeofenceEvents = defineRoute({
  name: 'exportGeofenceEvents',
  method: 'GET',
  path: '/map/geofence/event/export',
  access: 'map-geofences:export',
  summary: 'The filtered events at geofences as a spreadsheet',
  query: z.object(eventFilter),
  response: sheetExport,
});

const one = z.object({ id });

/** Reads a geofence. Throws `geofence.not_found`. */
export const getGeofence = defineRoute({
  name: 'getGeofence',
  method: 'GET',
  path: '/map/geofence/:id',
  access: 'map-geofences:view',
  summary: 'One geofence',
  params: one,
  response: geofence,
});

/** Creates a geofence. Throws `organization.not_found`, `geofence.taken|too_many`. */
export const createGeofence = defineRoute({
  name: 'createGeofence',
  method: 'POST',
  path: '/map/geofence',
  access: 'map-geofences:edit',
  summary: 'Create a geofence',
  body: geofenceInput,
  response: geofence,
});

/** Edits a geofence; earlier events stay as they are. Throws `organization.not_found`, `geofence.not_found|taken`. */
export const editGeofence = defineRoute({
  name: 'editGeofence',
  method: 'PUT',
  path: '/map/geofence/:id',
  access: 'map-geofences:edit',
  summary: 'Change a geofence from now on; its earlier events stay',
  params: one,
  body: geofenceInput,
  response: geofence,
});

/** Deletes a geofence; its events stay. Throws `geofence.not_found|in_use`. */
export const deleteGeofence = defineRoute({
  name: 'deleteGeofence',
  method: 'DELETE',
  path: '/map/geofence/:id',
  access: 'map-geofences:edit',
  summary: 'Delete a geofence; its events stay',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});
