import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { ALARM_REASONS } from '@isotherm/domain/alarms/acknowledgement';
import { STEP_MEANS } from '@isotherm/domain/waybills/automatic';
import { NOTICE_KINDS } from '@isotherm/domain/waybills/notices';
import { MOST_PRE_COOL_MINUTES, PRE_COOL_STATES } from '@isotherm/domain/waybills/pre-cool';
import { MOST_STOPS, STOP_STATES } from '@isotherm/domain/waybills/tour-stops';
import { MOST_TRIP_DEVICES, TRIP_DEVICE_FAULTS } from '@isotherm/domain/waybills/trip-devices';
import { PROPOSALS } from '@isotherm/domain/waybills/verdict';
import { WAYBILL_ACTIONS, WAYBILL_STATES } from '@isotherm/domain/waybills/waybill';
import { z } from 'zod';
import { alarmLevel } from './alarms.ts';
import { encodedFile, importBody, importReport, sheetExport } from './batches.ts';
import { code, email, label, landline, mobile, orNone, prose, reason } from './fields.ts';
import { fenceOutline } from './geofences.ts';
import { defineRoute, id, idList, moment, pageOf, paging, timeZone } from './route.ts';

const temperature = z
  .number()
  .min(-200)
  .max(200)
  .refine((value) => Number(value.toFixed(1)) === value, { error: 'one-decimal' });
const phone = orNone(z.union([mobile, landline]));

/** Goods of a waybill: what is in the boxes. */
const goods = z.strictObject({
  product: label(80),
  batch: z.string().trim().max(40).default(''),
  quantity: z.number().min(0).max(100_000_000),
  unit: z.string().trim().max(20).default(''),
});
export const MAX_GOODS = 50;
/** Number of geofences by which a waybill may arrive. */
export const MAX_ARRIVAL_FENCES = 20;

const fields = z.strictObject({
  organizationId: id,
  /** Unique within the organisation. */
  number: code,
  consignorUnit: label(),
  consignorAddress: z.string().trim().max(200).default(''),
  consignorContact: z.string().trim().max(60).default(''),
  consignorPhone: phone.default(''),
  consigneeUnit: label(),
  consigneeAddress: z.string().trim().max(200).default(''),
  consigneeContact: z.string().trim().max(60).default(''),
  consigneePhone: phone.default(''),
  /** Who is told about delays and excursions; '': nobody. */
  consigneeEmail: orNone(email).default(''),
  consigneeLanguage: z.enum(LANGUAGE_CODES).default('en'),
  /** The vehicle or box that is planned for the departure. */
  assetId: id,
  plannedDepartureAt: moment,
  plannedDeliveryAt: moment.nullable().default(null),
  /** Product whose limits apply; null: only the temperatures of the waybill. */
  profileId: id.nullable().default(null),
  /** °C; null: that of the product. */
  temperatureLow: temperature.nullable().default(null),
  temperatureHigh: temperature.nullable().default(null),
  /** How long the vehicle or box must have been in range before the departure; null: as for the product, 0: not checked. */
  preCoolMinutes: z.int().min(0).max(MOST_PRE_COOL_MINUTES).nullable().default(null),
  goods: z.array(goods).max(MAX_GOODS).default([]),
  /** The waybill departs when its asset leaves this geofence; null: by hand. */
  departureFenceId: id.nullable().default(null),
  /** The waybill is delivered when its asset enters one of these geofences. */
  arrivalFenceIds: z.array(id).max(MAX_ARRIVAL_FENCES).default([]),
  /** The waybill departs at its planned departure. */
  departAtTime: z.boolean().default(false),
  /** The waybill departs when the button of a device of its asset or trip is pressed. */
  departByButton: z.boolean().default(false),
  /** The waybill is delivered at its planned delivery. */
  deliverAtTime: z.boolean().default(false),
  deliverByButton: z.boolean().default(false),
  /** Waybills of the organisation with the same number are on one vehicle; '': alone. */
  tour: z.string().trim().max(40).default(''),
  /** Place in the order of the deliveries of the tour. */
  stop: z.int().min(1).max(MOST_STOPS).nullable().default(null),
  /** Devices that are bound to the vehicle or box from the departure to the end only. */
  deviceIds: z.array(id).max(MOST_TRIP_DEVICES).default([]),
  /** Account that drives the trip; null: not assigned. */
  driverId: id.nullable().default(null),
  note: prose().default(''),
});

function check(value: z.output<typeof fields>, context: z.RefinementCtx): void {
  const { temperatureLow: low, temperatureHigh: high } = value;
  const wrong = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  // Requirements §5, waybill import: "high not below low".
  if (low !== null && high !== null && high < low) wrong('temperatureHigh', 'high-below-low');
  // Not compared with a time that is no time, which is reported itself.
  if (
    value.plannedDeliveryAt !== null &&
    Date.parse(value.plannedDeliveryAt) <= Date.parse(value.plannedDepartureAt)
  )
    wrong('plannedDeliveryAt', 'above-other');
  if (value.deliverAtTime && value.plannedDeliveryAt === null) wrong('plannedDeliveryAt', 'required');
  if (value.stop !== null && value.tour === '') wrong('tour', 'required');
}

/** A waybill as people enter it. */
export const waybillInput = fields.superRefine((value, context) => {
  for (const path of ['temperatureLow', 'temperatureHigh'] as const)
    if (value.profileId === null && value[path] === null)
      context.addIssue({ code: 'custom', path: [path], message: 'required' });
  check(value, context);
});
export type WaybillInput = z.output<typeof waybillInput>;

/** A waybill after its departure: its limits are fixed, also if its product was deleted meanwhile. */
const adjustedWaybill = fields.superRefine(check);

/** The form of an adjustment: the waybill and, after its departure, the reason. */
export const adjustForm = adjustedWaybill.safeExtend({ reason: prose(500).default('') });

export const DECISIONS = ['released', 'quarantined', 'rejected'] as const;

export const waybill = fields.extend({
  id: z.number().int(),
  organizationName: z.string(),
  state: z.enum(WAYBILL_STATES),
  assetName: z.string(),
  profileName: z.string().nullable(),
  driverName: z.string().nullable(),
  departureFenceName: z.string().nullable(),
  arrivalFenceNames: z.array(z.string()),
  deviceNumbers: z.array(z.string()),
  /** Limits that apply, °C: those of the waybill, else those of the product. */
  low: z.number(),
  high: z.number(),
  departedAt: moment.nullable(),
  /** Time of the delivery or rejection. */
  endedAt: moment.nullable(),
  decision: z.enum(DECISIONS).nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type Waybill = z.output<typeof waybill>;

const legRow = z.object({
  assetId: z.number().int(),
  assetName: z.string(),
  from: moment,
  until: moment.nullable(),
});

/** A hand-over that was confirmed on a phone. */
export const handover = z.object({
  givenBy: z.string(),
  takenBy: z.string(),
  sealsIntact: z.boolean(),
  undamaged: z.boolean(),
  /** The goods at that time, and what was received of each. */
  received: z.array(goods.extend({ received: z.number().min(0) })),
  /** Path of an SVG in the signature box; '' if the person confirmed with the typed name. */
  signature: z.string(),
  photos: z.array(z.number().int()),
});
export type Handover = z.output<typeof handover>;

/** One entry of the chain of custody. */
const custodyEntry = z.object({
  id: z.number().int(),
  action: z.enum([...WAYBILL_ACTIONS, 'decide', 'sign']),
  at: moment,
  /** Account that made the entry. */
  username: z.string(),
  /** Who handed over or received the goods, as entered. */
  person: z.string(),
  note: z.string(),
  assetName: z.string().nullable(),
  /** What took the step without a person; `note` says which geofence or device. */
  means: z.enum(STEP_MEANS).nullable(),
  handover: handover.nullable(),
});

/** The stops of a tour in their order. */
const tour = z.object({
  number: z.string(),
  stops: z.array(
    z.object({
      /** The waybill; several may have the same number of the stop. */
      id: z.number().int(),
      number: z.string(),
      stop: z.number().int().nullable(),
      is: z.enum(STOP_STATES),
      state: z.enum(WAYBILL_STATES),
      assetName: z.string(),
      consigneeUnit: z.string(),
      consigneeAddress: z.string(),
      plannedDeliveryAt: moment.nullable(),
      endedAt: moment.nullable(),
      /** Less was received than the waybill says. */
      isPart: z.boolean(),
    }),
  ),
});
export type TourView = z.output<typeof tour>;
/** Null without a tour. */
export const tourOfWaybill = tour.nullable();

/** `limited`: not sent, because there were too many; `unknown`: the e-mail is older than messages are kept. */
export const NOTICE_STATES = ['pending', 'sent', 'failed', 'limited', 'no-transport', 'unknown'] as const;

/** What the contact of the consignee was told by e-mail. */
const notice = z.object({
  id: z.number().int(),
  kind: z.enum(NOTICE_KINDS),
  /** The planned delivery, or the beginning of the excursion. */
  about: moment,
  at: moment,
  recipient: z.string(),
  state: z.enum(NOTICE_STATES),
  /** Why the e-mail was not delivered. */
  error: z.string(),
  /** End of the excursion so far. */
  until: moment.nullable(),
  /** Estimated arrival. */
  expectedAt: moment.nullable(),
  /** Worst temperature of the excursion, °C. */
  peak: z.number().nullable(),
});
export type WaybillNotice = z.output<typeof notice>;

/** Whether the vehicle or box was cold enough for long enough before the departure. */
export const preCool = z.object({
  state: z.enum(PRE_COOL_STATES),
  requiredMs: z.number(),
  /** How long it has been in range, at most the required time. */
  insideMs: z.number(),
  missingMs: z.number(),
  /** Time of the check: that of the departure, else now. */
  at: moment,
  assetName: z.string(),
  /** The departure without enough time in range; null if it was ready, or has not departed. */
  exception: z
    .object({
      /** Account that recorded the departure. */
      username: z.string(),
      /** '' if it departed by a geofence. */
      reason: z.string(),
      isAutomatic: z.boolean(),
    })
    .nullable(),
});
export type PreCoolView = z.output<typeof preCool>;

export const waybillDetail = waybill.extend({
  /** Null if no time in range is required. */
  preCool: preCool.nullable(),
  /** Devices of the trip, those that were removed under way as well. */
  devices: z.array(
    z.object({
      id: z.number().int(),
      number: z.string(),
      name: z.string(),
      boundAt: moment.nullable(),
      releasedAt: moment.nullable(),
      /** Asset to which it goes back; null: none. */
      homeAssetName: z.string().nullable(),
      /** Why it was not bound when the waybill departed by itself. */
      missed: z.enum(TRIP_DEVICE_FAULTS).nullable(),
    }),
  ),
  /** Events that other systems sent. */
  events: z.array(
    z.object({
      id: z.number().int(),
      at: moment,
      /** Word of the Core Business Vocabulary, or one of the sender; '' without one. */
      bizStep: z.string(),
      /** Where it happened, as the sender names it. */
      place: z.string(),
      /** Lowest and highest temperature that was sent, °C. */
      temperatures: z.object({ min: z.number(), max: z.number() }).nullable(),
      isStep: z.boolean(),
      username: z.string(),
    }),
  ),
  notices: z.array(notice),
  stops: tourOfWaybill,
  legs: z.array(legRow),
  custody: z.array(custodyEntry),
  /** Actions that the state allows. */
  actions: z.array(z.enum(WAYBILL_ACTIONS)),
  decisionReason: z.string(),
  decidedBy: z.string().nullable(),
  decidedAt: moment.nullable(),
});
export type WaybillDetail = z.output<typeof waybillDetail>;

const span = z.object({ from: z.number(), to: z.number() });
const verdict = z.object({
  proposal: z.enum(PROPOSALS),
  readings: z.number().int(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  /** Mean kinetic temperature over the whole trip, °C. */
  meanKinetic: z.number().nullable(),
  /** The highest one in any window of the length that the standard asks for the product, of those that are covered well enough. */
  mktWindow: z
    .object({
      windowMs: z.number(),
      value: z.number(),
      from: z.number(),
      to: z.number(),
      readings: z.number().int(),
      /** Share of the window that readings cover, 0 to 1. */
      coverage: z.number(),
    })
    .nullable(),
  outsideMs: z.number(),
  bands: z.array(
    z.object({
      low: z.number().nullable(),
      high: z.number().nullable(),
      allowedMs: z.number(),
      usedMs: z.number(),
    }),
  ),
  coverage: z.number(),
  gaps: z.array(span),
  excursions: z.array(span),
});

/** Temperature record of a trip with its verdict by each probe; the first one is the worst. */
export const tripRecord = z.object({
  /** The trip until its end or now, epoch ms. */
  from: z.number(),
  to: z.number(),
  /** End of the readings that were judged; null if it is that of the trip. */
  judgedUntil: z.number().nullable(),
  profileName: z.string().nullable(),
  profileVersion: z.number().int().nullable(),
  mktLimit: z.number().nullable(),
  activationKj: z.number(),
  probes: z.array(z.object({ names: z.array(z.string()), verdict })),
  legs: z.array(
    z.object({
      assetId: z.number().int(),
      assetName: z.string(),
      from: z.number(),
      to: z.number(),
      channels: z.array(z.object({ channelId: z.number().int(), name: z.string() })),
    }),
  ),
});
export type TripRecord = z.output<typeof tripRecord>;

const tripChannel = z.object({ channelId: z.number().int(), name: z.string() });

/** An excursion of the worst probe. */
const tripExcursion = span.extend({
  /** The reading that was farthest outside, °C. */
  peak: z.number().nullable(),
  /** The most severe alarm that lasted meanwhile, with the cause that a person recorded. */
  alarm: z
    .object({
      id: z.number().int(),
      level: alarmLevel,
      reason: z.enum(ALARM_REASONS).nullable(),
      cause: z.string(),
      correctiveAction: z.string(),
      acknowledgedBy: z.string().nullable(),
      acknowledgedAt: moment.nullable(),
    })
    .nullable(),
});
export type TripExcursion = z.output<typeof tripExcursion>;

/** Number of excursions that are listed; the verdict has all of them. */
export const MOST_EXCURSIONS = 100;

/** The record as a page shows it. */
export const shownRecord = tripRecord.extend({
  /** The first `MOST_EXCURSIONS` of the worst probe, in order of time. */
  excursions: z.array(tripExcursion),
  legs: z.array(
    tripRecord.shape.legs.element.extend({
      /** On/off channels of the asset, such as doors. */
      switches: z.array(tripChannel),
    }),
  ),
});
export type ShownRecord = z.output<typeof shownRecord>;

const place = z.object({ latitude: z.number(), longitude: z.number() });

/** The planned and the actual route of a trip for a map. */
export const tripRoute = z.object({
  /** From the geofence of departure, else from the first position, over the stops of the tour before; null if an end is not known. */
  planned: z
    .object({
      /** Whether it is the route on roads, of the configured routing service. */
      by: z.enum(['route', 'straight-line']),
      places: z.array(place),
    })
    .nullable(),
  fences: z.array(
    z.object({
      id: z.number().int(),
      name: z.string(),
      role: z.enum(['departure', 'arrival']),
      shape: fenceOutline.shape.shape,
    }),
  ),
  /** The route of each leg, simplified for a map that shows all of it. */
  legs: z.array(
    z.object({
      assetId: z.number().int(),
      assetName: z.string(),
      from: z.number(),
      to: z.number(),
      /** Epoch ms. */
      at: z.array(z.number()),
      latitude: z.array(z.number()),
      longitude: z.array(z.number()),
      /** Null without `map-replay:view`. */
      speedKmh: z.array(z.number().nullable()),
      /** Index of the last position of each line; between two lines the route is not known. */
      lineEnds: z.array(z.number().int()),
      stops: z.array(place.extend({ from: z.number(), to: z.number() })),
      distanceM: z.number(),
    }),
  ),
});
export type TripRoute = z.output<typeof tripRoute>;

/** What a person has seen before the decision about the goods. */
const seenVerdict = z.strictObject({
  /** That of the worst probe. */
  proposal: z.enum(PROPOSALS),
  /** Number of readings that were judged, of all probes. */
  readings: z.number().int().min(0),
  /** Time of the decision that stood; null if there was none. */
  decidedAt: moment.nullable(),
});
export type SeenVerdict = z.output<typeof seenVerdict>;

/** Returns what a record and the last decision say, for `decideWaybill`. */
export function seenVerdictOf({ probes }: Pick<TripRecord, 'probes'>, decidedAt: string | null): SeenVerdict {
  return {
    proposal: probes[0]?.verdict.proposal ?? 'insufficient',
    readings: probes.reduce((sum, { verdict: { readings } }) => sum + readings, 0),
    decidedAt,
  };
}

/** Why the arrival is not known, or `known`. `standing`: too slow to say. */
export const ARRIVAL_STATES = [
  'known',
  'not-under-way',
  'no-destination',
  'no-position',
  'stale-position',
  'standing',
] as const;

/** When a shipment will arrive, and whether the stability budget lasts until then. */
export const arrival = z.object({
  state: z.enum(ARRIVAL_STATES),
  at: moment.nullable(),
  /** Way that is left, over the stops before, m. */
  distanceM: z.number().nullable(),
  /** Whether it is the route on roads, of the configured routing service. */
  by: z.enum(['route', 'straight-line']).nullable(),
  /** Stops of the tour before, as far as their places are known. */
  stopsBefore: z.number().int(),
  /** Time of the position from which it is estimated. */
  positionAt: moment.nullable(),
  /** Later than planned by more than a quarter of an hour. */
  isLate: z.boolean(),
  /** By the trend of the worst probe; null with too few readings. */
  forecast: z
    .object({
      temperatureC: z.number(),
      bands: verdict.shape.bands,
      lasts: z.boolean(),
      lastsUntil: moment.nullable(),
    })
    .nullable(),
});
export type ArrivalView = z.output<typeof arrival>;

/** Number of waybills whose arrivals can be asked for at once. */
export const MOST_ARRIVALS = 50;

/** Estimates the arrivals of waybills under way; others, and those out of scope, are left out. */
export const listWaybillArrivals = defineRoute({
  name: 'listWaybillArrivals',
  method: 'GET',
  path: '/waybill/arrival',
  access: 'waybill-list:view',
  summary: 'Estimated arrivals of waybills under way',
  query: z.object({
    ids: idList(MOST_ARRIVALS),
  }),
  response: z.array(arrival.pick({ state: true, at: true, isLate: true }).extend({ id: z.number().int() })),
});

const waybillFilter = {
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  state: z.enum(WAYBILL_STATES).optional(),
  decision: z.enum([...DECISIONS, 'none']).optional(),
  sort: z
    .enum(['number', 'state', 'plannedDepartureAt', 'departedAt', 'changedAt'])
    .default('plannedDepartureAt'),
  order: z.enum(['asc', 'desc']).default('desc'),
};

export const listWaybills = defineRoute({
  name: 'listWaybills',
  method: 'GET',
  path: '/waybill',
  access: 'waybill-list:view',
  summary: 'Waybills of own and subordinate organisations',
  query: z.object({ ...paging, ...waybillFilter }),
  response: pageOf(waybill),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response. */
export const exportWaybills = defineRoute({
  name: 'exportWaybills',
  method: 'GET',
  path: '/waybill/export',
  access: 'waybill-list:export',
  summary: 'The filtered waybills as a spreadsheet',
  query: z.object(waybillFilter),
  response: sheetExport,
});

export const getWaybillTemplate = defineRoute({
  name: 'getWaybillTemplate',
  method: 'GET',
  path: '/waybill/template',
  access: 'waybill-list:import',
  summary: 'The spreadsheet of waybills to fill in, as base64',
  response: encodedFile,
});

/** Imports waybills. Rows with errors are reported and skipped. Throws `import.*`. */
export const importWaybills = defineRoute({
  name: 'importWaybills',
  method: 'POST',
  path: '/waybill/import',
  access: 'waybill-list:import',
  summary: 'Create waybills from a spreadsheet (xls or xlsx), or only check it',
  encoding: 'multipart',
  body: importBody,
  response: importReport,
});

const one = z.object({ id });

/** Reads a waybill with its legs and chain of custody. Throws `waybill.not_found`. */
export const getWaybill = defineRoute({
  name: 'getWaybill',
  method: 'GET',
  path: '/waybill/:id',
  access: 'waybill-list:view',
  summary: 'One waybill with its legs and chain of custody',
  params: one,
  response: waybillDetail,
});

/** Creates a waybill. Throws `organization|asset|profile|geofence.not_found`, `waybill.taken|driver|tour_asset|device_unknown`. */
export const createWaybill = defineRoute({
  name: 'createWaybill',
  method: 'POST',
  path: '/waybill',
  access: 'waybill-list:edit',
  summary: 'Create a waybill',
  body: waybillInput,
  response: waybillDetail,
});

/**
 * Adjusts a waybill before it arrives. The limits can be changed only before the departure. Throws
 * `waybill.not_found|taken|state|limits_fixed` and those of `createWaybill`.
 */
export const adjustWaybill = defineRoute({
  name: 'adjustWaybill',
  method: 'PUT',
  path: '/waybill/:id',
  access: 'waybill-list:edit',
  summary: 'Adjust a waybill that has not arrived',
  params: one,
  body: z.strictObject({ waybill: adjustedWaybill, reason: prose(500).default('') }),
  response: waybillDetail,
});

/** Deletes a waybill that has not departed. Throws `waybill.not_found|state`. */
export const deleteWaybill = defineRoute({
  name: 'deleteWaybill',
  method: 'DELETE',
  path: '/waybill/:id',
  access: 'waybill-list:edit',
  summary: 'Delete a waybill that has not been shipped',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Lists accounts that may drive the trips of an organisation: its own, and those of organisations above it, in scope. */
export const listWaybillDrivers = defineRoute({
  name: 'listWaybillDrivers',
  method: 'GET',
  path: '/waybill/driver',
  access: 'waybill-list:edit',
  summary: 'Accounts that may drive the trips of an organisation',
  query: z.object({ organizationId: id, search: z.string().max(100).default('') }),
  response: z.array(
    z.object({
      id: z.number().int(),
      realname: z.string(),
      username: z.string(),
      organizationName: z.string(),
    }),
  ),
});

/** Lists devices that can be bound for a trip on an asset: those of its organisation, in scope. */
export const listWaybillDevices = defineRoute({
  name: 'listWaybillDevices',
  method: 'GET',
  path: '/waybill/device',
  access: 'waybill-list:edit',
  summary: 'Devices that can be bound to a vehicle or box for a trip',
  query: z.object({ assetId: id, search: z.string().max(100).default('') }),
  response: z.array(
    z.object({
      id: z.number().int(),
      number: z.string(),
      name: z.string(),
      /** Asset to which it is bound now. */
      assetName: z.string().nullable(),
      /** Number of the waybill for whose trip it is bound now. */
      onTrip: z.string().nullable(),
    }),
  ),
});

const person = z.string().trim().max(60).default('');
const stepNote = prose(500).default('');

/** Starts the transport. Throws `waybill.not_found|state|future|pre_cool|device_gone|device_on_trip|device_elsewhere`, `asset.not_found`. */
export const departWaybill = defineRoute({
  name: 'departWaybill',
  method: 'POST',
  path: '/waybill/:id/depart',
  access: 'waybill-list:transport',
  summary: 'Record the departure',
  params: one,
  body: z.strictObject({
    at: moment,
    assetId: id,
    person,
    note: stepNote,
    /** Why the goods depart although the vehicle or box has not been in range for the required time. */
    preCoolReason: stepNote,
  }),
  response: waybillDetail,
});

/** Moves the goods to another asset. Throws `waybill.not_found|state|future|before_leg|same_asset`, `asset.not_found`. */
export const transshipWaybill = defineRoute({
  name: 'transshipWaybill',
  method: 'POST',
  path: '/waybill/:id/transship',
  access: 'waybill-list:transport',
  summary: 'Record that the goods changed to another asset',
  params: one,
  body: z.strictObject({ at: moment, assetId: id, person, note: stepNote }),
  response: waybillDetail,
});

/** Confirms the delivery. Throws `waybill.not_found|state|future|before_leg`. */
export const deliverWaybill = defineRoute({
  name: 'deliverWaybill',
  method: 'POST',
  path: '/waybill/:id/deliver',
  access: 'waybill-list:transport',
  summary: 'Confirm the delivery',
  params: one,
  body: z.strictObject({ at: moment, person: label(60), note: stepNote }),
  response: waybillDetail,
});

/** Confirms that the consignee rejected the goods. Throws `waybill.not_found|state|future|before_leg`. */
export const rejectWaybill = defineRoute({
  name: 'rejectWaybill',
  method: 'POST',
  path: '/waybill/:id/reject',
  access: 'waybill-list:transport',
  summary: 'Confirm the rejection by the consignee',
  params: one,
  body: z.strictObject({ at: moment, person: label(60), note: reason }),
  response: waybillDetail,
});

/** Temperature record and verdict. Throws `waybill.not_found|not_departed`. */
export const getTripRecord = defineRoute({
  name: 'getTripRecord',
  method: 'GET',
  path: '/waybill/:id/record',
  access: 'waybill-list:view',
  summary: 'Temperature record of a trip, judged by the limits of the product',
  params: one,
  response: shownRecord,
});

/** Planned and actual route of a waybill. Speeds only for those who may see the replay. Throws `waybill.not_found`. */
export const getTripRoute = defineRoute({
  name: 'getTripRoute',
  method: 'GET',
  path: '/waybill/:id/route',
  access: 'waybill-list:view',
  summary: 'Planned and actual route of a waybill, with its geofences',
  params: one,
  response: tripRoute,
});

/** Estimated arrival of a waybill under way, and forecast until then. Throws `waybill.not_found`. */
export const getWaybillArrival = defineRoute({
  name: 'getWaybillArrival',
  method: 'GET',
  path: '/waybill/:id/arrival',
  access: 'waybill-list:view',
  summary: 'Estimated arrival, and whether the stability budget lasts until then',
  params: one,
  response: arrival,
});

/**
 * Releases, quarantines or rejects the goods after the trip. Throws `waybill.not_found|state`, and
 * `waybill.verdict_changed` if the verdict or the last decision is not the one that the caller has seen.
 */
export const decideWaybill = defineRoute({
  name: 'decideWaybill',
  method: 'POST',
  path: '/waybill/:id/decide',
  access: 'waybill-list:decide',
  summary: 'Release, quarantine or reject the goods, with a reason',
  params: one,
  body: z.strictObject({ decision: z.enum(DECISIONS), reason, seen: seenVerdict }),
  response: waybillDetail,
});

const paperQuery = z.object({ zone: timeZone });

/**
 * Report of a trip as PDF, with the verdict, the chart, the route, the excursions with their causes and the chain of custody.
 * It is entered in the register of reports. Throws `waybill.not_found|not_departed`, `request.too_many`.
 */
export const printTripReport = defineRoute({
  name: 'printTripReport',
  method: 'GET',
  path: '/waybill/:id/report',
  access: 'waybill-list:view',
  summary: 'Report of a trip as PDF, as base64',
  params: one,
  query: paperQuery,
  response: encodedFile,
});

/**
 * The waybill as PDF, with boxes for both signatures and the temperatures so far. It is entered in the register of reports.
 * Throws `waybill.not_found`, `request.too_many`.
 */
export const printWaybill = defineRoute({
  name: 'printWaybill',
  method: 'GET',
  path: '/waybill/:id/paper',
  access: 'waybill-list:view',
  summary: 'The waybill to print as PDF, as base64',
  params: one,
  query: paperQuery,
  response: encodedFile,
});
