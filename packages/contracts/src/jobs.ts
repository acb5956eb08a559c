import { SIGNED_IN } from '@isotherm/domain/access/permissions';
import { z } from 'zod';
import { defineRoute, download, id, moment } from './route.ts';

/** Kinds of jobs that have a result file. `jobs.kind.<kind>` is the text of each. */
export const JOB_KINDS = [
  'readings-export',
  'alarm-export',
  'message-export',
  'log-export',
  'list-export',
  'record-report',
  'compliance-report',
  'alarm-report',
  'device-report',
  'statistics-report',
  'data-backup',
  'device-archive',
] as const;
export type JobKindName = (typeof JOB_KINDS)[number];

export const JOB_STATES = ['waiting', 'running', 'done', 'failed', 'cancelled', 'expired'] as const;
export type JobState = (typeof JOB_STATES)[number];

/** Number of days for which the file of a job can be downloaded (requirements §9). */
export const JOB_FILE_DAYS = 7;
/** Largest number of waiting and running jobs of one user. */
export const MAX_OPEN_JOBS = 20;
/** Number of jobs that the list shows, the newest first. */
export const MAX_LISTED_JOBS = 50;

export const job = z.object({
  id: z.number().int(),
  kind: z.enum(JOB_KINDS),
  /** What the file is about, as asset names; may be empty. */
  subject: z.string(),
  state: z.enum(JOB_STATES),
  /** Finished part of a running job, 0 to 1. */
  progress: z.number(),
  /** True if the job was cancelled and ends after the current portion. */
  isCancelling: z.boolean(),
  orderedAt: moment,
  endedAt: moment.nullable(),
  fileName: z.string().nullable(),
  bytes: z.number().int().nullable(),
  /** SHA-256 of the file, in hex. */
  hash: z.string().nullable(),
  /** Until when the file can be downloaded. */
  expiresAt: moment.nullable(),
  /** Why the job has failed, in the language of the reader. */
  error: z.string().nullable(),
});
export type Job = z.output<typeof job>;

const oneJob = z.object({ id });

export const listJobs = defineRoute({
  name: 'listJobs',
  method: 'GET',
  path: '/job/list',
  access: SIGNED_IN,
  summary: 'Own reports and exports, the newest first',
  response: z.object({ items: z.array(job) }),
});

/** Cancels a job that has not ended. Throws `job.not_found`, `job.ended`. */
export const cancelJob = defineRoute({
  name: 'cancelJob',
  method: 'POST',
  path: '/job/:id/cancel',
  access: SIGNED_IN,
  summary: 'Cancel an own report or export',
  params: oneJob,
  response: z.null(),
});

/**
 * Orders the work of a failed, cancelled or expired job again. Throws `job.not_found`, `job.not_ended`,
 * `job.forbidden`, `job.too_many`.
 */
export const retryJob = defineRoute({
  name: 'retryJob',
  method: 'POST',
  path: '/job/:id/retry',
  access: SIGNED_IN,
  summary: 'Order an own report or export again',
  params: oneJob,
  response: job,
});

/** Deletes a job that has ended, and its file. Throws `job.not_found`, `job.not_ended`. */
export const deleteJob = defineRoute({
  name: 'deleteJob',
  method: 'DELETE',
  path: '/job/:id',
  access: SIGNED_IN,
  summary: 'Delete an own report or export with its file',
  params: oneJob,
  response: z.null(),
});

/**
 * Downloads the result. Permission and scope are checked again, because they may have changed since the order.
 * Throws `job.not_found`, `job.no_file`, `job.forbidden`, `job.storage_away`.
 */
export const downloadJob = defineRoute({
  name: 'downloadJob',
  method: 'GET',
  path: '/job/:id/file',
  access: SIGNED_IN,
  summary: 'The file of an own report or export',
  params: oneJob,
  response: download,
});

/**
 * Orders the export of a list as a job, with the name of the route that exports it, such as `exportDevices`, and its query.
 * The permission is that of the route. Throws `job.no_list`, `job.forbidden`, `job.too_many`, and what the route throws.
 */
export const orderListExport = defineRoute({
  name: 'orderListExport',
  method: 'POST',
  path: '/job/list-export',
  access: SIGNED_IN,
  summary: 'Order the filtered rows of a list as a spreadsheet',
  body: z.strictObject({
    list: z.string().min(1).max(60),
    /** What the downloads show as the content of the file, such as the title of the page. */
    subject: z.string().trim().max(200),
    query: z.record(z.string().max(60), z.string().max(1_000)),
  }),
  response: job,
});
