import {
  type AssetRecord,
  createAsset,
  deleteAsset,
  editAsset,
  exportAssets,
  getAssetRecord,
  getAssetTemplate,
  importAssets,
  restoreAsset,
} from '@isotherm/contracts/asset-registry';
import type { ImportForm } from '@isotherm/contracts/batches';
import type { BodyOf } from '@isotherm/contracts/route';
import type { AssetKind } from '@isotherm/domain/assets/asset-kind';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import { saveFile } from '../../../shared/ui/save-file.ts';

export const REGISTRY_KEY = ['assets', 'registry'] as const;

export function recordQuery(id: number) {
  return queryOptions({
    queryKey: [...REGISTRY_KEY, 'one', id],
    queryFn: ({ signal }) => call(getAssetRecord, { params: { id }, signal }),
    // A form begins with what stands now, never with what was read before somebody changed it.
    gcTime: 0,
  });
}

/** The record as it stands at this moment, past every cache. */
export function readRecord(id: number): Promise<AssetRecord> {
  return call(getAssetRecord, { params: { id }, quiet: true });
}

export async function saveAssetTemplate(kind: AssetKind): Promise<void> {
  const { fileName, content } = await call(getAssetTemplate, { query: { kind } });
  saveFile(fileName, content);
}

/** The list as it is filtered. Who calls words the failure. */
export function exportAssetList(kind: AssetKind, query: Record<string, string | number>) {
  const { page: _page, pageSize: _size, ...filter } = query;
  return call(exportAssets, { query: { ...filter, kind } as never });
}

/** What can be done to assets. Who calls words the failure. */
export function useRegistryChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: ['assets'] });
    return done;
  };
  return {
    create: (body: BodyOf<typeof createAsset>) => after(call(createAsset, { body, quiet: true })),
    edit: (id: number, version: number, body: BodyOf<typeof editAsset>) =>
      after(call(editAsset, { params: { id }, query: { version }, body, quiet: true })),
    remove: (id: number, reason: string) =>
      after(call(deleteAsset, { params: { id }, body: { reason }, quiet: true })),
    importFile: (kind: AssetKind, form: ImportForm) =>
      call(importAssets, { body: { ...form, kind }, quiet: true }),
    imported: () => void queries.invalidateQueries({ queryKey: ['assets'] }),
    restore: (id: number) => after(call(restoreAsset, { params: { id } })),
  };
}
