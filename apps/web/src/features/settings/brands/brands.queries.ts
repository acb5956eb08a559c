import {
  createBrand,
  deleteBrand,
  editBrand,
  listBrands,
  removeBrandLogo,
  uploadBrandLogo,
} from '@isotherm/contracts/brands';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';

const KEY = ['settings', 'brands'] as const;
const KEYS = [KEY];

export const brandsQuery = queryOptions({
  queryKey: KEY,
  queryFn: ({ signal }) => call(listBrands, { signal, quiet: true }),
});

export type LogoPlace = 'login' | 'menu';

const useCrud = crudChanges(
  KEY,
  { create: createBrand, edit: editBrand, remove: deleteBrand },
  { wait: true },
);

/** Mutations of brands. A logo has a separate route with two parameters; its failure is shown as a toast. */
export function useBrandChanges() {
  const crud = useCrud();
  const after = useRefreshing(KEYS, true);
  return {
    ...crud,
    setLogo: (id: number, place: LogoPlace, image: File) =>
      after(call(uploadBrandLogo, { params: { id, place }, body: { image } })),
    removeLogo: (id: number, place: LogoPlace) => after(call(removeBrandLogo, { params: { id, place } })),
  };
}
