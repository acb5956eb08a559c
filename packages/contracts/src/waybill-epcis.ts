import { EPCIS_UNITS } from '@isotherm/domain/waybills/epcis';
import { z } from 'zod';
import { defineRoute, id, moment } from './route.ts';

const uri = z.url();
const event = z.object({
  type: z.literal('ObjectEvent'),
  eventID: uri,
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
        sensorMetadata: z.object({ startTime: moment, endTime: moment }),
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
