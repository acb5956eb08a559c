import {
  createBrand,
  deleteBrand,
  editBrand,
  listBrands,
  removeBrandLogo,
  uploadBrandLogo,
} from '@isotherm/contracts/brands';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { type BrandForm, bodyOf } from './brand-form.ts';

export const brandsQuery = queryOptions({
  queryKey: ['settings', 'brands'],
  queryFn: ({ signal }) => call(listBrands, { signal, quiet: true }),
});

export type LogoPlace = 'login' | 'menu';

/** What changes brands; the list is asked again after each. */
export function useBrandChanges() {
  const queries = useQueryClient();
  const afterwards = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work;
    await queries.invalidateQueries({ queryKey: brandsQuery.queryKey });
    return result;
  };
  return {
    create: (form: BrandForm) => afterwards(call(createBrand, { quiet: true, body: bodyOf(form) })),
    edit: (id: number, form: BrandForm) =>
      afterwards(call(editBrand, { quiet: true, params: { id }, body: bodyOf(form) })),
    remove: (id: number) => afterwards(call(deleteBrand, { quiet: true, params: { id } })),
    setLogo: (id: number, place: LogoPlace, image: File) =>
      afterwards(call(uploadBrandLogo, { params: { id, place }, body: { image } })),
    removeLogo: (id: number, place: LogoPlace) =>
      afterwards(call(removeBrandLogo, { params: { id, place } })),
  };
}
