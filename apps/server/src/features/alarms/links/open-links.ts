import { listAlarmLinks, type OpenAlarmLink, revokeAlarmLink } from '@isotherm/contracts/acknowledge-links';
import { AppError } from '@isotherm/contracts/errors';
import { MOST_PIN_TRIES } from '@isotherm/domain/alarms/acknowledge-link';
import { NOTIFICATION_CHANNELS } from '@isotherm/domain/alarms/graded-policy';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { PublicLinks } from '../../../platform/public-links/public-links.ts';
import type { AlarmsService } from '../alarms.service.ts';
import { findLinkNames } from './acknowledge-links.repo.ts';
import { PURPOSE } from './acknowledge-links.ts';

/** Mounts the list of the acknowledge links of an alarm, in which people revoke a link that went to the wrong hands. */
export function mountOpenLinks(
  mount: Mount,
  parts: {
    pool: pg.Pool;
    links: Pick<PublicLinks, 'listOpen' | 'revoke'>;
    alarms: Pick<AlarmsService, 'get'>;
    audit: Pick<Audit, 'record'>;
    clock: Clock;
  },
): void {
  const { pool, links, alarms, audit, clock } = parts;
  const nameOf = (
    names: ReadonlyMap<string, string>,
    link: { personType: string | null; personId: number | null },
  ) => names.get(`${link.personType} ${link.personId}`) ?? '';

  async function list(caller: Caller, alarmId: number): Promise<OpenAlarmLink[]> {
    await alarms.get(caller, alarmId);
    const open = await links.listOpen(pool, PURPOSE, [alarmId], clock.now());
    const names = await findLinkNames(pool, open);
    return open.map((link) => ({
      id: link.id,
      recipient: nameOf(names, link),
      sentBy: NOTIFICATION_CHANNELS.find((channel) => channel === link.sentBy) ?? null,
      createdAt: link.createdAt.toISOString(),
      expiresAt: link.expiresAt.toISOString(),
      isLocked: link.pinTries >= MOST_PIN_TRIES,
    }));
  }

  mount(listAlarmLinks, ({ caller, params }) => list(caller, params.id));
  mount(revokeAlarmLink, async ({ caller, params: { id, linkId } }) => {
    const alarm = await alarms.get(caller, id);
    await transaction(pool, async (tx) => {
      const revoked = await links.revoke(tx, PURPOSE, id, { id: linkId, by: caller.accountId }, clock.now());
      if (!revoked) throw new AppError('link.not_found');
      await audit.record(tx, caller, {
        action: 'revoke-link',
        objectKind: 'alarm',
        objectId: id,
        objectName: alarm.assetName,
        before: { recipient: nameOf(await findLinkNames(tx, [revoked]), revoked) },
        organizationPath: alarm.organizationPath,
      });
    });
    return list(caller, id);
  });
}
