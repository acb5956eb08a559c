import type { AssignmentTarget, PolicyReach } from '@isotherm/contracts/alarm-policies';
import type { PolicyTarget } from '@isotherm/domain/alarms/policy';
import type { Db } from '../../../platform/db/pool.ts';
import { LIVE } from './compilation.repo.ts';

/** For each kind of target, the SQL condition on its channels `l`; $1 is the id of the target. */
const OF_TARGET: Readonly<Record<PolicyTarget['kind'], string>> = {
  channel: 'l.id = $1',
  device: 'l.device_id = $1',
  asset: 'l.asset_id = $1',
  'asset-group': `l.asset_id in (
    select m.asset_id from asset_group top
      join asset_group g on g.path like top.path || '%'
      join asset_group_member m on m.group_id = g.id
     where top.id = $1)`,
  organization: `l.organization_path like (select path from organization where id = $1) || '%'`,
};

/**
 * Counts what an assignment would reach: the channels that measure one of `quantities`, with their assets and devices, and
 * those of them whose rules set at registration come first. `contact` stands for every channel. `path` is that of the
 * policy's organisation.
 */
export async function countReach(
  db: Db,
  target: AssignmentTarget,
  quantities: readonly string[],
  path: string,
): Promise<PolicyReach> {
  const { rows } = await db.query<PolicyReach>(
    `select count(distinct l.asset_id)::int as assets, count(distinct l.device_id)::int as devices, count(*)::int as channels,
            count(*) filter (where exists (
              select from alarm_rule r where r.channel_id = l.id and r.policy_rule_id is null and r.enabled))::int as "ownRuleChannels"
       from (${LIVE} where c.retired_at is null) l
      where ${OF_TARGET[target.kind]} and l.organization_path like $2 || '%'
        and ($3::text is null or l.asset_kind = $3)
        and (l.indicator = any($4::text[]) or 'contact' = any($4::text[]))`,
    [target.id, path, target.assetKind, quantities],
  );
  return rows[0] ?? { assets: 0, devices: 0, channels: 0, ownRuleChannels: 0 };
}
