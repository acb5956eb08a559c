import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { alarmKind, alarmLevel } from './alarms.ts';
import { defineRoute, id, moment } from './route.ts';

/** Longest period of the overview. */
export const MAX_OVERVIEW_DAYS = 92;
/** Periods that the page offers, days. */
export const OVERVIEW_DAYS = [7, 30, 90] as const;
/** Numbers of excursions and trips that are shown; of more, the newest. */
export const MAX_EXCURSIONS = 2_000;
export const MAX_TRIPS = 2_000;

const place = z.object({ latitude: z.number(), longitude: z.number() });

const excursion = z.object({
  id: z.number().int(),
  assetId: z.number().int(),
  assetName: z.string(),
  level: alarmLevel,
  kind: alarmKind,
  indicator: z.enum(INDICATOR_NAMES),
  since: moment,
  endedAt: moment.nullable(),
  /** Where the asset was when the excursion began; null if nobody knows. */
  place: place.nullable(),
});
export type Excursion = z.output<typeof excursion>;

const trip = z.object({
  id: z.number().int(),
  number: z.string(),
  departedAt: moment,
  /** Null: in transport. */
  endedAt: moment.nullable(),
  /** Number of excursions of the assets during its legs. */
  excursions: z.number().int(),
});

/** Trips from one site to another, as they are named in waybills. */
const lane = z.object({
  from: z.string(),
  to: z.string(),
  trips: z.array(trip),
  /** Where its latest trips began and ended; null without positions. */
  start: place.nullable(),
  end: place.nullable(),
});
export type Lane = z.output<typeof lane>;

/**
 * Excursions and lanes of the caller's scope, or of one organisation in it, in a period. Throws `overview.range`,
 * `organization.not_found`.
 */
export const getMapOverview = defineRoute({
  name: 'getMapOverview',
  method: 'GET',
  path: '/map/overview',
  access: 'map-overview:view',
  summary: 'Excursions with their places, and lanes with their trips, in a period',
  query: z.object({ from: moment, to: moment, organizationId: id.optional() }),
  response: z.object({
    /** The newest first. */
    excursions: z.array(excursion),
    totalExcursions: z.number().int(),
    /** Those with the most trips first. */
    lanes: z.array(lane),
    totalTrips: z.number().int(),
  }),
});

/**
 * The excursions of a trip, which `excursions` of its lane counts, the newest first; at most `MAX_EXCURSIONS`. Throws
 * `waybill.not_found`.
 */
export const listTripExcursions = defineRoute({
  name: 'listTripExcursions',
  method: 'GET',
  path: '/map/overview/trip/:id',
  access: 'map-overview:view',
  summary: 'The excursions of the assets of a waybill while they carried its goods',
  params: z.object({ id }),
  response: z.object({
    /** Number of the waybill. */
    number: z.string(),
    excursions: z.array(excursion),
  }),
});
