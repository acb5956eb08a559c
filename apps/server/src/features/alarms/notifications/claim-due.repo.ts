import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import type { PaidChannel } from '@isotherm/domain/notifications/voice-provider';
import type { Tx } from '../../../platform/db/pool.ts';
import { type DueNotification, windowOf } from './notifications.repo.ts';

/** Level 5 first, which does not wait in a backlog, then by due time. */
const NEXT = `gravest as (
       select * from alarm_notification
        where state = 'pending' and channel = $1 and due_at <= $2 and (facts ->> 'level')::int = 5
        order by due_at, id limit $3 for update skip locked
     ), others as (
       select * from alarm_notification
        where state = 'pending' and channel = $1 and due_at <= $2 and (facts ->> 'level')::int is distinct from 5
        order by due_at, id limit $3 - (select count(*) from gravest) for update skip locked
     ), due as (select * from gravest union all select * from others)`;
/** The most severe first. The name of the channel is a constant, so that its partial index is used. */
const gravest = (channel: PaidChannel) => `due as (select * from alarm_notification
        where state = 'pending' and channel = '${channel}' and channel = $1 and due_at <= $2
        order by (facts ->> 'level')::int desc, due_at, id limit $3 for update skip locked)`;
const GRAVEST: Readonly<Record<PaidChannel, string>> = { sms: gravest('sms'), voice: gravest('voice') };
/** Found by the recipient (`alarm_notification_same`), because all that is due may be very many. */
const SAME = `due as (
       select n.*
         from (select distinct * from jsonb_to_recordset($4::jsonb)
                 as x(recipient_type text, recipient_id bigint, url text, organization_id bigint)) w
        cross join lateral (
                select * from alarm_notification m
                 where m.state = 'pending' and m.recipient_id = w.recipient_id and m.channel = $1
                   and m.recipient_type = w.recipient_type and m.url = w.url and m.due_at <= $2
                   and m.id <> all($5::bigint[])
                   and (select organization_id from alarm where id = m.alarm_id) = w.organization_id
                 order by m.due_at, m.id limit $3 for update skip locked) n
        limit $3)`;

/**
 * True if a notification of this channel is due. Each process asks every second, and the answer is mostly no. The
 * statement is prepared, because planning {@link claimDue} takes longer than running it.
 */
export async function isAnyDue(tx: Tx, channel: NotificationChannel, now: Date): Promise<boolean> {
  const { rows } = await tx.query<{ is: boolean }>({
    name: 'is-notification-due',
    text: `select exists (select from alarm_notification where state = 'pending' and channel = $1 and due_at <= $2) as is`,
    values: [channel, now],
  });
  return rows[0]?.is === true;
}

/**
 * Locks the due notifications of one notification channel, the most severe first. Rows that another process
 * has locked are skipped. With `same`, only those to the recipients and about the sites of claimed ones, which are left
 * out.
 */
export async function claimDue(
  tx: Tx,
  channel: NotificationChannel,
  now: Date,
  most: number,
  same: readonly DueNotification[] | null = null,
): Promise<DueNotification[]> {
  const values: unknown[] = [channel, now, most];
  if (same)
    values.push(
      JSON.stringify(same.map(windowOf)),
      same.map(({ id }) => id),
    );
  const { rows } = await tx.query<DueNotification>(
    `with ${same ? SAME : channel === 'sms' || channel === 'voice' ? GRAVEST[channel] : NEXT}
     select due.id::float8 as id, due.alarm_id::float8 as "alarmId", due.policy_id::float8 as "policyId",
            due.plan_id::float8 as "planId", due.kind,
            due.channel, due.step_level as "stepLevel", due.recipient_type as "recipientType",
            due.recipient_id::float8 as "recipientId", due.url, due.repeat_ms::float8 as "repeatMs", due.facts,
            (extract(epoch from due.first_due_at) * 1000)::float8 as "firstDueAt", due.late, due.attempts,
            due.attempts > 0 or exists (select from alarm_sms s where s.notification_id = due.id) as "isBegun",
            json_build_object('isOpen', a.ended_at is null, 'acknowledgedLevel', a.acknowledged_level,
                              'level', a.level, 'endedAt', case when a.ended_at is not null then (
                                select extract(epoch from max(e.recorded_at)) * 1000 from alarm_event e
                                 where e.alarm_id = a.id and e.type = 'ended') end) as alarm,
            due.held,
            case when w.id is not null then json_build_object('id', w.id, 'end',
              extract(epoch from least(w.ends_at, w.ended_at)) * 1000) end as "heldBy",
            case when due.kind = 'ended' then json_build_object('isTold', coalesce(p.told, false),
              'isUnsettled', coalesce(p.unsettled, false), 'heldBy', p.held_by,
              'isQuiet', coalesce(p.quiet, false), 'isUnpaid', coalesce(p.unpaid, false), 'waitsQuiet', coalesce(p.waits_quiet, false)) end as earlier,
            case when due.kind = 'repeated' then (extract(epoch from p.released_at) * 1000)::float8 end as "releasedAt",
            case when due.kind = 'repeated' then alarm_facts(a.id) end as "factsNow",
            due.waits, due.group_id::float8 as "groupId", a.organization_id::float8 as "siteId",
            d.id::float8 as "deviceId", d.gateway_id::float8 as "gatewayId", g.number as gateway,
            exists (select from channel m where m.device_id = d.id and m.indicator = 'power' and m.retired_at is null) as "hasMains",
            policy_instruction(o.definition, greatest(a.level, due.step_level)::int) as instruction
       from due join alarm a on a.id = due.alarm_id
       join channel c on c.id = a.channel_id
       join device d on d.id = c.device_id
       left join device g on g.id = d.gateway_id
       left join alarm_policy o on o.id = due.policy_id
       left join alarm_suppression w on w.id = due.suppression_id
       left join lateral (
         select bool_or((r.state in ('sending', 'sent', 'failed') or r.attempts > 0) and r.error <> 'balance') as told,
                bool_or(r.state = 'pending' and r.attempts = 0 and (not r.held or r.due_at <= $2)) as unsettled,
                max(r.suppression_id) filter (where r.held or r.state = 'cancelled') as held_by,
                bool_or(r.state = 'cancelled' and r.error = 'quiet hours') as quiet,
                bool_or(r.state = 'failed' and r.error = 'balance') as unpaid,
                bool_or(r.state = 'pending' and r.waits in ('quiet', 'balance')) as waits_quiet,
                max(r.first_due_at) filter (where r.suppression_id is not null and not r.held
                                                and r.state <> 'cancelled') as released_at
           from alarm_notification r
          where due.kind in ('ended', 'repeated') and r.alarm_id = due.alarm_id and r.channel = due.channel
            and r.recipient_type = due.recipient_type and r.recipient_id = due.recipient_id and r.url = due.url
            and r.kind in ('raised', 'level-changed', 'unacknowledged', 'reopened')) p on true
      order by due.due_at, due.id`,
    values,
  );
  return rows;
}
