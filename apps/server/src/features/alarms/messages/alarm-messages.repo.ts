import type { AlarmMessageDetail, ListedMessage } from '@isotherm/contracts/alarm-messages';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { RECEIPT } from '../notifications/receipts.repo.ts';
import { MESSAGE_STATE } from './find-messages.repo.ts';
import type { StoredMessage } from './render-message.ts';

export interface ListedRow extends Omit<ListedMessage, 'at' | 'deliveredAt'> {
  at: Date;
  deliveredAt: Date | null;
}

const FROM = `from alarm_notification n
  join organization o on o.id = n.site_id
  left join alarm_sms s on s.notification_id = n.id`;

const COLUMNS = `n.id::float8 as id, n.first_due_at as at, n.alarm_id::float8 as "alarmId",
  n.facts ->> 'asset' as "assetName", o.name as "organizationName", n.fact_level as level, n.kind, n.channel,
  ${MESSAGE_STATE} as state, n.error, n.attempts, n.delivered_at as "deliveredAt",
  ${RECEIPT} as receipt,
  case when n.channel in ('sms', 'voice') then
    coalesce((select sum(case e.kind when 'release' then -e.amount when 'reserve' then e.amount else 0 end)
                from ledger_entry e where e.cause_kind = 'message' and e.cause_id = n.id), 0)::int end as units,
  coalesce(case n.recipient_type
             when 'url' then substring(n.url from '^https?://([^/?#]+)')
             when 'accounts' then (select realname from account where id = n.recipient_id)
             when 'alertors' then (select concat_ws(' · ', name, place) from alertor where id = n.recipient_id)
             when 'on-call' then (
               select concat_ws(' · ', c.name, case n.person_type
                        when 'accounts' then (select realname from account where id = n.person_id)
                        when 'receivers' then (select name from alarm_receiver where id = n.person_id) end)
                 from alarm_on_call_schedule c where c.id = n.recipient_id)
             else (select name from alarm_receiver where id = n.recipient_id) end, '') as recipient`;

/** Messages with these ids, in their order. */
export async function listMessageRows(db: Db, ids: readonly number[]): Promise<ListedRow[]> {
  const { rows } = await db.query<ListedRow>(
    `select ${COLUMNS} ${FROM} join unnest($1::bigint[]) with ordinality as wanted(id, place) on wanted.id = n.id
      order by wanted.place`,
    [ids],
  );
  return rows;
}

export interface MessageRow extends ListedRow {
  stored: StoredMessage;
  organizationPath: string;
  sms: { text: string; number: string; providerMessageId: string } | null;
  tries: AlarmMessageDetail['tries'];
  receipts: AlarmMessageDetail['receipts'];
  entries: { id: number; kind: 'reserve' | 'capture' | 'release'; units: number; at: string }[];
}

export async function findMessageRow(db: Db, scope: string, id: number): Promise<MessageRow | null> {
  const { rows } = await db.query<MessageRow>(
    `select ${COLUMNS}, o.path as "organizationPath",
            json_build_object('alarmId', n.alarm_id, 'kind', n.kind, 'late', n.late, 'facts', n.facts, 'channel', n.channel,
              'siteId', n.site_id, 'instruction', policy_instruction(p.definition, n.fact_level::int), 'group', g.facts,
              'person', case when n.recipient_type in ('receivers', 'accounts')
                             then json_build_object('type', n.recipient_type, 'id', n.recipient_id)
                             when n.person_id is not null
                             then json_build_object('type', n.person_type, 'id', n.person_id) end) as stored,
            case when s.notification_id is not null then json_build_object('text', s.text, 'number', s.number,
              'providerMessageId', s.provider_message_id) end as sms,
            coalesce(s.attempts, '[]'::jsonb) as tries,
            coalesce((select json_agg(json_build_object('state', r.state, 'at', r.at, 'provider', r.provider,
                                                        'code', r.code) order by r.id)
                        from alarm_receipt r where r.notification_id = n.id), '[]') as receipts,
            coalesce((select json_agg(json_build_object('id', e.id, 'kind', e.kind, 'units', e.amount, 'at', e.at)
                                      order by e.id)
                        from ledger_entry e where e.cause_kind = 'message' and e.cause_id = n.id), '[]') as entries
       ${FROM}
       left join alarm_policy p on p.id = n.policy_id
       left join alarm_notification_group g on g.id = n.group_id
      where n.channel <> 'escalation' and o.path like $1 || '%' and n.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** First number of notifications that were sent again, above those of repeats and escalations. */
const FIRST_RESENT = 1_000_000;

/**
 * Copies a notification that was settled, to be sent now; returns the id of the copy, or null if it is not settled. A
 * repeat is copied as a notification that does not repeat.
 */
export async function copyNotification(tx: Tx, id: number, now: Date): Promise<number | null> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_notification (alarm_id, policy_id, plan_id, kind, step_level, channel, recipient_type, recipient_id,
                                     url, nth, facts, first_due_at, due_at, late)
     select n.alarm_id, n.policy_id, n.plan_id, k.kind, n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url,
            (select greatest(coalesce(max(r.nth), 0) + 1, $3) from alarm_notification r
              where r.alarm_id = n.alarm_id and r.channel = n.channel and r.recipient_type = n.recipient_type
                and r.recipient_id = n.recipient_id and r.url = n.url and r.step_level = n.step_level
                and r.kind = k.kind),
            n.facts, $2, $2, n.late
       from alarm_notification n
      cross join lateral (select case n.kind when 'repeated' then 'raised' else n.kind end as kind) k
      where n.id = $1 and n.state in ('sent', 'failed', 'cancelled')
     on conflict do nothing
     returning id::float8 as id`,
    [id, now, FIRST_RESENT],
  );
  return rows[0]?.id ?? null;
}
