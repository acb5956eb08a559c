import type { BodyOf, QueryOf } from '@isotherm/contracts/route';
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
import type { OptionSource } from '../../../shared/ui/form/choice-fields.tsx';

export const WEBCAMS_KEY = ['assets', 'webcams'] as const;
export const ACCOUNTS_KEY = [...WEBCAMS_KEY, 'accounts'] as const;
const OFFERED = 20;
/** While a picture is being taken. */
const LOOK_AGAIN_MS = 3_000;

export function webcamQuery(id: number) {
  return queryOptions({
    queryKey: [...WEBCAMS_KEY, 'one', id],
    // Not quiet: a link to a camera that is gone says so.
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

/** The bytes of a picture; they never change. */
export function pictureQuery(id: number) {
  return queryOptions({
    queryKey: [...WEBCAMS_KEY, 'picture', id],
    queryFn: async ({ signal }) =>
      (await callForFile(readWebcamSnapshot, { params: { id }, signal, quiet: true })).blob,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  });
}

/** Accounts, found while somebody types. */
export const accountSource: OptionSource = {
  key: [...ACCOUNTS_KEY, 'found'],
  search: async (search) => {
    const { items } = await call(listWebcamAccounts, { query: { search, pageSize: OFFERED }, quiet: true });
    return items.map(({ id, name, url }) => ({ value: id, label: name, hint: url }));
  },
};

/** What is known of cameras is asked for anew; pictures never change. */
export function askAnew(queries: QueryClient): void {
  void queries.invalidateQueries({
    queryKey: WEBCAMS_KEY,
    predicate: ({ queryKey }) => !queryKey.includes('picture'),
  });
}

/** What can be done to cameras and accounts. Who calls words the failure, but of a test and a picture. */
export function useWebcamChanges() {
  const queries = useQueryClient();
  const after = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } finally {
      askAnew(queries);
    }
  };
  return {
    create: (body: BodyOf<typeof createWebcam>) => after(call(createWebcam, { body, quiet: true })),
    edit: (id: number, body: BodyOf<typeof editWebcam>) =>
      after(call(editWebcam, { params: { id }, body, quiet: true })),
    remove: (id: number, reason: string) =>
      after(call(deleteWebcam, { params: { id }, body: { reason }, quiet: true })),
    test: (id: number) => after(call(testWebcam, { params: { id } })),
    take: (id: number) => after(call(takeWebcamSnapshot, { params: { id } })),
    createAccount: (body: BodyOf<typeof createWebcamAccount>) =>
      after(call(createWebcamAccount, { body, quiet: true })),
    editAccount: (id: number, body: BodyOf<typeof editWebcamAccount>) =>
      after(call(editWebcamAccount, { params: { id }, body, quiet: true })),
    removeAccount: (id: number, reason: string) =>
      after(call(deleteWebcamAccount, { params: { id }, body: { reason }, quiet: true })),
  };
}
