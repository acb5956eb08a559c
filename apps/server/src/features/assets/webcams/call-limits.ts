import { companyOf } from '@isotherm/domain/access/organization-tree';
import type { Caller } from '../../../platform/http/caller.ts';

/** Maximum number of camera requests in a quarter of an hour, per user and per enterprise. */
const MOST = {
  test: { person: 60, enterprise: 600 },
  session: { person: 60, enterprise: 600 },
  'session-end': { person: 60, enterprise: 600 },
} as const;
export type CameraDeed = keyof typeof MOST;

/** Throws `request.too_many`. */
export type LimitCalls = (caller: Caller, deed: CameraDeed) => Promise<void>;

/** The user is counted first, so that a user over the limit does not use up the enterprise's budget. */
export function createCallLimits(limit: (subject: string, most: number) => Promise<void>): LimitCalls {
  return async ({ username, scope }, deed) => {
    await limit(`webcam-${deed}:${username}`, MOST[deed].person);
    await limit(`webcam-${deed}-of:${companyOf(scope)}`, MOST[deed].enterprise);
  };
}
