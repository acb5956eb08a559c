import {
  editRenewalPolicy,
  getRenewalNotice,
  getRenewalPolicy,
  readRenewalNotice,
} from '@isotherm/contracts/renewal';
import type pg from 'pg';
import type { Mount } from '../../../platform/http/mount.ts';
import { countExpiring, findReadCount, noteRead } from './renewal.repo.ts';
import type { RenewalPolicyService } from './renewal-policy.ts';

/** Mounts the renewal routes. The notice is shown while more devices expire than when it was read. */
export function mountRenewal(mount: Mount, pool: pg.Pool, renewal: RenewalPolicyService): void {
  mount(getRenewalNotice, async ({ caller }) => {
    const { expiringBefore } = await renewal.bounds();
    const [expiring, read] = await Promise.all([
      countExpiring(pool, caller.scope, new Date(expiringBefore)),
      findReadCount(pool, caller.accountId),
    ]);
    return { IsShow: expiring > read, DeviceExpiredNum: expiring };
  });
  mount(readRenewalNotice, async ({ caller }) => {
    const { expiredUntil, expiringBefore } = await renewal.bounds();
    const expiring = await countExpiring(pool, caller.scope, new Date(expiringBefore));
    await noteRead(pool, caller.accountId, expiring, new Date(expiredUntil));
    return null;
  });
  mount(getRenewalPolicy, () => renewal.policy());
  mount(editRenewalPolicy, ({ caller, body }) => renewal.edit(caller, body));
}
