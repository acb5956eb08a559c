import type { JobKindName } from '@isotherm/contracts/jobs';
import type { Permission } from '@isotherm/domain/access/permissions';
import type { z } from 'zod';
import type { Caller } from '../http/caller.ts';

/** The file that a job writes. */
export interface JobContent {
  fileName: string;
  mediaType: string;
  body: AsyncIterable<Uint8Array>;
}

/** A running job, as its kind sees it. */
export interface JobWork {
  /** Reports the finished part, 0 to 1. Does not wait. */
  progress(part: number): void;
  /** Aborted when the job was cancelled or must end. */
  signal: AbortSignal;
}

/** A kind of long work. Features register theirs (`ResultJobs.register`). */
export interface JobKind<Parameters = unknown> {
  name: JobKindName;
  /** Needed to order a job, when it runs, and to download its file. */
  permission: Permission | ((parameters: Parameters) => Permission);
  parameters: z.ZodType<Parameters>;
  /** Number of days for which the file is kept, if not `JOB_FILE_DAYS`. */
  keptDays?: number;
  /**
   * Throws if the caller may not have this content: at the order, before and after the work, and before each
   * download, because rights, assets and organisations may have changed.
   */
  check(caller: Caller, parameters: Parameters): Promise<unknown>;
  /** Starts the work. It must be possible to repeat it, because a job whose process has died runs again. */
  run(caller: Caller, parameters: Parameters, work: JobWork): Promise<JobContent>;
}

/** The permission that a job with these parameters needs. */
export function permissionOf<Parameters>(
  { permission }: Pick<JobKind<Parameters>, 'permission'>,
  parameters: Parameters,
): Permission {
  return typeof permission === 'function' ? permission(parameters) : permission;
}
