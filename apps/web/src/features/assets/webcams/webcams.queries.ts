import type { QueryOf } from '@isotherm/contracts/route';
import {
  createWebcam,
  createWebcamAccount,
  deleteWebcam,
  deleteWebcamAccount,
  editWebcam,
  editWebcamAccount,
  getWebcam,
  listWebcamAccounts,
  listWebcamSnapshots,
  listWebcams,
  readWebcamSnapshot,
  takeWebcamSnapshot,
  testWebcam,
} from '@isotherm/contracts/webcams';
import { type QueryClient, queryOptions, useQueryClient } from '@tanstack/react-query';
import { call, callForFile } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';
import type { OptionSource } from '../../../shared/ui/form/choice-fields.tsx';

export const WEBCAMS_KEY = ['assets', 'webcams'] as const;
export const ACCOUNTS_KEY = [...WEBCAMS_KEY, 'accounts'] as const;
/** Images have a separate query key: they never change, so they are not reloaded with the other data. */
const PICTURES_KEY = ['assets', 'webcam-pictures'] as const;
const OFFERED = 20;
/** Polling interval while a snapshot is being taken. */
const LOOK_AGAIN_MS = 3_000;

export function webcamQuery(id: number) {
  return queryOptions({
    queryKey: [...WEBCAMS_KEY, 'one', id],
    // Errors are shown as a toast (the call is not `quiet`), so that a link to a deleted camera explains the
    // failure.
    queryFn: ({ signal }) => call(getWebcam, { params: { id }, signal }),
  });
}

export function webcamsOfAssetQuery(assetId: number) {
  return queryOptions({
    queryKey: [...WEBCAMS_KEY, 'of-asset', assetId],
    queryFn: ({ signal }) => call(listWebcams, { query: { assetId, pageSize: 200 }, signal, quiet: true }),
  });
}

export function snapshotsQuery(query: QueryOf<typeof listWebcamSnapshots>) {
  return queryOptions({
    queryKey: [...WEBCAMS_KEY, 'snapshots', query],
    queryFn: ({ signal }) => call(listWebcamSnapshots, { query, signal, quiet: true }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ takenAt, fault }) => !takenAt && !fault) ? LOOK_AGAIN_MS : false,
  });
}

/** Query for the bytes of a snapshot. They never change. */
export function pictureQuery(id: number) {
  return queryOptions({
    queryKey: [...PICTURES_KEY, id],
    queryFn: async ({ signal }) =>
      (await callForFile(readWebcamSnapshot, { params: { id }, signal, quiet: true })).blob,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

/** Searches the accounts that match the input. */
export const accountSource: OptionSource = {
  key: [...ACCOUNTS_KEY, 'found'],
  search: async (search) => {
    const { items } = await call(listWebcamAccounts, { query: { search, pageSize: OFFERED }, quiet: true });
    return items.map(({ id, name, url }) => ({ value: id, label: name, hint: url }));
  },
};

/** Reloads all data about cameras. */
export function askAnew(queries: QueryClient): void {
  void queries.invalidateQueries({ queryKey: WEBCAMS_KEY });
}

const useCrud = crudChanges(WEBCAMS_KEY, {
  create: createWebcam,
  edit: editWebcam,
  remove: deleteWebcam,
  createAccount: createWebcamAccount,
  editAccount: editWebcamAccount,
  removeAccount: deleteWebcamAccount,
});

/**
 * Mutations of cameras and accounts. A failed test or snapshot is shown as a toast and also changes the
 * state of the camera.
 */
export function useWebcamChanges() {
  const queries = useQueryClient();
  const tried = <T>(answer: Promise<T>) => answer.finally(() => askAnew(queries));
  return {
    ...useCrud(),
    test: (id: number) => tried(call(testWebcam, { params: { id } })),
    take: (id: number) => tried(call(takeWebcamSnapshot, { params: { id } })),
  };
}
