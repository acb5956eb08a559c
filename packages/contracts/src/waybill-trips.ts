import { HANDOVER_KINDS, isSignature, needsRemark, type Stroke } from '@isotherm/domain/waybills/handover';
import { z } from 'zod';
import { file, HANDOVER_PHOTO_MAX_BYTES, label, prose } from './fields.ts';
import { defineRoute, download, id, moment } from './route.ts';
import { viewShipment } from './waybill-links.ts';
import { handover, MAX_GOODS, preCool, tourOfWaybill, waybill } from './waybills.ts';

/** Largest number of photos of a hand-over. */
export const MOST_PHOTOS = 5;
/** A hand-over can wait this long in the phone. */
export const LONGEST_WAIT_MS = 30 * 86_400_000;

const NAME = 60;
/** Drawn on glass, or the typed name of who confirms. */
const signature = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('drawn'),
    strokes: z
      .array(z.array(z.number()))
      .refine((strokes: readonly Stroke[]) => isSignature(strokes), { error: 'required' }),
  }),
  z.strictObject({ kind: z.literal('typed') }),
]);
export type Signature = z.output<typeof signature>;

/** A hand-over as it is confirmed on the phone. */
export const handoverInput = z
  .strictObject({
    /** Repeated with each attempt, so that the hand-over is recorded once. */
    requestKey: z.uuid(),
    kind: z.enum(HANDOVER_KINDS),
    /** How long ago it was signed, by the clock of the phone, ms. */
    ageMs: z.number().int().min(0).max(LONGEST_WAIT_MS),
    givenBy: label(NAME),
    takenBy: label(NAME),
    /** The asset on which the goods are from now on; null: as planned, or none. */
    assetId: id.nullable(),
    sealsIntact: z.boolean(),
    undamaged: z.boolean(),
    /** The goods as the phone showed them, and what was received of each. */
    received: handover.shape.received.max(MAX_GOODS),
    remark: prose(500),
    /** Why it departs although the vehicle or box has not been in range for the required time. */
    preCoolReason: prose(500).default(''),
    signature,
  })
  .superRefine((value, context) => {
    for (const [row, { quantity, received }] of value.received.entries())
      if (received > quantity)
        context.addIssue({
          code: 'too_big',
          origin: 'number',
          maximum: quantity,
          path: ['received', row, 'received'],
        });
    if (needsRemark(value) && value.remark === '')
      context.addIssue({ code: 'custom', path: ['remark'], message: 'required' });
    if (value.kind === 'transship' && value.assetId === null)
      context.addIssue({ code: 'custom', path: ['assetId'], message: 'required' });
  });
export type HandoverInput = z.output<typeof handoverInput>;

/** What a phone shows of a waybill before it is handed over. */
export const trip = waybill
  .pick({
    id: true,
    number: true,
    state: true,
    organizationName: true,
    consignorUnit: true,
    consignorAddress: true,
    consignorContact: true,
    consignorPhone: true,
    consigneeUnit: true,
    consigneeAddress: true,
    consigneeContact: true,
    consigneePhone: true,
    assetId: true,
    assetName: true,
    tour: true,
    stop: true,
    driverName: true,
    deviceNumbers: true,
    goods: true,
    profileName: true,
    low: true,
    high: true,
    plannedDepartureAt: true,
    plannedDeliveryAt: true,
    departedAt: true,
    endedAt: true,
    decision: true,
    note: true,
  })
  .extend({
    /** Hand-overs that the state allows. */
    kinds: z.array(z.enum(HANDOVER_KINDS)),
    record: viewShipment.response.shape.record,
    /** Null if no time in range is required. */
    preCool: preCool.nullable(),
    /** Those that the caller sees; null without a tour. */
    stops: tourOfWaybill,
    /** The signed end of the transport; null without one. */
    signed: z.object({ at: moment, takenBy: z.string() }).nullable(),
  });
export type Trip = z.output<typeof trip>;

const listed = trip.omit({ record: true, preCool: true, stops: true, signed: true });
export type ListedTrip = z.output<typeof listed>;

/** Largest number of trips in the list of a phone. */
export const MOST_TRIPS = 100;

/**
 * Lists the trips under way and planned, and those that ended in the last day, in the order of their planned times.
 * Who may not see the list of waybills gets only those that they drive; so do the other routes of trips.
 */
export const listTrips = defineRoute({
  name: 'listTrips',
  method: 'GET',
  path: '/waybill/trip',
  access: 'waybill-trips:view',
  summary: 'Trips for a phone: under way, planned, and ended in the last day',
  response: z.array(listed),
});

const one = z.object({ id });

/** Reads one trip with its temperature record so far. Throws `waybill.not_found`. */
export const getTrip = defineRoute({
  name: 'getTrip',
  method: 'GET',
  path: '/waybill/trip/:id',
  access: 'waybill-trips:view',
  summary: 'One trip with its temperature record so far',
  params: one,
  response: trip,
});

const asJson = z
  .string()
  .max(60_000)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'format' });
      return z.NEVER;
    }
  });
const photo = file(HANDOVER_PHOTO_MAX_BYTES).optional();

/**
 * Records a hand-over: the step of the transport with findings, signature and photos. A call with a key that was recorded
 * before changes nothing and returns the first result. Throws `request.invalid`,
 * `waybill.not_found|state|future|before_leg|same_asset|goods_changed|handed_over|pre_cool`, `asset.not_found`,
 * `upload.format|too_large|unreadable`.
 */
export const handOverTrip = defineRoute({
  name: 'handOverTrip',
  method: 'POST',
  path: '/waybill/trip/:id/handover',
  access: 'waybill-trips:handover',
  summary: 'Record a hand-over with signature and photos (jpg, png or gif, 3 MB each), once for each key',
  params: one,
  encoding: 'multipart',
  body: z.strictObject({
    /** A `HandoverInput` as JSON. */
    handover: asJson.pipe(handoverInput),
    photo1: photo,
    photo2: photo,
    photo3: photo,
    photo4: photo,
    photo5: photo,
  }),
  response: z.object({ at: moment, state: waybill.shape.state }),
});

/** Returns a photo of a hand-over. Throws `waybill.not_found|photo_not_found`. */
export const readWaybillPhoto = defineRoute({
  name: 'readWaybillPhoto',
  method: 'GET',
  path: '/waybill/:id/photo/:photo',
  access: 'waybill-list:view',
  summary: 'A photo of a hand-over',
  params: z.object({ id, photo: id }),
  response: download,
});
