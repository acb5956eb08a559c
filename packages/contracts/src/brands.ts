import { z } from 'zod';
import { file, LOGO_MAX_BYTES, label, orNone, prose } from './fields.ts';
import { defineRoute, id, moment } from './route.ts';
import { ENVIRONMENTS } from './settings.ts';

/** A host name without port, as browsers send it: `scm.example.org`. */
const host = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, { error: 'format' });

const link = z
  .string()
  .trim()
  .max(500)
  .regex(/^https?:\/\/\S+$/i, { error: 'format' });

const brandFields = {
  /**
   * Environment of the brand; null matches every environment. The most specific brand applies: one for both,
   * then for the host, then for the environment, then for neither.
   */
  environment: z.enum(ENVIRONMENTS).nullable(),
  host: host.nullable(),
  /** Title of the platform, shown above the menu and on the login page. */
  title: label(60),
  /** Title in the collapsed sidebar. */
  collapsedTitle: label(20),
  /** Title of the browser tab. */
  pageTitle: label(60),
  copyrightEntity: label(),
  filing: orNone(label()).default(''),
  showAppDownload: z.boolean().default(false),
  appDownloadUrl: orNone(link).default(''),
  /** WeChat official account that the login page shows; '' if there is none. */
  wechatAccount: orNone(label(60)).default(''),
  supportNote: prose(300).default(''),
};

/** Name and appearance of a customer's console (requirements §1, white label). */
export const brand = z.object({
  ...brandFields,
  id: z.number().int(),
  /** Addresses of the logo images; '' for the product's own logo. */
  loginLogo: z.string(),
  menuLogo: z.string(),
  /** True for the default brand, which matches everything and cannot be deleted. */
  fallback: z.boolean(),
  updatedAt: moment,
});
export type Brand = z.output<typeof brand>;

export const brandInput = z.strictObject(brandFields);

export const listBrands = defineRoute({
  name: 'listBrands',
  method: 'GET',
  path: '/setting/website',
  access: 'setting-website:view',
  summary: 'Brands, the fallback first',
  response: z.array(brand),
});

/** Creates a brand. Throws `brand.taken` if there is a brand for the environment and host. */
export const createBrand = defineRoute({
  name: 'createBrand',
  method: 'POST',
  path: '/setting/website',
  access: 'setting-website:edit',
  summary: 'Add a brand for an environment, a host or both',
  body: brandInput,
  response: brand,
});

export const editBrand = defineRoute({
  name: 'editBrand',
  method: 'PUT',
  path: '/setting/website/:id',
  access: 'setting-website:edit',
  summary: 'Change a brand',
  params: z.object({ id }),
  body: brandInput,
  response: brand,
});

export const uploadBrandLogo = defineRoute({
  name: 'uploadBrandLogo',
  method: 'POST',
  path: '/setting/website/:id/logo/:place',
  access: 'setting-website:edit',
  summary: 'Set the logo of the login page or of the menu; jpg, jpeg, png or gif, 2 MB at most',
  params: z.object({ id, place: z.enum(['login', 'menu']) }),
  encoding: 'multipart',
  body: z.strictObject({ image: file(LOGO_MAX_BYTES) }),
  response: brand,
});

export const removeBrandLogo = defineRoute({
  name: 'removeBrandLogo',
  method: 'DELETE',
  path: '/setting/website/:id/logo/:place',
  access: 'setting-website:edit',
  summary: 'Go back to the product’s own mark',
  params: z.object({ id, place: z.enum(['login', 'menu']) }),
  response: brand,
});

export const deleteBrand = defineRoute({
  name: 'deleteBrand',
  method: 'DELETE',
  path: '/setting/website/:id',
  access: 'setting-website:edit',
  summary: 'Delete a brand; its hosts show the fallback',
  params: z.object({ id }),
  response: z.null(),
});
