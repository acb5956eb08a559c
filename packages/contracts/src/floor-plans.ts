import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { assetCard } from './assets.ts';
import { FLOOR_PLAN_MAX_BYTES, file, label, reason } from './fields.ts';
import { defineRoute, download, id, MAX_CHANNEL_ID, moment, pageOf, paging } from './route.ts';

/** Image types that are stored. Photos and scans are encoded again, SVG drawings are sanitised. */
export const FLOOR_PLAN_TYPES = ['image/webp', 'image/svg+xml'] as const;
/** Largest number of points on a plan, equal to the number of assets that a console may watch. */
export const MAX_PLAN_POINTS = 500;

/** Form fields of a plan. */
export const floorPlanFields = {
  name: label(),
  /** Floor number: 0 is the ground floor; basements are negative. */
  floor: z.coerce.number().int().min(-20).max(200).default(0),
};

export const floorPlan = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  name: z.string(),
  floor: z.number().int(),
  mediaType: z.enum(FLOOR_PLAN_TYPES),
  /** Width in pixels, or in units of an SVG drawing. Positions are fractions of it. */
  width: z.number().int(),
  height: z.number().int(),
  /** Number of the current image; a replacement gets a new one. */
  picture: z.number().int(),
  version: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
});
export type FloorPlan = z.output<typeof floorPlan>;

/** Position from the left or from the top, as a fraction of the image. */
const fraction = z.number().min(0).max(1);

const place = {
  assetId: id,
  /** Id of a channel of the asset, or null for the asset as a whole. */
  channelId: z.number().int().positive().max(MAX_CHANNEL_ID).nullable(),
  x: fraction,
  y: fraction,
};

export const planPoint = z.object({
  ...place,
  assetName: z.string(),
  assetCode: z.string(),
  assetKind: z.enum(ASSET_KINDS),
  channelName: z.string().nullable(),
});
export type PlanPoint = z.output<typeof planPoint>;

export const floorPlanDetail = floorPlan.extend({ points: z.array(planPoint) });
export type FloorPlanDetail = z.output<typeof floorPlanDetail>;

export const listFloorPlans = defineRoute({
  name: 'listFloorPlans',
  method: 'GET',
  path: '/asset/floor-plan',
  access: 'asset-floor-plans:view',
  summary: 'Floor plans of own and subordinate organisations, by organisation and floor',
  query: z.object({
    ...paging,
    /** Search text for the name of the plan or of its organisation. */
    search: z.string().max(100).default(''),
    /** Only plans that contain this asset or one of its channels. */
    assetId: id.optional(),
  }),
  response: pageOf(floorPlan),
});

/** Reads a floor plan with its points. Throws `floor_plan.not_found`. */
export const getFloorPlan = defineRoute({
  name: 'getFloorPlan',
  method: 'GET',
  path: '/asset/floor-plan/:id',
  access: 'asset-floor-plans:view',
  summary: 'One floor plan with what is placed on it',
  params: z.object({ id }),
  response: floorPlanDetail,
});

/** Returns the image of a floor plan. Throws `floor_plan.not_found`. */
export const readFloorPlanPicture = defineRoute({
  name: 'readFloorPlanPicture',
  method: 'GET',
  path: '/asset/floor-plan/:id/picture',
  access: 'asset-floor-plans:view',
  summary: 'The picture of a floor plan',
  params: z.object({ id }),
  response: download,
});

/** Live card of a point, either of its asset or of its channel. */
const planValue = z.object({
  assetId: z.number().int(),
  channelId: z.number().int().nullable(),
  card: assetCard,
});
export type PlanValue = z.output<typeof planValue>;

/** Lists the live values of a plan's points. Throws `floor_plan.not_found`. */
export const listFloorPlanValues = defineRoute({
  name: 'listFloorPlanValues',
  method: 'GET',
  path: '/asset/floor-plan/:id/value',
  access: 'asset-floor-plans:view',
  summary: 'Live value and worst state of each point of a floor plan',
  params: z.object({ id }),
  response: z.array(planValue),
});

const placeable = z.object({
  id: z.number().int(),
  name: z.string(),
  code: z.string(),
  kind: z.enum(ASSET_KINDS),
  channels: z.array(z.object({ id: z.number().int(), name: z.string(), indicator: z.enum(INDICATOR_NAMES) })),
});
export type Placeable = z.output<typeof placeable>;

/** Lists assets and channels that can be placed on a plan. Throws `floor_plan.not_found`. */
export const listPlaceable = defineRoute({
  name: 'listPlaceable',
  method: 'GET',
  path: '/asset/floor-plan/:id/placeable',
  access: 'asset-floor-plans:edit',
  summary: 'Assets in service that may stand on a floor plan, with their channels; 100 at most',
  params: z.object({ id }),
  query: z.object({ search: z.string().max(100).default('') }),
  response: z.array(placeable),
});

/**
 * Creates a floor plan. Throws `organization.not_found`, `floor_plan.format`, `upload.too_large|unreadable`,
 * `request.too_many`.
 */
export const createFloorPlan = defineRoute({
  name: 'createFloorPlan',
  method: 'POST',
  path: '/asset/floor-plan',
  access: 'asset-floor-plans:edit',
  summary: 'Add a floor plan; png, jpg or svg, 10 MB at most',
  encoding: 'multipart',
  body: z.strictObject({ file: file(FLOOR_PLAN_MAX_BYTES), organizationId: id, ...floorPlanFields }),
  response: floorPlanDetail,
});

const ifUnchanged = { query: z.object({ version: z.coerce.number().int().min(1) }) };

/** Edits a floor plan. Throws `floor_plan.not_found|changed`. */
export const editFloorPlan = defineRoute({
  name: 'editFloorPlan',
  method: 'PUT',
  path: '/asset/floor-plan/:id',
  access: 'asset-floor-plans:edit',
  summary: 'Change name and floor of a floor plan that nobody else has changed meanwhile',
  params: z.object({ id }),
  ...ifUnchanged,
  body: z.strictObject(floorPlanFields),
  response: floorPlanDetail,
});

/**
 * Replaces the image of a plan. The points keep their positions. Throws `floor_plan.not_found|format`,
 * `upload.too_large|unreadable`.
 */
export const replaceFloorPlanPicture = defineRoute({
  name: 'replaceFloorPlanPicture',
  method: 'POST',
  path: '/asset/floor-plan/:id/picture',
  access: 'asset-floor-plans:edit',
  summary: 'Put another picture under the points of a floor plan',
  params: z.object({ id }),
  encoding: 'multipart',
  body: z.strictObject({ file: file(FLOOR_PLAN_MAX_BYTES) }),
  response: floorPlanDetail,
});

/** Saves the points of a floor plan. Throws `floor_plan.not_found|changed|point`. */
export const placeOnFloorPlan = defineRoute({
  name: 'placeOnFloorPlan',
  method: 'PUT',
  path: '/asset/floor-plan/:id/point',
  access: 'asset-floor-plans:edit',
  summary: 'Say what stands where on a floor plan that nobody else has changed meanwhile',
  params: z.object({ id }),
  ...ifUnchanged,
  body: z.strictObject({ points: z.array(z.strictObject(place)).max(MAX_PLAN_POINTS) }),
  response: floorPlanDetail,
});

/** Deletes a floor plan. Throws `floor_plan.not_found`. */
export const deleteFloorPlan = defineRoute({
  name: 'deleteFloorPlan',
  method: 'DELETE',
  path: '/asset/floor-plan/:id',
  access: 'asset-floor-plans:edit',
  summary: 'Delete a floor plan; the assets on it stay',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
