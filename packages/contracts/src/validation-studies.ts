import { ASSET_KINDS } from '@isotherm/domain/assets/asset-kind';
import { STUDY_TYPES, STUDY_VERDICTS } from '@isotherm/domain/assets/validation-study';
import { z } from 'zod';
import { encodedFile } from './batches.ts';
import { label, prose, reason } from './fields.ts';
import { defineRoute, id, MAX_CHANNEL_ID, moment, pageOf, paging, timeZone } from './route.ts';

/** Fields of a verifier unit: a laboratory, a manufacturer's service, or an own metrology department. */
const unitFields = {
  name: label(),
  /** Number of the unit's accreditation. */
  qualification: z.union([z.literal(''), label(64)]).default(''),
  contact: z.union([z.literal(''), label()]).default(''),
  phone: z.union([z.literal(''), label(40)]).default(''),
};

export const verifierUnit = z.object({
  id: z.number().int(),
  organizationId: z.number().int(),
  organizationName: z.string(),
  ...unitFields,
  /** Number of studies that refer to the unit. */
  studies: z.number().int(),
  changedBy: z.string(),
  changedAt: moment,
});
export type VerifierUnit = z.output<typeof verifierUnit>;

export const listVerifierUnits = defineRoute({
  name: 'listVerifierUnits',
  method: 'GET',
  path: '/verifier-unit',
  access: 'asset-validation:view',
  summary: 'Verifier units of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    sort: z.enum(['name', 'organizationName', 'changedAt']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  response: pageOf(verifierUnit),
});

/** Creates a verifier unit. Throws `organization.not_found`, `verifier.taken`. */
export const createVerifierUnit = defineRoute({
  name: 'createVerifierUnit',
  method: 'POST',
  path: '/verifier-unit',
  access: 'asset-validation:edit',
  summary: 'Add a verifier unit',
  body: z.strictObject({ organizationId: id, ...unitFields }),
  response: verifierUnit,
});

/** Edits a verifier unit. Throws `verifier.not_found|taken`. */
export const editVerifierUnit = defineRoute({
  name: 'editVerifierUnit',
  method: 'PUT',
  path: '/verifier-unit/:id',
  access: 'asset-validation:edit',
  summary: 'Change a verifier unit',
  params: z.object({ id }),
  body: z.strictObject(unitFields),
  response: verifierUnit,
});

/** Deletes a verifier unit. Throws `verifier.not_found|in_use`. */
export const deleteVerifierUnit = defineRoute({
  name: 'deleteVerifierUnit',
  method: 'DELETE',
  path: '/verifier-unit/:id',
  access: 'asset-validation:edit',
  summary: 'Delete a verifier unit that no study names',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

/** Longest duration of a study. */
export const MAX_STUDY_MS = 31 * 86_400_000;

/** Requirements §5: "Temperature: integer or one decimal". */
const temperature = z.number().min(-200).max(200).multipleOf(0.1, { error: 'one-decimal' });

/** Form fields of a study except its asset. */
export const studyFields = {
  name: label(),
  type: z.enum(STUDY_TYPES),
  verifierUnitId: id.nullable().default(null),
  zoneMin: temperature,
  zoneMax: temperature,
  from: moment,
  to: moment,
  dueOn: z.iso.date({ error: 'format' }).nullable().default(null),
  channels: z.array(z.number().int().positive().max(MAX_CHANNEL_ID)).min(1).max(64),
  note: prose().default(''),
};
type Form = z.output<z.ZodObject<typeof studyFields>>;

/** Checks "Maximum greater than minimum" and "end later than start" (requirements §5). */
export function wholeStudy<T extends z.ZodType<Pick<Form, 'zoneMin' | 'zoneMax' | 'from' | 'to'>>>(
  schema: T,
): T {
  const length = ({ from, to }: Pick<Form, 'from' | 'to'>) => Date.parse(to) - Date.parse(from);
  return schema
    .refine(({ zoneMin, zoneMax }) => zoneMax > zoneMin, { path: ['zoneMax'], error: 'above-other' })
    .refine((each) => length(each) > 0, { path: ['to'], error: 'above-other' })
    .refine((each) => length(each) <= MAX_STUDY_MS, { path: ['to'], error: 'study-too-long' }) as T;
}

const studyPoint = z.object({
  channelId: z.number().int(),
  count: z.number().int(),
  min: z.number(),
  max: z.number(),
  mean: z.number(),
  meanKinetic: z.number(),
  coverage: z.number(),
  outsideMs: z.number(),
});

/** The result as the domain computes it; temperatures are in °C. */
const studyResult = z.object({
  points: z.array(studyPoint),
  min: z.number(),
  max: z.number(),
  mean: z.number(),
  meanKinetic: z.number(),
  uniformity: z.number(),
  hotSpot: z.number().int(),
  coldSpot: z.number().int(),
  verdict: z.enum(STUDY_VERDICTS),
});

/** States of a study: planned, measuring, ended and not evaluated, evaluated. */
export const STUDY_STATES = ['planned', 'measuring', 'to-judge', 'judged'] as const;

export const validationStudy = z.object({
  id: z.number().int(),
  asset: z.object({ id: z.number().int(), name: z.string(), code: z.string(), kind: z.enum(ASSET_KINDS) }),
  organizationName: z.string(),
  ...studyFields,
  verifierUnitName: z.string().nullable(),
  /** Names of the channels that still exist, in the order of the study. */
  channelNames: z.array(
    z.object({ id: z.number().int(), name: z.string(), deviceNumber: z.string(), serial: z.string() }),
  ),
  /**
   * Ids of the channels whose sensors had no certificate that was valid until the end of the study. They
   * cause a reservation about the verdict.
   */
  uncalibrated: z.array(z.number().int()),
  state: z.enum(STUDY_STATES),
  result: studyResult.nullable(),
  judgedBy: z.string().nullable(),
  judgedAt: moment.nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type ValidationStudy = z.output<typeof validationStudy>;

export const listValidationStudies = defineRoute({
  name: 'listValidationStudies',
  method: 'GET',
  path: '/validation',
  access: 'asset-validation:view',
  summary: 'Validation studies of own and subordinate organisations',
  query: z.object({
    ...paging,
    search: z.string().max(100).default(''),
    type: z.enum(STUDY_TYPES).optional(),
    state: z.enum(STUDY_STATES).optional(),
    verdict: z.enum(STUDY_VERDICTS).optional(),
    assetId: id.optional(),
    sort: z.enum(['from', 'dueOn', 'assetName', 'name']).default('from'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(validationStudy),
});

/** Reads a validation study. Throws `validation.not_found`. */
export const getValidationStudy = defineRoute({
  name: 'getValidationStudy',
  method: 'GET',
  path: '/validation/:id',
  access: 'asset-validation:view',
  summary: 'One validation study',
  params: z.object({ id }),
  response: validationStudy,
});

/** Lists the temperature channels of an asset for a study. Throws `asset.not_found`. */
export const listStudyChannels = defineRoute({
  name: 'listStudyChannels',
  method: 'GET',
  path: '/validation-channel',
  access: 'asset-validation:view',
  summary: 'Temperature channels of an asset',
  query: z.object({ assetId: id }),
  response: validationStudy.shape.channelNames,
});

/**
 * Creates a study. Throws `asset.not_found`, `verifier.not_found`, `validation.channel` for a channel of
 * another asset.
 */
export const createValidationStudy = defineRoute({
  name: 'createValidationStudy',
  method: 'POST',
  path: '/validation',
  access: 'asset-validation:edit',
  summary: 'Plan a validation study',
  body: wholeStudy(z.strictObject({ assetId: id, ...studyFields })),
  response: validationStudy,
});

/** Edits a study and clears its result. Throws `validation.not_found|channel`, `verifier.not_found`. */
export const editValidationStudy = defineRoute({
  name: 'editValidationStudy',
  method: 'PUT',
  path: '/validation/:id',
  access: 'asset-validation:edit',
  summary: 'Change a validation study; its result is taken back',
  params: z.object({ id }),
  body: wholeStudy(z.strictObject(studyFields)),
  response: validationStudy,
});

/** Deletes a validation study. Throws `validation.not_found`. */
export const deleteValidationStudy = defineRoute({
  name: 'deleteValidationStudy',
  method: 'DELETE',
  path: '/validation/:id',
  access: 'asset-validation:edit',
  summary: 'Delete a validation study',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});

/**
 * Evaluates a study. Throws `validation.not_found|not_over|no_readings|too_many_readings`,
 * `request.too_many`.
 */
export const judgeValidationStudy = defineRoute({
  name: 'judgeValidationStudy',
  method: 'POST',
  path: '/validation/:id/judge',
  access: 'asset-validation:edit',
  summary: 'Judge a study by what was measured',
  params: z.object({ id }),
  response: validationStudy,
});

/** Returns the report of a validation study. Throws `validation.not_found|not_judged`, `request.too_many`. */
export const reportValidationStudy = defineRoute({
  name: 'reportValidationStudy',
  method: 'GET',
  path: '/validation/:id/report',
  access: 'asset-validation:view',
  summary: 'The report of a judged study as PDF, in the language and time zone of whoever asks',
  params: z.object({ id }),
  query: z.object({ zone: timeZone }),
  response: encodedFile,
});
