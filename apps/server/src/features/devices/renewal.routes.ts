import { getRenewalNotice, readRenewalNotice } from '@isotherm/contracts/renewal';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import { countExpiring, findReadCount, noteRead } from './renewal.repo.ts';

/** "Expiring soon: within 3 months" (requirements §9); calendar months, so that a date stays a date. */
export const EXPIRES_SOON_MONTHS = 3;

function soonAfter(now: number): Date {
  const date = new Date(now);
  date.setUTCMonth(date.getUTCMonth() + EXPIRES_SOON_MONTHS);
  return date;
}

/** The notice is shown while more devices expire than when it was read; it stays read when some were renewed. */
export function mountRenewal(mount: Mount, pool: pg.Pool, clock: Clock): void {
  mount(getRenewalNotice, async ({ caller }) => {
    const [expiring, read] = await Promise.all([
      countExpiring(pool, caller.scope, soonAfter(clock.now())),
      findReadCount(pool, caller.accountId),
    ]);
    return { IsShow: expiring > read, DeviceExpiredNum: expiring };
  });
  mount(readRenewalNotice, async ({ caller }) => {
    const now = clock.now();
    const expiring = await countExpiring(pool, caller.scope, soonAfter(now));
    await noteRead(pool, caller.accountId, expiring, new Date(now));
    return null;
  });
}
