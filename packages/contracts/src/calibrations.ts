import { CALIBRATION_STATES } from '@isotherm/domain/devices/calibration';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { attachmentRoutes } from './attachments.ts';
import { label, prose, reason } from './fields.ts';
import { defineRoute, id, MAX_CHANNEL_ID, moment, pageOf, paging } from './route.ts';

const figure = z.number().min(-1e6).max(1e6);

/** A point of a certificate: the reference and the sensor's reading, in the canonical unit of the channel. */
export const calibrationPoint = z.strictObject({
  channelId: z.number().int().positive().max(MAX_CHANNEL_ID),
  reference: figure,
  reading: figure,
  /** Expanded uncertainty (k = 2) as stated on the certificate. */
  uncertainty: z.number().min(0).max(1e6).nullable().default(null),
});
export type CalibrationPointForm = z.output<typeof calibrationPoint>;

const points = z
  .array(calibrationPoint)
  .max(100)
  .superRefine((list, context) => {
    const seen = new Set<string>();
    for (const [at, { channelId, reading }] of list.entries()) {
      const key = `${channelId}/${reading}`;
      if (seen.has(key)) context.addIssue({ code: 'custom', message: 'twice', path: [at, 'reading'] });
      seen.add(key);
    }
  });

/** Fields of a certificate except its sensor. */
export const certificateFields = {
  certificate: label(64),
  laboratory: label(),
  calibratedOn: z.iso.date({ error: 'format' }),
  /** The certificate is valid until the end of this day in UTC. */
  dueOn: z.iso.date({ error: 'format' }),
  /** Time from which readings are corrected; null for no correction. */
  appliedFrom: moment.nullable(),
  points,
  note: prose().default(''),
};
type Form = z.output<z.ZodObject<typeof certificateFields>>;

/** Checks "End later than start" (requirements §5), and that a correction has points. */
export function wholeCertificate<
  T extends z.ZodType<Pick<Form, 'calibratedOn' | 'dueOn' | 'appliedFrom' | 'points'>>,
>(schema: T): T {
  return schema
    .refine(({ calibratedOn, dueOn }) => dueOn > calibratedOn, { path: ['dueOn'], error: 'above-other' })
    .refine((each) => each.appliedFrom === null || each.points.length > 0, {
      path: ['points'],
      error: 'required',
    }) as T;
}

const calibratedChannel = z.object({
  id: z.number().int(),
  name: z.string(),
  indicator: z.enum(INDICATOR_NAMES),
});

/** A sensor that can be calibrated. */
export const calibratedSensor = z.object({
  id: z.number().int(),
  index: z.number().int(),
  name: z.string(),
  serial: z.string(),
  deviceNumber: z.string(),
  assetName: z.string().nullable(),
  channels: z.array(calibratedChannel),
});
export type CalibratedSensor = z.output<typeof calibratedSensor>;

export const calibration = z.object({
  id: z.number().int(),
  sensor: calibratedSensor,
  /** Serial number of the calibrated instrument. */
  serial: z.string(),
  organizationName: z.string(),
  certificate: z.string(),
  laboratory: z.string(),
  calibratedOn: z.string(),
  dueOn: z.string(),
  appliedFrom: moment.nullable(),
  /** Time when that instrument was replaced, which ended its correction; null if it was not replaced. */
  endedAt: moment.nullable(),
  state: z.enum(CALIBRATION_STATES).exclude(['never']),
  /** True if there is a newer certificate of the same sensor. */
  superseded: z.boolean(),
  points: z.array(calibrationPoint),
  /** Number of files attached to the certificate. */
  files: z.number().int(),
  note: z.string(),
  changedBy: z.string(),
  changedAt: moment,
});
export type CalibrationView = z.output<typeof calibration>;

/** Filters of the list: current certificates, also by expiry, or all of them. */
export const CALIBRATION_SHOWN = ['current', 'due-soon', 'overdue', 'all'] as const;

export const listCalibrations = defineRoute({
  name: 'listCalibrations',
  method: 'GET',
  path: '/device/calibration',
  access: 'device-calibration:view',
  summary: 'Calibration certificates of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    shown: z.enum(CALIBRATION_SHOWN).default('current'),
    sort: z.enum(['dueOn', 'calibratedOn', 'deviceNumber', 'laboratory']).default('dueOn'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(calibration),
});

/** Reads a certificate. Throws `calibration.not_found`. */
export const getCalibration = defineRoute({
  name: 'getCalibration',
  method: 'GET',
  path: '/device/calibration/:id',
  access: 'device-calibration:view',
  summary: 'One calibration certificate',
  params: z.object({ id }),
  response: calibration,
});

export const countCalibrations = defineRoute({
  name: 'countCalibrations',
  method: 'GET',
  path: '/device/calibration-count',
  access: 'device-calibration:view',
  summary: 'How many sensors are calibrated, due, overdue, or never were',
  response: z.record(z.enum(CALIBRATION_STATES), z.number().int()),
});

export const findCalibratedSensors = defineRoute({
  name: 'findCalibratedSensors',
  method: 'GET',
  path: '/device/calibration-sensor',
  access: 'device-calibration:view',
  summary: 'Sensors of own and subordinate organisations by serial, device number or asset',
  query: z.object({ search: z.string().max(100).default('') }),
  response: z.array(calibratedSensor),
});

export const uncalibratedSensor = calibratedSensor.extend({ organizationName: z.string() });
export type UncalibratedSensor = z.output<typeof uncalibratedSensor>;

export const listUncalibratedSensors = defineRoute({
  name: 'listUncalibratedSensors',
  method: 'GET',
  path: '/device/calibration-never',
  access: 'device-calibration:view',
  summary: 'Sensors of own and subordinate organisations that have no calibration certificate',
  query: z.object({
    ...paging,
    /** Search text for device number, serial number or asset. */
    search: z.string().max(100).default(''),
    sort: z.enum(['deviceNumber', 'assetName']).default('deviceNumber'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(uncalibratedSensor),
});

/**
 * Creates a certificate. Throws `sensor.not_found`, `calibration.taken`, `calibration.channel` if a point
 * names a channel of another sensor.
 */
export const createCalibration = defineRoute({
  name: 'createCalibration',
  method: 'POST',
  path: '/device/calibration',
  access: 'device-calibration:edit',
  summary: 'Record a calibration certificate',
  body: wholeCertificate(z.strictObject({ sensorId: id, ...certificateFields })),
  response: calibration,
});

/** Edits a certificate. Throws `calibration.not_found|taken|channel`. */
export const editCalibration = defineRoute({
  name: 'editCalibration',
  method: 'PUT',
  path: '/device/calibration/:id',
  access: 'device-calibration:edit',
  summary: 'Change what stands of a calibration certificate',
  params: z.object({ id }),
  body: wholeCertificate(z.strictObject(certificateFields)),
  response: calibration,
});

/** Deletes a certificate. Throws `calibration.not_found`. */
export const deleteCalibration = defineRoute({
  name: 'deleteCalibration',
  method: 'DELETE',
  path: '/device/calibration/:id',
  access: 'device-calibration:edit',
  summary: 'Delete a calibration certificate: its correction is no longer applied',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const calibrationFiles = attachmentRoutes({
  name: 'Calibration',
  path: '/device/calibration/:id',
  view: 'device-calibration:view',
  edit: 'device-calibration:edit',
});
