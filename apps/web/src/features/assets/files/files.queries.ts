import {
  addFileVersion,
  deleteAssetFile,
  getAssetFile,
  listAssetFiles,
  readAssetFile,
  uploadAssetFile,
} from '@isotherm/contracts/asset-files';
import { queryOptions } from '@tanstack/react-query';
import { call, callForFile } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const FILES_KEY = ['assets', 'files'] as const;

export function fileQuery(id: number) {
  return queryOptions({
    queryKey: [...FILES_KEY, 'one', id],
    // Errors are shown as a toast (the call is not `quiet`), so that a link to a deleted document explains
    // the failure.
    queryFn: ({ signal }) => call(getAssetFile, { params: { id }, signal }),
  });
}

/** Query for the newest photo of an asset, as a list with one entry or none. */
export function photoQuery(assetId: number) {
  return queryOptions({
    queryKey: [...FILES_KEY, 'photo', assetId],
    queryFn: ({ signal }) =>
      call(listAssetFiles, { query: { assetId, kind: 'photo', pageSize: 1 }, signal, quiet: true }),
  });
}

/** Query for the bytes of a version. They never change. */
export function fileBytesQuery(id: number, number: number) {
  return queryOptions({
    queryKey: [...FILES_KEY, 'bytes', id, number],
    queryFn: async ({ signal }) =>
      (await callForFile(readAssetFile, { params: { id, number }, signal })).blob,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

export const useFileChanges = crudChanges(FILES_KEY, {
  upload: uploadAssetFile,
  addVersion: addFileVersion,
  remove: deleteAssetFile,
});
