import { z } from 'zod';
import { assetPlace, getTrack, MAX_TOLERANCE_M, mapMark } from './maps.ts';
import { linkToken } from './public-links.ts';
import { defineRoute, id, moment } from './route.ts';
import { DEFAULT_LINK_DAYS, LINK_DAYS } from './waybill-links.ts';

/** Number of vehicles that a car monitor shows; of more, those with the highest alarm levels. */
export const MAX_CARS = 1_000;
/** Number of vehicles that can be chosen for a full screen. */
export const MAX_SCREEN_CARS = 200;
/** How long a full screen shows each vehicle, seconds. */
export const SCREEN_INTERVALS_S = [5, 10, 15, 30, 60] as const;
export const DEFAULT_SCREEN_INTERVAL_S = 15;
/** Interval at which positions and states are read. */
export const CARS_EVERY_MS = 10_000;

/** How far back the trail of a vehicle or another asset goes on live maps. */
export const TRAIL_MS = 4 * 3_600_000;

export const car = mapMark.extend({
  /** Null for a vehicle without a position. */
  at: assetPlace.nullable(),
});
export type Car = z.output<typeof car>;

/** The vehicles in service of the caller's scope, worst first; at most `MAX_CARS`. */
export const listCars = defineRoute({
  name: 'listCars',
  method: 'GET',
  path: '/map/car',
  access: 'map-carmonitor:view',
  summary: 'Vehicles with their state and last position',
  response: z.object({ cars: z.array(car), total: z.number().int(), serverTime: moment }),
});

const screen = z.object({
  id: z.number().int(),
  linkId: z.number().int(),
  name: z.string(),
  /** Number of chosen vehicles; 0: all of the organisation. */
  vehicles: z.number().int(),
  organizationName: z.string(),
  intervalS: z.number().int(),
  createdAt: moment,
  expiresAt: moment,
  /** When the link was last used; null: never. */
  lastOpenedAt: moment.nullable(),
});
export type CarScreen = z.output<typeof screen>;

/** Lists the full screens of the caller's scope whose links still work. */
export const listCarScreens = defineRoute({
  name: 'listCarScreens',
  method: 'GET',
  path: '/map/car/screen',
  access: 'map-carmonitor:share',
  summary: 'Full screens whose public links still work',
  response: z.array(screen),
});

/** The form of a new full screen. */
export const carScreenInput = z.strictObject({
  name: z.string().trim().min(1).max(60),
  assetIds: z.array(z.number().int().positive()).max(MAX_SCREEN_CARS).default([]),
  intervalS: z.union(SCREEN_INTERVALS_S.map((each) => z.literal(each))).default(DEFAULT_SCREEN_INTERVAL_S),
  days: z.union(LINK_DAYS.map((days) => z.literal(days))).default(DEFAULT_LINK_DAYS),
});

/**
 * Creates a full screen with vehicles and its public link, which works without login. The token is returned only now. Throws
 * `asset.not_found`, `map.many_screens`.
 */
export const createCarScreen = defineRoute({
  name: 'createCarScreen',
  method: 'POST',
  path: '/map/car/screen',
  access: 'map-carmonitor:share',
  summary: 'Create a full screen with vehicles and its public link',
  body: carScreenInput,
  response: z.object({ token: z.string(), screens: z.array(screen) }),
});

/** Revokes the public link of a full screen. Throws `link.not_found`. */
export const revokeCarScreen = defineRoute({
  name: 'revokeCarScreen',
  method: 'DELETE',
  path: '/map/car/screen/:id',
  access: 'map-carmonitor:share',
  summary: 'Revoke the public link of a full screen',
  params: z.object({ id }),
  response: z.array(screen),
});

/** Shows the vehicles of a public link. Throws `link.not_found`, `request.too_many`. */
export const viewCarScreen = defineRoute({
  name: 'viewCarScreen',
  method: 'POST',
  path: '/link/cars',
  access: 'public',
  summary: 'The vehicles of a full screen by its public link',
  body: z.strictObject({ token: linkToken }),
  response: z.object({
    name: z.string(),
    intervalS: z.number().int(),
    cars: z.array(car),
    serverTime: moment,
  }),
});
export type CarScreenView = z.output<typeof viewCarScreen.response>;

/**
 * The way of an asset in the last `TRAIL_MS`: positions in order of time, in lines. Between two lines nothing is known of the
 * way.
 */
const trail = getTrack.response.pick({ at: true, latitude: true, longitude: true, lineEnds: true });
export type Trail = z.output<typeof trail>;

/**
 * The trail of one vehicle of a full screen, which is read for the vehicle that the screen shows. Throws `link.not_found`,
 * `asset.not_found` for a vehicle that the link does not show, `request.too_many`.
 */
export const viewCarTrail = defineRoute({
  name: 'viewCarTrail',
  method: 'POST',
  path: '/link/cars/trail',
  access: 'public',
  summary: 'The way of a vehicle of a full screen in the last hours, by its public link',
  body: z.strictObject({
    token: linkToken,
    assetId: z.number().int().positive(),
    /** Metres by which the vehicle may have been elsewhere than shown. */
    toleranceM: z.number().min(0).max(MAX_TOLERANCE_M),
  }),
  response: trail,
});
