import { EPCIS_UNITS } from '@isotherm/domain/waybills/epcis';
import { MOST_CAPTURED_EVENTS } from '@isotherm/domain/waybills/epcis-capture';
import { z } from 'zod';
import { defineRoute, download, id, moment } from './route.ts';

const uri = z.url();
const event = z.object({
  type: z.literal('ObjectEvent'),
  /** None for the temperatures of a leg that has not ended: they change with each reading. */
  eventID: uri.optional(),
  action: z.literal('OBSERVE'),
  bizStep: z.string(),
  disposition: z.string(),
  epcList: z.array(uri),
  eventTime: moment,
  eventTimeZoneOffset: z.string(),
  bizTransactionList: z.array(z.object({ type: z.string(), bizTransaction: uri })),
  sensorElementList: z
    .array(
      z.object({
        sensorMetadata: z.object({ startTime: moment, endTime: moment, deviceID: uri }),
        sensorReport: z.array(
          z.object({
            type: z.string(),
            minValue: z.number(),
            maxValue: z.number(),
            meanValue: z.number(),
            uom: z.enum(EPCIS_UNITS),
            exception: z.string().optional(),
          }),
        ),
      }),
    )
    .optional(),
});

/** An EPCIS 2.0 document as JSON-LD. */
export const epcisDocument = z.object({
  '@context': z.array(uri),
  type: z.literal('EPCISDocument'),
  schemaVersion: z.literal('2.0'),
  creationDate: moment,
  epcisBody: z.object({ eventList: z.array(event) }),
});
export type EpcisDocument = z.output<typeof epcisDocument>;

/**
 * The events of a waybill as an EPCIS 2.0 document: its steps, and the temperatures of each probe and leg in the unit that is asked
 * for. Throws `waybill.not_found`.
 */
export const getWaybillEpcis = defineRoute({
  name: 'getWaybillEpcis',
  method: 'GET',
  path: '/waybill/:id/epcis',
  access: 'waybill-list:view',
  summary: 'Events of a waybill as EPCIS 2.0 (JSON-LD), with sensor data in CEL, FAH or KEL',
  params: z.object({ id }),
  query: z.object({ uom: z.enum(EPCIS_UNITS).default('CEL') }),
  response: epcisDocument,
});

/** Number of events on a page of a query, and without `perPage`. */
export const MOST_EVENTS_A_PAGE = 100;
const EVENTS_A_PAGE = 30;
const queryTime = z.iso.datetime({ offset: true });
/** Several words are separated by `|`, as in the REST bindings of EPCIS 2.0. */
const words = z
  .string()
  .min(1)
  .max(500)
  .transform((value) => value.split('|'));

/**
 * The events of all waybills in scope, those of other systems included, in order of time, as a bare EPCISQueryDocument
 * (`application/ld+json`). The parameters are those of the query interface of EPCIS 2.0; one that is not listed is refused, because
 * its answer would be wrong. As long as there are more events, the header `Link` has the address of the next page.
 */
export const queryEpcisEvents = defineRoute({
  name: 'queryEpcisEvents',
  method: 'GET',
  path: '/epcis/events',
  access: 'waybill-list:view',
  summary: 'Events of waybills as an EPCIS 2.0 query document (JSON-LD)',
  query: z.strictObject({
    eventType: words.optional(),
    GE_eventTime: queryTime.optional(),
    LT_eventTime: queryTime.optional(),
    EQ_bizStep: words.optional(),
    EQ_disposition: words.optional(),
    /** Unit of temperatures. */
    uom: z.enum(EPCIS_UNITS).default('CEL'),
    perPage: z.coerce.number().int().min(1).max(MOST_EVENTS_A_PAGE).default(EVENTS_A_PAGE),
    nextPageToken: z
      .string()
      .regex(/^-?\d{1,16}\.[1-3]\.\d{1,16}$/)
      .optional(),
  }),
  response: download,
});

/** Entries and characters (as JSON) that a context of JSON-LD may have: it is stored with each event, and returned with it. */
export const MOST_CONTEXT_ENTRIES = 20;
export const MOST_CONTEXT_CHARACTERS = 8_000;
/** Characters that an event may have (as JSON), so that a page of events has a bound. */
export const MOST_EVENT_CHARACTERS = 200_000;

const isWithin = (value: unknown, characters: number) => (JSON.stringify(value) ?? '').length <= characters;

/** Prefixes and terms of a document, or of an event: their addresses or definitions. */
const jsonLdContext = z
  .unknown()
  .refine((value) => !Array.isArray(value) || value.length <= MOST_CONTEXT_ENTRIES, {
    error: 'too-many',
    params: { max: MOST_CONTEXT_ENTRIES },
  })
  .refine((value) => isWithin(value, MOST_CONTEXT_CHARACTERS), {
    error: 'too-long',
    params: { max: MOST_CONTEXT_CHARACTERS },
  });

const text = z.string().max(500);
const captureUri = z.string().min(1).max(500);
const offset = z.string().regex(/^[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00)$/);
const measured = z.number().optional();

/**
 * An event of another system, checked by what the JSON schema of EPCIS 2.0 requires; other fields, also those of extensions, are
 * kept as they are.
 */
const capturedEvent = z
  .looseObject({
    '@context': jsonLdContext.optional(),
    type: z.enum(['ObjectEvent', 'AggregationEvent', 'TransactionEvent', 'AssociationEvent']),
    eventID: captureUri.optional(),
    action: z.enum(['ADD', 'OBSERVE', 'DELETE']),
    bizStep: text.optional(),
    disposition: text.optional(),
    eventTime: z.iso.datetime({ offset: true }),
    eventTimeZoneOffset: offset,
    epcList: z.array(captureUri).max(1_000).optional(),
    quantityList: z.unknown().optional(),
    bizTransactionList: z
      .array(z.looseObject({ type: text.optional(), bizTransaction: captureUri }))
      .max(100)
      .optional(),
    readPoint: z.looseObject({ id: captureUri }).optional(),
    sensorElementList: z
      .array(
        z.looseObject({
          sensorReport: z
            .array(
              z.looseObject({
                type: text.optional(),
                value: measured,
                minValue: measured,
                maxValue: measured,
                meanValue: measured,
                percValue: measured,
                sDev: measured,
                uom: text.optional(),
              }),
            )
            .min(1)
            .max(1_000),
        }),
      )
      .max(100)
      .optional(),
  })
  .superRefine((event, context) => {
    // The schema of an object event: objects, quantities or sensor elements.
    if (
      event.type === 'ObjectEvent' &&
      !event.epcList?.length &&
      event.quantityList === undefined &&
      !event.sensorElementList?.length
    )
      context.addIssue({ code: 'custom', path: ['epcList'], message: 'required' });
    if (!isWithin(event, MOST_EVENT_CHARACTERS))
      context.addIssue({ code: 'custom', message: 'too-long', params: { max: MOST_EVENT_CHARACTERS } });
  });
export type CapturedEpcisEvent = z.output<typeof capturedEvent>;

/**
 * Stores the events of other systems for the waybills that they name; a departure, and an arrival or receipt, are recorded as steps
 * if the waybill has not taken them. All events of a document are stored, or none. An event that was sent before changes nothing.
 * Throws `epcis.no_waybill|unknown_waybill|ambiguous|changed`, `waybill.future|before_leg`.
 */
export const captureEpcis = defineRoute({
  name: 'captureEpcis',
  method: 'POST',
  path: '/waybill/epcis',
  access: 'waybill-list:transport',
  summary: 'Store events of other systems about waybills, as an EPCIS 2.0 document (JSON-LD)',
  body: z.looseObject({
    '@context': jsonLdContext.refine((value) => value !== undefined && value !== null, { error: 'required' }),
    type: z.literal('EPCISDocument'),
    schemaVersion: z.string().regex(/^2(?:\.\d+){0,2}$/),
    creationDate: z.iso.datetime({ offset: true }),
    epcisBody: z.looseObject({ eventList: z.array(capturedEvent).min(1).max(MOST_CAPTURED_EVENTS) }),
  }),
  response: z.object({
    /** Events that were stored now, and those that were known. */
    stored: z.number().int(),
    known: z.number().int(),
    /** Steps that were recorded. */
    steps: z.number().int(),
  }),
});
