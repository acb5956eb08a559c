import type { createBrand } from '@isotherm/contracts/brands';
import { type Brand, brandInput } from '@isotherm/contracts/brands';
import type { BodyOf } from '@isotherm/contracts/route';
import { ENVIRONMENTS } from '@isotherm/contracts/settings';
import { z } from 'zod';

/** Form schema of a brand: the body of the contract, but an empty choice means "every". */
export const brandForm = brandInput.extend({
  environment: z.union([z.literal(''), z.enum(ENVIRONMENTS)]).default(''),
  host: z.union([z.literal(''), brandInput.shape.host.unwrap()]).default(''),
});
export type BrandForm = z.input<typeof brandForm>;

export function formOf(brand: Brand): BrandForm {
  const { environment, host, ...rest } = brand;
  const known = Object.keys(brandInput.shape);
  return {
    ...(Object.fromEntries(Object.entries(rest).filter(([key]) => known.includes(key))) as BrandForm),
    environment: environment ?? '',
    host: host ?? '',
  };
}

export function bodyOf(form: BrandForm): BodyOf<typeof createBrand> {
  const { environment, host, ...rest } = form;
  return { ...rest, environment: environment || null, host: host || null };
}

export const NEW_BRAND: Partial<BrandForm> = {
  environment: '',
  host: '',
  title: '',
  collapsedTitle: '',
  pageTitle: '',
  copyrightEntity: '',
  filing: '',
  showAppDownload: false,
  appDownloadUrl: '',
  wechatAccount: '',
  supportNote: '',
};
