import { z } from 'zod';
import { linkToken } from './public-links.ts';
import { defineRoute, id, moment } from './route.ts';
import { arrival, tripRecord, waybill, waybillDetail } from './waybills.ts';

/** How long a link may be valid, days. */
export const LINK_DAYS = [1, 7, 30, 90] as const;
/** Decision 28. */
export const DEFAULT_LINK_DAYS = 7;

const link = z.object({
  id: z.number().int(),
  createdAt: moment,
  expiresAt: moment,
  /** When the page was last opened; null: never. */
  lastOpenedAt: moment.nullable(),
});
export type WaybillLink = z.output<typeof link>;

const one = z.object({ id });

/** Lists the public links of a waybill that still work. Throws `waybill.not_found`. */
export const listWaybillLinks = defineRoute({
  name: 'listWaybillLinks',
  method: 'GET',
  path: '/waybill/:id/link',
  access: 'waybill-list:edit',
  summary: 'Public links of a waybill that still work',
  params: one,
  response: z.array(link),
});

/** The form of a new link. */
export const waybillLinkInput = z.strictObject({
  days: z.union(LINK_DAYS.map((days) => z.literal(days))).default(DEFAULT_LINK_DAYS),
});

/**
 * Creates a public link that shows one waybill without login. Its token is returned only now. Throws `waybill.not_found`,
 * `waybill.many_links`.
 */
export const createWaybillLink = defineRoute({
  name: 'createWaybillLink',
  method: 'POST',
  path: '/waybill/:id/link',
  access: 'waybill-list:edit',
  summary: 'Create a public link of a waybill for its consignee',
  params: one,
  body: waybillLinkInput,
  response: z.object({ token: z.string(), links: z.array(link) }),
});

/** Revokes a public link. Throws `waybill.not_found`, `link.not_found`. */
export const revokeWaybillLink = defineRoute({
  name: 'revokeWaybillLink',
  method: 'DELETE',
  path: '/waybill/:id/link/:linkId',
  access: 'waybill-list:edit',
  summary: 'Revoke a public link of a waybill',
  params: z.object({ id, linkId: id }),
  response: z.array(link),
});

const point = z.tuple([z.number(), z.number()]);
const verdict = tripRecord.shape.probes.element.shape.verdict;

const shipment = waybill
  .pick({
    number: true,
    state: true,
    consignorUnit: true,
    consigneeUnit: true,
    goods: true,
    profileName: true,
    low: true,
    high: true,
    plannedDepartureAt: true,
    plannedDeliveryAt: true,
    departedAt: true,
    endedAt: true,
    decision: true,
    organizationName: true,
  })
  .extend({
    /** Steps of the transport, without accounts and remarks. */
    steps: z.array(waybillDetail.shape.custody.element.pick({ action: true, at: true, person: true })),
    /** Temperatures of the worst probe; null before the departure. */
    record: z
      .object({
        from: z.number(),
        to: z.number(),
        mktLimit: z.number().nullable(),
        verdict,
        /** Stretches without gaps: time in epoch ms and °C. */
        curve: z.array(z.array(point)),
      })
      .nullable(),
    /** Estimated arrival; null if it is not under way, or not known. */
    arrival: arrival.nullable(),
    /** The route, drawn in a rectangle of `TRACK_BOX`; null without positions. */
    track: z
      .object({
        lines: z.array(z.array(point)),
        marks: z.array(point),
        scale: z.object({ metres: z.number(), length: z.number() }),
      })
      .nullable(),
  });
export type Shipment = z.output<typeof shipment>;

/** Rectangle in which the route of a shipment is drawn. */
export const TRACK_BOX = { width: 480, height: 200, edge: 16 };

/** Shows the shipment of a public link. Throws `link.not_found`, `request.too_many`. */
export const viewShipment = defineRoute({
  name: 'viewShipment',
  method: 'POST',
  path: '/link/shipment',
  access: 'public',
  summary: 'The shipment of a public link: route, temperatures and verdict so far',
  body: z.strictObject({ token: linkToken }),
  response: shipment,
});
