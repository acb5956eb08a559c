import type { SiteReach } from '@isotherm/domain/billing/balance-warning';
import type { Db } from '../../platform/db/pool.ts';

/**
 * Whom the policies at the sites that a payer pays for notify by a notification channel. Rules in force are counted by site and
 * policy first, because there are many more rules than policies.
 */
export async function findSiteReaches(db: Db, payerPath: string, channel: string): Promise<SiteReach[]> {
  const { rows } = await db.query<SiteReach>(
    `with held as (
       select d.organization_id, pr.policy_id, count(distinct r.channel_id)::int as channels
         from organization o
         join device d on d.organization_id = o.id
         join channel c on c.device_id = d.id
         join alarm_rule r on r.channel_id = c.id and r.valid_until is null
         join alarm_policy_rule pr on pr.id = r.policy_rule_id
        where o.path like $1 || '%'
          and not exists (select from billing_settlement i join organization p on p.id = i.organization_id
                           where p.path like $1 || '%' and p.path <> $1 and o.path like p.path || '%')
        group by d.organization_id, pr.policy_id
     )
     select h.organization_id::float8 as "siteId", h.channels,
            count(distinct (x.type, x.id)) filter (where s.level < 5)::int as grouped,
            count(distinct (x.type, x.id)) filter (where s.level = 5)::int as single
       from held h
       join alarm_policy p on p.id = h.policy_id and p.enabled and p.deleted_at is null
      cross join lateral jsonb_to_recordset(p.definition -> 'steps') as s(level smallint, recipients jsonb, channels jsonb)
      cross join lateral step_recipients(p.definition, s.recipients) x
      where s.channels ? $2
      group by h.organization_id, h.policy_id, h.channels`,
    [payerPath, channel],
  );
  return rows;
}

/** Commodities of which a payer has or had units. Accounts are also created by messages that nobody paid for. */
export async function findFunded(db: Db, payerId: number): Promise<Set<string>> {
  const { rows } = await db.query<{ commodity: string }>(
    `select a.commodity from billing_account a
      where a.organization_id = $1 and a.role = 'available'
        and (exists (select from ledger_entry e where e.to_id = a.id)
             or exists (select from ledger_entry e where e.from_id = a.id))`,
    [payerId],
  );
  return new Set(rows.map(({ commodity }) => commodity));
}

/** Average units of the messages that a payer was charged for since a moment; null if there were none. */
export async function findUnitsPerMessage(
  db: Db,
  payerId: number,
  commodity: string,
  since: Date,
): Promise<number | null> {
  const { rows } = await db.query<{ units: number | null }>(
    `select avg(e.amount)::float8 as units
       from ledger_entry e join billing_account a on a.id = e.from_id
      where a.organization_id = $1 and a.commodity = $2 and a.role = 'reserved' and e.kind = 'capture' and e.at >= $3`,
    [payerId, commodity, since],
  );
  return rows[0]?.units ?? null;
}
