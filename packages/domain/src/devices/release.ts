import { addMonths } from './device-state.ts';

/** Requirements §9: "Data of devices expired over 6 months is released and unrecoverable". */
export const RELEASE_AFTER_MONTHS = 6;
/** Time between the notice to the organisation and the deletion (decision 10). */
export const GRACE_DAYS = 30;
/** Time for which the archive can be downloaded: the grace period, and 60 days after the deletion. */
export const RELEASE_ARCHIVE_DAYS = GRACE_DAYS + 60;

/**
 * States of the release of an expired device's data: its archive is written (`archiving`), the organisation has not been
 * told yet (`archived`), the grace period runs (`announced`), the data were deleted (`released`), or the device was renewed
 * (`cancelled`).
 */
export const RELEASE_STATES = ['archiving', 'archived', 'announced', 'released', 'cancelled'] as const;
export type ReleaseState = (typeof RELEASE_STATES)[number];
/** States in which a renewal still saves the data. */
export const OPEN_RELEASES = [
  'archiving',
  'archived',
  'announced',
] as const satisfies readonly ReleaseState[];

const DAY_MS = 86_400_000;

/** Returns the latest expiry (epoch ms) of devices whose data are to be released now. */
export const releasedBefore = (now: number): number => addMonths(now, -RELEASE_AFTER_MONTHS);

/** Returns when data are deleted whose deletion is announced now. */
export const releaseAt = (now: number): number => now + GRACE_DAYS * DAY_MS;

export interface ReleaseFacts {
  /** Expiry of the device when its release began, epoch ms. */
  expiredAt: number;
  /** Its present expiry; null if it has none, undefined if the device does not exist any more. */
  expiresAt: number | null | undefined;
  now: number;
}

/** Whether a release goes on: the device was neither renewed nor removed, and is still expired for long enough. */
export const isStillDue = ({ expiredAt, expiresAt, now }: ReleaseFacts): boolean =>
  expiresAt === expiredAt && expiresAt <= releasedBefore(now);
