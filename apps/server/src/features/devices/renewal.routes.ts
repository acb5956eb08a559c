import { getRenewalNotice, readRenewalNotice } from '@isotherm/contracts/renewal';
import { termBounds } from '@isotherm/domain/devices/device-state';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Mount } from '../../platform/http/mount.ts';
import { countExpiring, findReadCount, noteRead } from './renewal.repo.ts';

/** The notice is shown while more devices expire than when it was read; it stays read when some were renewed. */
export function mountRenewal(mount: Mount, pool: pg.Pool, clock: Clock): void {
  mount(getRenewalNotice, async ({ caller }) => {
    const [expiring, read] = await Promise.all([
      countExpiring(pool, caller.scope, new Date(termBounds(clock.now()).expiringBefore)),
      findReadCount(pool, caller.accountId),
    ]);
    return { IsShow: expiring > read, DeviceExpiredNum: expiring };
  });
  mount(readRenewalNotice, async ({ caller }) => {
    const now = clock.now();
    const expiring = await countExpiring(pool, caller.scope, new Date(termBounds(now).expiringBefore));
    await noteRead(pool, caller.accountId, expiring, new Date(now));
    return null;
  });
}
