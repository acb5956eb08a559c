import type {
  AcknowledgementInput,
  AlarmMessage,
  AlarmStep,
  getAlarmCourse,
} from '@isotherm/contracts/alarms';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import { containing } from '../../platform/db/like.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';
import { RECEIPT, receiptOf } from './notifications/receipts.repo.ts';
import { END, END_MOMENT } from './suppressions/windows.repo.ts';

/**
 * Locks the alarm until the end of the transaction. If two people act at once, the second sees what the
 * first has done.
 */
export async function lockAlarm(tx: Tx, id: number): Promise<void> {
  await tx.query('select from alarm where id = $1 for update', [id]);
}

/** The device of the alarm. For a no-data alarm also the channels whose readings end it. */
export async function findPlaceOfAlarm(
  db: Db,
  id: number,
): Promise<{ deviceId: number; channelIds: number[] } | undefined> {
  const { rows } = await db.query<{ deviceId: number; channelIds: number[] }>(
    `select c.device_id::float8 as "deviceId",
            array(select s.id from channel s
                   where s.id = a.channel_id or a.subject = 'device' and s.device_id = c.device_id) as "channelIds"
       from alarm a join channel c on c.id = a.channel_id where a.id = $1`,
    [id],
  );
  return rows[0];
}

/** An action of a person on an alarm: which alarm, who and when. */
export interface Deed {
  alarmId: number;
  accountId: number;
  at: Date;
}

/**
 * Acknowledges the alarm at the highest level that it has reached. Returns false if it is acknowledged
 * already.
 */
export async function acknowledge(tx: Tx, deed: Deed, said: AcknowledgementInput): Promise<boolean> {
  const { rowCount } = await tx.query(
    `with acknowledged as (
       update alarm set acknowledged_by = $2, acknowledged_by_link = '', acknowledged_at = $3, acknowledged_level = coalesce(peak_level, level),
                        acknowledged_reason = $4, acknowledged_cause = $5, corrective_action = $6
        where id = $1 and not is_acknowledged returning id, acknowledged_level
     ), noted as (
       insert into alarm_action (alarm_id, type, at, account_id, level, reason, cause, corrective_action)
       select id, 'acknowledged', $3, $2, acknowledged_level, $4, $5, $6 from acknowledged
     )
     insert into outbox (topic, alarm_id) select 'alarm.acknowledged', id from acknowledged`,
    [deed.alarmId, deed.accountId, deed.at, said.reason ?? null, said.cause, said.correctiveAction],
  );
  return rowCount === 1;
}

/** Returns false if somebody has confirmed it already. */
export async function fix(tx: Tx, deed: Deed): Promise<boolean> {
  const { rowCount } = await tx.query(
    `with fixed as (
       update alarm set fixed_by = $2, fixed_at = $3 where id = $1 and fixed_at is null returning id
     ), noted as (
       insert into alarm_action (alarm_id, type, at, account_id) select id, 'fixed', $3, $2 from fixed
     )
     insert into outbox (topic, alarm_id) select 'alarm.changed', id from fixed`,
    [deed.alarmId, deed.accountId, deed.at],
  );
  return rowCount === 1;
}

/** Returns false if the alarm is assigned to this person already. */
export async function assign(tx: Tx, deed: Deed, to: number | null): Promise<boolean> {
  const { rowCount } = await tx.query(
    `with assigned as (
       update alarm set assigned_to = $4 where id = $1 and assigned_to is distinct from $4::bigint returning id
     ), noted as (
       insert into alarm_action (alarm_id, type, at, account_id, assigned_to)
       select id, 'assigned', $3, $2, $4 from assigned
     )
     insert into outbox (topic, alarm_id) select 'alarm.changed', id from assigned`,
    [deed.alarmId, deed.accountId, deed.at, to],
  );
  return rowCount === 1;
}

/** Adds a comment, or the reason why the alarm was ended. */
export async function note(tx: Tx, deed: Deed, type: 'commented' | 'ended', text: string): Promise<void> {
  await tx.query(
    'insert into alarm_action (alarm_id, type, at, account_id, text) values ($1, $2, $3, $4, $5)',
    [deed.alarmId, type, deed.at, deed.accountId, text],
  );
}

export interface AssigneeRow {
  id: number;
  name: string;
  organizationName: string;
}

/** Accounts within the scope that may see alarms of the organisation, filtered by id or by a search text. */
export async function listAssigneeRows(
  db: Db,
  scope: string,
  organizationPath: string,
  asked: { id: number } | { search: string },
  limit: number,
): Promise<AssigneeRow[]> {
  const { rows } = await db.query<AssigneeRow>(
    `select a.id::float8 as id, a.realname as name, o.name as "organizationName"
       from account a join organization o on o.id = a.organization_id
      where a.disabled_at is null and o.path like $1 || '%' and $2 like o.path || '%'
        and ($3::bigint is null or a.id = $3) and ($4 = '' or lower(a.realname || ' ' || a.username) like $4)
        and exists (select from account_role ar join role_permission p on p.role_id = ar.role_id
                     where ar.account_id = a.id and p.permission = 'alarm-current:view')
      order by lower(a.realname), a.id limit $5`,
    [
      scope,
      organizationPath,
      'id' in asked ? asked.id : null,
      'search' in asked ? containing(asked.search.trim().toLowerCase()) : '',
      limit,
    ],
  );
  return rows;
}

type PolicyOfAlarm = NonNullable<ResponseOf<typeof getAlarmCourse>['policy']> & {
  instruction: string | null;
};

/**
 * The policy whose rule raised the alarm, with where the rule applies and the instruction for the current level; null for direct rules and
 * for clock alarms. The name of a geofence that is not visible in the scope is empty.
 */
export async function findPolicyOfAlarm(db: Db, scope: string, id: number): Promise<PolicyOfAlarm | null> {
  const { rows } = await db.query<PolicyOfAlarm>(
    `select p.id::float8 as id, p.name, policy_instruction(p.definition, a.level::int) as instruction, pr.leg,
            case when pr.fence_id is not null then json_build_object('side', pr.fence_side, 'name', coalesce((
              select g.name from geofence g join organization o on o.id = g.organization_id
               where g.id = pr.fence_id
                 and (o.path like $1 || '%'
                      or $1 like o.path || '%'
                         and exists (select from geofence_version v
                                      where v.geofence_id = g.id and v.valid_until = 'infinity' and v.shared))), '')) end as fence
       from alarm a
       join alarm_rule r on r.id = a.rule_id join alarm_policy_rule pr on pr.id = r.policy_rule_id
       join alarm_policy p on p.id = pr.policy_id where a.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

interface ActionRow {
  type: 'acknowledged' | 'fixed' | 'assigned' | 'commented' | 'ended';
  at: Date;
  by: string;
  byLink: boolean;
  level: AlarmMessage['stepLevel'] | null;
  reason: (AlarmStep & { type: 'acknowledged' })['reason'];
  cause: string;
  correctiveAction: string;
  text: string;
  to: string | null;
}

function stepOf(row: ActionRow): AlarmStep {
  const { type, by } = row;
  const at = row.at.toISOString();
  switch (type) {
    case 'acknowledged': {
      const { level, reason, cause, correctiveAction, byLink } = row;
      return { type, at, by, ...(byLink ? { byLink } : {}), level, reason, cause, correctiveAction };
    }
    case 'fixed':
      return { type, at, by };
    case 'assigned':
      return { type, at, by, to: row.to };
    case 'commented':
      return { type, at, by, text: row.text };
    case 'ended':
      return { type: 'ended-by', at, by, text: row.text };
  }
}

/** Events of an alarm and actions of people on it, ordered by time. */
export async function listSteps(db: Db, id: number): Promise<AlarmStep[]> {
  const [events, actions] = await Promise.all([
    db.query<Omit<AlarmStep & { limitValue: number | null }, 'at'> & { at: Date }>(
      `select type, at, level, limit_value as "limitValue", value from alarm_event where alarm_id = $1 order by at, id`,
      [id],
    ),
    db.query<ActionRow>(
      `select n.type, n.at, coalesce(nullif(n.by_link, ''), a.realname, '') as by, n.by_link <> '' as "byLink", n.level, n.reason, n.cause,
              n.corrective_action as "correctiveAction", n.text, t.realname as to
         from alarm_action n left join account a on a.id = n.account_id left join account t on t.id = n.assigned_to
        where n.alarm_id = $1 order by n.at, n.id`,
      [id],
    ),
  ]);
  const steps = [
    ...events.rows.map((row) => ({ ...row, at: row.at.toISOString() }) as AlarmStep),
    ...actions.rows.map(stepOf),
  ];
  return steps.sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

/** Notifications of an alarm to its recipients, ordered by due time. */
export async function listMessages(db: Db, id: number): Promise<AlarmMessage[]> {
  const { rows } = await db.query<
    Omit<AlarmMessage, 'dueAt' | 'deliveredAt'> & {
      dueAt: Date;
      deliveredAt: Date | null;
      channel: NotificationChannel;
    }
  >(
    `select n.id::float8 as id, n.kind, n.step_level as "stepLevel", n.channel, n.state, n.error, n.late, n.attempts,
            case when n.held and n.state = 'pending' then ${END}
                 when n.waits is not null and n.state = 'pending' then n.due_at else n.first_due_at end as "dueAt",
            case when n.state = 'pending' then n.waits end as waits,
            case when g.id is not null then json_build_object('cause', g.cause, 'source', g.facts -> 'source',
              'site', g.facts -> 'site', 'alarms', g.facts -> 'alarms') end as "group", n.delivered_at as "deliveredAt", n.held and n.state = 'pending' as held,
            case when w.id is not null then json_build_object('id', w.id, 'kind', w.kind, 'reason', w.reason,
                                                              'until', ${END_MOMENT}) end as suppression,
            ${RECEIPT} as receipt,
            coalesce(case n.recipient_type
                       when 'url' then substring(n.url from '^https?://([^/?#]+)')
                       when 'accounts' then (select realname from account where id = n.recipient_id)
                       when 'alertors' then (select concat_ws(' · ', name, place) from alertor
                                              where id = n.recipient_id)
                       when 'on-call' then (
                         select concat_ws(' · ', s.name,
                                          case n.person_type
                                            when 'accounts' then (select realname from account where id = n.person_id)
                                            when 'receivers' then (select name from alarm_receiver where id = n.person_id)
                                          end)
                           from alarm_on_call_schedule s where s.id = n.recipient_id)
                       else (select name from alarm_receiver where id = n.recipient_id) end, '') as "to"
       from alarm_notification n left join alarm_suppression w on w.id = n.suppression_id
       left join alarm_notification_group g on g.id = n.group_id
      where n.alarm_id = $1 and n.channel <> 'escalation' order by n.first_due_at, n.id`,
    [id],
  );
  return rows.map(({ dueAt, deliveredAt, receipt, ...row }) => ({
    ...row,
    dueAt: dueAt.toISOString(),
    deliveredAt: deliveredAt?.toISOString() ?? null,
    receipt: receipt && receiptOf(receipt),
  }));
}
