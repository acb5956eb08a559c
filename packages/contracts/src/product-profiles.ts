import { DEFAULT_ACTIVATION_KJ } from '@isotherm/domain/readings/mean-kinetic';
import { MOST_PRE_COOL_MINUTES } from '@isotherm/domain/waybills/pre-cool';
import { type ProductLimits, profileFault } from '@isotherm/domain/waybills/product-profile';
import { z } from 'zod';
import { encodedFile, importBody, importReport, sheetExport } from './batches.ts';
import { code, label, prose, reason } from './fields.ts';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

const hasOneDecimal = (value: number) => Number(value.toFixed(1)) === value;
/** Requirements §5: "Temperature: integer or one decimal"; within what a sensor can measure. */
const temperature = z.number().min(-200).max(200).refine(hasOneDecimal, { error: 'one-decimal' });
/** Requirements §5: "Humidity: integer 0 to 100." */
const humidity = z.int().min(0).max(100);

/** Largest number of bands of a stability budget. */
export const MAX_BANDS = 6;
const band = z.strictObject({
  low: temperature.nullable(),
  high: temperature.nullable(),
  /** Total time allowed in the band, hours. */
  hours: z.number().min(0).max(8_760),
});

const fields = z.strictObject({
  organizationId: id,
  name: label(80),
  /** Unique within the organisation. */
  code,
  /** °C */
  temperatureLow: temperature,
  temperatureHigh: temperature,
  /** %RH; null: no limit. */
  humidityLow: humidity.nullable().default(null),
  humidityHigh: humidity.nullable().default(null),
  /** Stability budget: time allowed outside the range, by band of temperature. */
  budget: z.array(band).max(MAX_BANDS).default([]),
  /** Highest mean kinetic temperature, °C; null: not assessed. */
  mktLimit: temperature.nullable().default(null),
  /** Activation energy, kJ/mol. */
  activationKj: z.number().min(1).max(1_000).default(DEFAULT_ACTIVATION_KJ),
  /** How long a vehicle or box must have been in range before it departs with the product; null: not checked. */
  preCoolMinutes: z.int().min(1).max(MOST_PRE_COOL_MINUTES).nullable().default(null),
  note: prose().default(''),
  /** True if the organisations below may use the profile. */
  shared: z.boolean().default(true),
  /** False if no new waybill may use the profile. */
  enabled: z.boolean().default(true),
});

/** A product and the limits for its storage and transport. */
export const profileInput = fields.superRefine((value, context) => {
  const fault = profileFault(value as ProductLimits);
  if (!fault) return;
  const path = fault.field === 'budget' ? ['budget', fault.band] : [fault.field];
  context.addIssue({ code: 'custom', path, message: fault.code });
});
export type ProfileInput = z.output<typeof profileInput>;

export const productProfile = fields.extend({
  id: z.number().int(),
  organizationName: z.string(),
  /** Number of the version, which counts the changes. */
  version: z.number().int(),
  /** False if the profile belongs to an organisation above the caller's own. */
  editable: z.boolean(),
  changedBy: z.string(),
  changedAt: moment,
});
export type ProductProfile = z.output<typeof productProfile>;

const profileFilter = {
  search: z.string().max(100).default(''),
  organizationId: id.optional(),
  enabled: z.enum(['true', 'false']).optional(),
  sort: z.enum(['name', 'code', 'temperature', 'organization', 'changedAt']).default('name'),
  order: z.enum(['asc', 'desc']).default('asc'),
};

/** Lists own and subordinate profiles, and those that organisations above share. */
export const listProductProfiles = defineRoute({
  name: 'listProductProfiles',
  method: 'GET',
  path: '/waybill/profile',
  access: 'waybill-profiles:view',
  summary: 'Product profiles that the caller can use',
  query: z.object({ ...paging, ...profileFilter }),
  response: pageOf(productProfile),
});

/** Exports the filtered list as XLSX, as base64 in the JSON response. The file can be imported again. */
export const exportProductProfiles = defineRoute({
  name: 'exportProductProfiles',
  method: 'GET',
  path: '/waybill/profile/export',
  access: 'waybill-profiles:export',
  summary: 'The filtered product profiles as a spreadsheet',
  query: z.object(profileFilter),
  response: sheetExport,
});

export const getProductProfileTemplate = defineRoute({
  name: 'getProductProfileTemplate',
  method: 'GET',
  path: '/waybill/profile/template',
  access: 'waybill-profiles:import',
  summary: 'The spreadsheet of product profiles to fill in, as base64',
  response: encodedFile,
});

/**
 * Imports profiles from a spreadsheet. Rows with errors are reported and skipped; the others are written in one
 * transaction. Throws `import.*`.
 */
export const importProductProfiles = defineRoute({
  name: 'importProductProfiles',
  method: 'POST',
  path: '/waybill/profile/import',
  access: 'waybill-profiles:import',
  summary: 'Create product profiles from a spreadsheet (xls or xlsx), or only check it',
  encoding: 'multipart',
  body: importBody,
  response: importReport,
});

/** Reads a profile. Throws `profile.not_found`. */
export const getProductProfile = defineRoute({
  name: 'getProductProfile',
  method: 'GET',
  path: '/waybill/profile/:id',
  access: 'waybill-profiles:view',
  summary: 'One product profile',
  params: z.object({ id }),
  response: productProfile,
});

/** Creates a profile. Throws `organization.not_found`, `profile.taken`. */
export const createProductProfile = defineRoute({
  name: 'createProductProfile',
  method: 'POST',
  path: '/waybill/profile',
  access: 'waybill-profiles:edit',
  summary: 'Create a product profile',
  body: profileInput,
  response: productProfile,
});

/** Edits a profile. Throws `organization.not_found`, `profile.not_found|taken`. */
export const editProductProfile = defineRoute({
  name: 'editProductProfile',
  method: 'PUT',
  path: '/waybill/profile/:id',
  access: 'waybill-profiles:edit',
  summary: 'Change a product profile; waybills that have departed keep their limits',
  params: z.object({ id }),
  body: profileInput,
  response: productProfile,
});

/** Deletes a profile. Throws `profile.not_found`. */
export const deleteProductProfile = defineRoute({
  name: 'deleteProductProfile',
  method: 'DELETE',
  path: '/waybill/profile/:id',
  access: 'waybill-profiles:edit',
  summary: 'Delete a product profile',
  params: z.object({ id }),
  body: z.strictObject({ reason }),
  response: z.null(),
});
