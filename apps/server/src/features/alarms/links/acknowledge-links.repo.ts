import type { AcknowledgementInput } from '@isotherm/contracts/alarms';
import { DEFAULT_LINK_LEVEL, type LinkLevel } from '@isotherm/domain/alarms/acknowledge-link';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** The settings of the policy whose rule raised the alarm; null if it has none. */
export async function findLinkSetting(
  db: Db,
  alarmId: number,
): Promise<{ level: LinkLevel | null; inSms: boolean } | null> {
  const { rows } = await db.query<{ level: LinkLevel | null; inSms: boolean }>(
    `select (p.definition ->> 'linkLevel')::int as level, coalesce((p.definition ->> 'linkInSms')::boolean, false) as "inSms"
       from alarm a
       join alarm_rule r on r.id = a.rule_id join alarm_policy_rule pr on pr.id = r.policy_rule_id
       join alarm_policy p on p.id = pr.policy_id where a.id = $1`,
    [alarmId],
  );
  return rows[0] ?? null;
}

/** The alarms among these that a link might acknowledge, by their level; whether it may is decided for each. */
export async function findLinkable(db: Db, alarmIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    `select a.id::float8 as id from alarm a
       left join alarm_rule r on r.id = a.rule_id
       left join alarm_policy_rule pr on pr.id = r.policy_rule_id
       left join alarm_policy p on p.id = pr.policy_id
      where a.id = any($1::bigint[])
        and coalesce(a.peak_level, a.level) <= coalesce((p.definition ->> 'linkLevel')::int, $2)`,
    [[...new Set(alarmIds)], DEFAULT_LINK_LEVEL],
  );
  return new Set(rows.map(({ id }) => id));
}

/** The recipient of a link. Receivers have no account and no user name. */
export interface LinkPerson {
  name: string;
  accountId: number | null;
  username: string | null;
  /** Keyed hash of the PIN of a receiver; null if there is none. */
  pinMac: string | null;
}

/**
 * Returns the recipient of a link; null if the receiver was deleted, or the account may not acknowledge alarms of the
 * organisation with this path, which may have changed since the message was sent.
 */
export async function findLinkPerson(
  db: Db,
  type: string | null,
  id: number | null,
  organizationPath: string,
): Promise<LinkPerson | null> {
  const { rows } = await db.query<LinkPerson>(
    `select name, null::float8 as "accountId", null as username, link_pin_mac as "pinMac" from alarm_receiver where $1 = 'receivers' and id = $2
     union all
     select a.realname, a.id::float8, a.username, null from account a join organization o on o.id = a.organization_id
      where $1 = 'accounts' and a.id = $2 and a.disabled_at is null and starts_with($3, o.path)
        and exists (select from account_role ar join role_permission p on p.role_id = ar.role_id
                     where ar.account_id = a.id and p.permission = 'alarm-current:acknowledge')`,
    [type, id, organizationPath],
  );
  return rows[0] ?? null;
}

/** Names of receivers and accounts by `<type> <id>`. */
export async function findLinkNames(
  db: Db,
  people: readonly { personType: string | null; personId: number | null }[],
): Promise<Map<string, string>> {
  const idsOf = (type: string) => people.flatMap((each) => (each.personType === type ? [each.personId] : []));
  const { rows } = await db.query<{ key: string; name: string }>(
    `select 'receivers ' || id as key, name from alarm_receiver where id = any($1::bigint[])
     union all select 'accounts ' || id, realname from account where id = any($2::bigint[])`,
    [idsOf('receivers'), idsOf('accounts')],
  );
  return new Map(rows.map(({ key, name }) => [key, name]));
}

/** Acknowledges an alarm that the transaction has locked, in the name of a recipient. */
export async function acknowledgeInName(
  tx: Tx,
  alarmId: number,
  by: { name: string; accountId: number | null },
  said: AcknowledgementInput,
  at: Date,
): Promise<void> {
  await tx.query(
    `with acknowledged as (
       update alarm set acknowledged_by = $2, acknowledged_by_link = $3, acknowledged_at = $4,
                        acknowledged_level = coalesce(peak_level, level), acknowledged_reason = $5,
                        acknowledged_cause = $6, corrective_action = $7
        where id = $1 and not is_acknowledged returning id, acknowledged_level
     ), noted as (
       insert into alarm_action (alarm_id, type, at, account_id, by_link, level, reason, cause, corrective_action)
       select id, 'acknowledged', $4, $2, $3, acknowledged_level, $5, $6, $7 from acknowledged
     )
     insert into outbox (topic, alarm_id) select 'alarm.acknowledged', id from acknowledged`,
    [alarmId, by.accountId, by.name, at, said.reason ?? null, said.cause, said.correctiveAction],
  );
}
