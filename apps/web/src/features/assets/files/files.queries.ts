import {
  addFileVersion,
  deleteAssetFile,
  getAssetFile,
  listAssetFiles,
  readAssetFile,
  uploadAssetFile,
} from '@isotherm/contracts/asset-files';
import type { BodyOf } from '@isotherm/contracts/route';
import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call, callForFile } from '../../../shared/api/client.ts';

export const FILES_KEY = ['assets', 'files'] as const;

export function fileQuery(id: number) {
  return queryOptions({
    queryKey: [...FILES_KEY, 'one', id],
    // Not quiet: a link to a document that is gone says so.
    queryFn: ({ signal }) => call(getAssetFile, { params: { id }, signal }),
  });
}

/** The newest photo of an asset, as a list of one or none. */
export function photoQuery(assetId: number) {
  return queryOptions({
    queryKey: [...FILES_KEY, 'photo', assetId],
    queryFn: ({ signal }) =>
      call(listAssetFiles, { query: { assetId, kind: 'photo', pageSize: 1 }, signal, quiet: true }),
  });
}

/** The bytes of a version; they never change. */
export function fileBytesQuery(id: number, number: number) {
  return queryOptions({
    queryKey: [...FILES_KEY, 'bytes', id, number],
    queryFn: async ({ signal }) =>
      (await callForFile(readAssetFile, { params: { id, number }, signal })).blob,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

export function useFileChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    const done = await answer;
    void queries.invalidateQueries({ queryKey: FILES_KEY });
    return done;
  };
  return {
    upload: (assetId: number, body: BodyOf<typeof uploadAssetFile>) =>
      after(call(uploadAssetFile, { params: { id: assetId }, body, quiet: true })),
    addVersion: (id: number, body: BodyOf<typeof addFileVersion>) =>
      after(call(addFileVersion, { params: { id }, body, quiet: true })),
    remove: (id: number, reason: string) =>
      after(call(deleteAssetFile, { params: { id }, body: { reason }, quiet: true })),
  };
}
