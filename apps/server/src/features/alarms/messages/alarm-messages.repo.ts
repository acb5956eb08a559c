import type { AlarmMessageDetail, ListedMessage } from '@isotherm/contracts/alarm-messages';
import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import type { MessageState } from '@isotherm/domain/notifications/message-state';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { RECEIPT } from '../notifications/receipts.repo.ts';

/** Messages that were first due from `from` until `to` (exclusive) in the organisations whose path begins with `scope`. */
export interface MessageFilter {
  scope: string;
  from: Date;
  to: Date;
  state: MessageState | null;
  channel: NotificationChannel | null;
  level: number | null;
  /** Searched text in lower case, and the recipients whose names contain it; null without a search. */
  found: { text: string; receivers: readonly number[]; accounts: readonly number[] } | null;
}

export interface ListedRow extends Omit<ListedMessage, 'at' | 'deliveredAt'> {
  at: Date;
  deliveredAt: Date | null;
}

/** Why a message that was given up was never handed over. */
const UNSENT = `n.error in ('balance', 'daily limit')`;
const IS_SENDING = `(n.state = 'sending' or n.state = 'pending' and coalesce(s.lease_until > now(), false))`;

/** The condition of each state; the first one that is true holds. */
const STATES: Readonly<Record<MessageState, string>> = {
  success: `n.state = 'sent'`,
  unsent: `(n.state = 'failed' and ${UNSENT} or n.state = 'cancelled' or n.state = 'pending' and n.waits = 'balance')`,
  failed: `(n.state = 'failed' and not ${UNSENT})`,
  'in-progress': IS_SENDING,
  backlogged: `(n.state = 'pending' and not ${IS_SENDING} and n.waits is distinct from 'balance'
                and (n.held or n.waits is not null or n.attempts > 0))`,
  pending: `(n.state = 'pending' and not ${IS_SENDING} and not n.held and n.waits is null and n.attempts = 0)`,
};
const STATE = `case ${Object.entries(STATES)
  .map(([state, condition]) => `when ${condition} then '${state}'`)
  .join(' ')} end`;

const FROM = `from alarm_notification n
  join alarm a on a.id = n.alarm_id
  join organization o on o.id = a.organization_id
  left join alarm_sms s on s.notification_id = n.id`;
/** Repeats that are not due, and what was cancelled because it no longer mattered, are no messages. */
const IS_MESSAGE = `n.channel <> 'escalation' and not (n.state = 'cancelled' and n.error = '')
  and not (n.kind = 'repeated' and n.state = 'pending' and n.attempts = 0 and n.due_at > now())`;
const LEVEL = `(n.facts ->> 'level')::int`;

const COLUMNS = `n.id::float8 as id, n.first_due_at as at, n.alarm_id::float8 as "alarmId",
  n.facts ->> 'asset' as "assetName", o.name as "organizationName", ${LEVEL} as level, n.kind, n.channel,
  ${STATE} as state, n.error, n.attempts, n.delivered_at as "deliveredAt",
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

/** Conditions of the filter, each only if it is set, so that PostgreSQL can plan for those that are. */
function where(filter: MessageFilter): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const parts = [IS_MESSAGE];
  const add = (condition: (placeholder: string) => string, value: unknown) => {
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  add((from) => `n.first_due_at >= ${from}`, filter.from);
  add((to) => `n.first_due_at < ${to}`, filter.to);
  add((scope) => `o.path like ${scope} || '%'`, filter.scope);
  if (filter.state !== null) parts.push(STATES[filter.state]);
  if (filter.channel !== null) add((channel) => `n.channel = ${channel}`, filter.channel);
  if (filter.level !== null) add((level) => `${LEVEL} = ${level}`, filter.level);
  if (filter.found !== null) {
    const { text, receivers, accounts } = filter.found;
    values.push(text, receivers, accounts);
    const at = values.length;
    parts.push(`(strpos(lower(concat_ws(' ', n.facts ->> 'asset', n.facts ->> 'device', n.url)), $${at - 2}) > 0
      or n.recipient_type = 'receivers' and n.recipient_id = any($${at - 1}::bigint[])
      or n.recipient_type = 'accounts' and n.recipient_id = any($${at}::bigint[]))`);
  }
  return { text: `where ${parts.join(' and ')}`, values };
}

/** One page of messages. */
export async function listMessageRows(
  db: Db,
  filter: MessageFilter,
  order: 'asc' | 'desc',
  limit: number,
  offset: number,
): Promise<ListedRow[]> {
  const { text, values } = where(filter);
  const { rows } = await db.query<ListedRow>(
    `select ${COLUMNS} ${FROM} ${text} order by n.first_due_at ${order}, n.id ${order}
      limit $${values.length + 1} offset $${values.length + 2}`,
    [...values, limit, offset],
  );
  return rows;
}

/** Counts the messages of the filter, up to `most`. */
export async function countMessages(db: Db, filter: MessageFilter, most: number): Promise<number> {
  const { text, values } = where(filter);
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from (select 1 ${FROM} ${text} limit $${values.length + 1}) as counted`,
    [...values, most],
  );
  return rows[0]?.count ?? 0;
}

/** Recipients in scope whose names contain a text in lower case. */
export async function findRecipients(
  db: Db,
  scope: string,
  text: string,
): Promise<{ receivers: number[]; accounts: number[] }> {
  const { rows } = await db.query<{ type: string; id: number }>(
    `select 'receivers' as type, r.id::float8 as id from alarm_receiver r join organization o on o.id = r.organization_id
      where o.path like $1 || '%' and strpos(lower(r.name), $2) > 0
     union all
     select 'accounts', a.id::float8 from account a join organization o on o.id = a.organization_id
      where o.path like $1 || '%' and strpos(lower(a.realname), $2) > 0`,
    [scope, text],
  );
  const of = (type: string) => rows.flatMap((row) => (row.type === type ? [row.id] : []));
  return { receivers: of('receivers'), accounts: of('accounts') };
}

export interface MessageRow extends ListedRow {
  organizationPath: string;
  sms: { text: string; number: string; providerMessageId: string } | null;
  tries: AlarmMessageDetail['tries'];
  receipts: AlarmMessageDetail['receipts'];
  entries: { id: number; kind: 'reserve' | 'capture' | 'release'; units: number; at: string }[];
}

export async function findMessageRow(db: Db, scope: string, id: number): Promise<MessageRow | null> {
  const { rows } = await db.query<MessageRow>(
    `select ${COLUMNS}, o.path as "organizationPath",
            case when s.notification_id is not null then json_build_object('text', s.text, 'number', s.number,
              'providerMessageId', s.provider_message_id) end as sms,
            coalesce(s.attempts, '[]'::jsonb) as tries,
            coalesce((select json_agg(json_build_object('state', r.state, 'at', r.at, 'provider', r.provider,
                                                        'code', r.code) order by r.id)
                        from alarm_receipt r where r.notification_id = n.id), '[]') as receipts,
            coalesce((select json_agg(json_build_object('id', e.id, 'kind', e.kind, 'units', e.amount, 'at', e.at)
                                      order by e.id)
                        from ledger_entry e where e.cause_kind = 'message' and e.cause_id = n.id), '[]') as entries
       ${FROM} where n.channel <> 'escalation' and o.path like $1 || '%' and n.id = $2`,
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
