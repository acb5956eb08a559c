import {
  cancelJob,
  deleteJob,
  downloadJob,
  type Job,
  type job,
  listJobs,
  retryJob,
} from '@isotherm/contracts/jobs';
import type { BodyOf, RouteContract } from '@isotherm/contracts/route';
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { create } from 'zustand';
import { call, callForFile } from '../api/client.ts';
import { saveBlob } from '../ui/save-file.ts';

/** Interval at which the list is loaded again while a job is waiting or running. */
const PROGRESS_EVERY_MS = 1_000;

export const isOpen = ({ state }: Job) => state === 'waiting' || state === 'running';

export const jobsQuery = queryOptions({
  queryKey: ['jobs'],
  queryFn: ({ signal }) => call(listJobs, { signal, quiet: true }),
  staleTime: 60_000,
  refetchInterval: ({ state }) => (state.data?.items.some(isOpen) ? PROGRESS_EVERY_MS : false),
  // An order of a large report is watched from another window, too.
  refetchIntervalInBackground: true,
});

/** Whether the drawer with the downloads is open. */
export const useDownloads = create<{ open: boolean; show(open: boolean): void }>((set) => ({
  open: false,
  show: (open) => set({ open }),
}));

/** Changes of one's own jobs; the list is loaded again after each. */
export function useJobChanges() {
  const queries = useQueryClient();
  const { mutateAsync, isPending } = useMutation({
    mutationFn: (change: () => Promise<unknown>) => change(),
    onSettled: () => queries.invalidateQueries({ queryKey: jobsQuery.queryKey }),
  });
  // The API client has already shown why a change failed.
  const run = (change: () => Promise<unknown>) => mutateAsync(change).catch(() => undefined);
  return {
    isPending,
    cancel: ({ id }: Job) => run(() => call(cancelJob, { params: { id } })),
    retry: ({ id }: Job) => run(() => call(retryJob, { params: { id } })),
    remove: ({ id }: Job) => run(() => call(deleteJob, { params: { id } })),
    save: ({ id }: Job) =>
      run(async () => {
        const { fileName, blob } = await callForFile(downloadJob, { params: { id } });
        saveBlob(fileName, blob);
      }),
  };
}

/** Orders a job by a route that returns it, and shows its progress in the drawer. */
export function useOrder() {
  const queries = useQueryClient();
  const show = useDownloads((state) => state.show);
  const { mutateAsync, isPending } = useMutation({
    mutationFn: (order: () => Promise<Job>) => order(),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: jobsQuery.queryKey });
      show(true);
    },
  });
  return {
    isPending,
    /** Resolves when the job is ordered; a failure has been shown. */
    order<R extends RouteContract & { response: typeof job }>(route: R, body: BodyOf<R>): Promise<unknown> {
      return mutateAsync(() => call(route, { body } as never) as Promise<Job>).catch(() => undefined);
    },
  };
}
