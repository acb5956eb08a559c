import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { FENCE_EVENTS } from '@isotherm/domain/geo/fence-judge';
import { TRACK_FORMATS } from '@isotherm/domain/geo/track-files';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { alarmKind, alarmLevel } from './alarms.ts';
import { assetState, channelValue } from './assets.ts';
import { defineRoute, download, id, moment } from './route.ts';

const DAY_MS = 86_400_000;

/** Longest time range of a track: a month (requirements §9, range of reports). */
export const MAX_TRACK_RANGE_MS = 31 * DAY_MS;
/** Number of events at geofences that are shown with a track. */
export const MAX_TRACK_FENCE_EVENTS = 1_000;
/** Number of assets in the caller's scope up to which all in view are returned, each by itself. */
export const MAX_MARKS = 5_000;
/** The same number for a region, if there are more in the scope. */
export const MAX_REGION_MARKS = 200;
/** Number of assets with open alarms that are returned together with clusters. */
export const MAX_WORST_MARKS = 100;
/** Number of assets that a search returns. */
export const MAX_FOUND_MARKS = 200;

const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

export const assetPlace = z.object({
  latitude,
  longitude,
  speedKmh: z.number().nullable(),
  /** Direction of travel in degrees, clockwise from north; null if the asset has not moved. */
  headingDeg: z.number().nullable(),
  /** When the position was measured; null for the fixed place of an asset without positions of a device. */
  measuredAt: moment.nullable(),
});

export const mapMark = z.object({
  id: z.number().int(),
  kind: z.enum(ASSET_KINDS),
  name: z.string(),
  place: z.string(),
  organizationName: z.string(),
  state: assetState,
  main: channelValue.nullable(),
  at: assetPlace,
});
export type MapMark = z.output<typeof mapMark>;

export const mapCluster = z.object({
  latitude,
  longitude,
  count: z.number().int(),
  /** Highest level of the open alarms of its assets; 0 without one. */
  level: z.number().int().min(0).max(5),
});
export type MapCluster = z.output<typeof mapCluster>;

const degrees = z
  .string()
  .regex(/^-?\d{1,3}(\.\d{1,6})?(,-?\d{1,3}(\.\d{1,6})?){3}$/)
  .transform((text) => text.split(',').map(Number) as [number, number, number, number])
  .refine(([west, south, east, north]) => {
    const isOnEarth = Math.abs(west) <= 180 && Math.abs(east) <= 180 && south >= -90 && north <= 90;
    return isOnEarth && south <= north;
  });

/**
 * The assets of a region. Marks are sorted worst first. If there are too many of them (`MAX_MARKS`, `MAX_REGION_MARKS`), all
 * are returned as `clusters`, and as marks only the worst of those with an open alarm.
 */
export const listMapMarks = defineRoute({
  name: 'listMapMarks',
  method: 'GET',
  path: '/map/mark',
  access: 'map-monitor:view',
  summary: 'Assets with a position in a region, with their state; clusters if there are too many',
  query: z.object({
    /** West, south, east, north in degrees; west is greater than east across the antimeridian. */
    bounds: degrees.optional(),
    /** If there are more than `MAX_MARKS` assets: returns those in any region whose name, code or place contains it. */
    search: z.string().max(100).default(''),
  }),
  response: z.object({
    marks: z.array(mapMark),
    clusters: z.array(mapCluster),
    /** Number of assets in the region. */
    inView: z.number().int(),
    /** Number of assets with and without a position in all of the caller's scope. */
    positioned: z.number().int(),
    unpositioned: z.number().int(),
    /** West, south, east and north of all positions; null without positions. */
    extent: z.tuple([longitude, latitude, longitude, latitude]).nullable(),
    serverTime: moment,
  }),
});

/** Speed in km/h above which a vehicle is too fast, unless another limit is given: that of lorries on many motorways is lower. */
export const DEFAULT_SPEED_LIMIT_KMH = 100;
/** Speed limits that can be given, in km/h. */
export const SPEED_LIMIT_RANGE = [10, 200] as const;

/** Number of positions up to which a track is returned whole, unless a tolerance is given. */
export const MAX_WHOLE_TRACK = 2_000;

/** Largest tolerance of a track: about a pixel of a map that shows a continent. */
export const MAX_TOLERANCE_M = 10_000;

/** The same schemas for a query, whose numbers are text, and for a body. */
export const trackTolerance = <T extends z.ZodNumber | z.ZodCoercedNumber>(number: T) =>
  number.min(0).max(MAX_TOLERANCE_M).optional();
export const trackSpeedLimit = <T extends z.ZodNumber | z.ZodCoercedNumber>(number: T) =>
  number.min(SPEED_LIMIT_RANGE[0]).max(SPEED_LIMIT_RANGE[1]).default(DEFAULT_SPEED_LIMIT_KMH);

/**
 * The route of an asset: lines of positions in order of time, between which nothing is known (domain `geo/track.ts`). Positions
 * that could be left out of a line are (`geo/simplify.ts`).
 */
export const getTrack = defineRoute({
  name: 'getTrack',
  method: 'GET',
  path: '/map/track/:id',
  access: 'map-replay:view',
  summary: 'Positions of an asset in up to 31 days, from the devices that were bound to it at the time',
  params: z.object({ id }),
  query: z.object({
    from: moment,
    to: moment,
    /** Metres by which the asset may be elsewhere than shown. Without it, about a pixel of a map that shows the whole track. */
    toleranceM: trackTolerance(z.coerce.number()),
    /** Speed in km/h above which the asset is too fast. */
    speedLimitKmh: trackSpeedLimit(z.coerce.number()),
  }),
  response: z.object({
    assetId: z.number().int(),
    name: z.string(),
    /** Epoch ms. */
    at: z.array(z.number()),
    latitude: z.array(z.number()),
    longitude: z.array(z.number()),
    speedKmh: z.array(z.number().nullable()),
    /** Index among all positions of the lines, also those that were left out, of each position. */
    place: z.array(z.number().int()),
    /** Index of the last position of each line. */
    lineEnds: z.array(z.number().int()),
    /** Times without movement. Epoch ms, as all times of a track. */
    stops: z.array(z.object({ from: z.number(), to: z.number(), latitude, longitude })),
    /** Movements between stops; the speed is null if none is known. */
    trips: z.array(
      z.object({
        from: z.number(),
        to: z.number(),
        distanceM: z.number(),
        maxSpeedKmh: z.number().nullable(),
      }),
    ),
    /** Speed limit in km/h by which `speedings` were found. */
    speedLimitKmh: z.number(),
    /** Times above the speed limit, of half a minute at least. The place is that of the first position. */
    speedings: z.array(
      z.object({
        from: z.number(),
        to: z.number(),
        maxSpeedKmh: z.number(),
        distanceM: z.number(),
        latitude,
        longitude,
      }),
    ),
    /** Length of the route in metres, without the noise of the receiver during stops. */
    distanceM: z.number(),
    /** Number of positions that are in no line: without a fix, or jumps. */
    faulty: z.number().int(),
    /** Tolerance in metres by which positions were left out; 0 if all are there. */
    toleranceM: z.number(),
    /** Alarms of the asset during the range, in order of time. */
    alarms: z.array(
      z.object({
        id: z.number().int(),
        level: alarmLevel,
        kind: alarmKind,
        indicator: z.enum(INDICATOR_NAMES),
        since: moment,
        endedAt: moment.nullable(),
      }),
    ),
    /** Events at geofences during the range, in order of time; the first `MAX_TRACK_FENCE_EVENTS`. */
    fenceEvents: z.array(
      z.object({
        id: z.number().int(),
        kind: z.enum(FENCE_EVENTS),
        at: moment,
        /** Name of the geofence. */
        name: z.string(),
      }),
    ),
  }),
});

const trackFileInput = z.strictObject({ from: moment, to: moment, format: z.enum(TRACK_FORMATS) });

/** Saves the lines of a track as a file. Throws what `getTrack` throws. */
export const exportTrack = defineRoute({
  name: 'exportTrack',
  method: 'POST',
  path: '/map/track/:id/export',
  access: 'map-replay:export',
  summary: 'The track of an asset as CSV, GPX, KML or GeoJSON',
  params: z.object({ id }),
  body: trackFileInput,
  response: download,
});

/** Number of assets that can be replayed in step, and saved as one file. */
export const MAX_REPLAY_ASSETS = 4;

/** Saves the lines of several tracks as one file. Throws what `getTrack` throws. */
export const exportTracks = defineRoute({
  name: 'exportTracks',
  method: 'POST',
  path: '/map/track/export',
  access: 'map-replay:export',
  summary: 'The tracks of up to four assets as one file: CSV, GPX, KML or GeoJSON',
  body: trackFileInput.extend({
    assetIds: z.array(z.number().int().positive()).min(1).max(MAX_REPLAY_ASSETS),
  }),
  response: download,
});

/** Number of door openings and of excursions that are returned for a track: the first ones. */
export const MAX_TRACK_EVENTS = 1_000;

const span = z.object({
  channelId: z.number().int(),
  name: z.string(),
  /** Epoch ms. */
  from: z.number(),
  /** Null if it has not ended at the end of the range. */
  to: z.number().nullable(),
});

/**
 * What the readings of an asset say about the time of a track: when its doors were open, and when a value was outside its
 * present limits, with or without an alarm. Throws what `getTrack` throws.
 */
export const listTrackEvents = defineRoute({
  name: 'listTrackEvents',
  method: 'GET',
  path: '/map/track/:id/event',
  access: 'map-replay:view',
  summary: 'Door openings and excursions of an asset in up to 31 days',
  params: z.object({ id }),
  query: z.object({ from: moment, to: moment }),
  response: z.object({
    doors: z.array(span),
    excursions: z.array(
      span.extend({
        indicator: z.enum(INDICATOR_NAMES),
        side: z.enum(['above', 'below']),
        limit: z.number(),
        /** Value that was farthest outside. */
        peak: z.number(),
      }),
    ),
    /** Number of all door openings and excursions in the range, of which the first are returned. */
    total: z.number().int(),
  }),
});
