import {
  type AssetRecord,
  createAsset,
  deleteAsset,
  editAsset,
  getAssetRecord,
  restoreAsset,
} from '@isotherm/contracts/asset-registry';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { crudChanges, useRefreshing } from '../../../shared/api/crud-changes.ts';
import { ASSETS_KEY } from '../assets.queries.ts';

export const REGISTRY_KEY = [...ASSETS_KEY, 'registry'] as const;

export function recordQuery(id: number) {
  return queryOptions({
    queryKey: [...REGISTRY_KEY, 'one', id],
    queryFn: ({ signal }) => call(getAssetRecord, { params: { id }, signal }),
    // The record is not cached: a form must start with the stored record.
    gcTime: 0,
  });
}

/** Requests the stored record and bypasses every cache. */
export function readRecord(id: number): Promise<AssetRecord> {
  return call(getAssetRecord, { params: { id }, quiet: true });
}

const useCrud = crudChanges(ASSETS_KEY, { create: createAsset, remove: deleteAsset });
const KEYS = [ASSETS_KEY];

/** Mutations of assets. The caller shows failures. */
export function useRegistryChanges() {
  const after = useRefreshing(KEYS);
  return {
    ...useCrud(),
    edit: (id: number, version: number, body: BodyOf<typeof editAsset>) =>
      after(call(editAsset, { params: { id }, query: { version }, body, quiet: true })),
    restore: (id: number) => after(call(restoreAsset, { params: { id } })),
  };
}
