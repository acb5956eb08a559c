import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import type { NotificationKind, RepeatedAlarm } from '@isotherm/domain/alarms/notification';
import type { Person, PersonType } from '@isotherm/domain/alarms/person';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { AlarmFacts } from './notification-words.ts';

export interface DueNotification {
  id: number;
  alarmId: number;
  policyId: number;
  kind: NotificationKind;
  stepLevel: number;
  /** Groups are stored as their members; an on-call schedule is resolved when the notification is due. */
  recipientType: PersonType | 'on-call' | 'url';
  recipientId: number;
  url: string;
  repeatMs: number | null;
  facts: AlarmFacts;
  /** Time at which the notification was first due, epoch ms. */
  firstDueAt: number;
  late: boolean;
  attempts: number;
  /** Current content of the alarm, which a repeated notification contains. */
  alarm: RepeatedAlarm;
  /** Current content of the alarm, which a repeat sends. */
  factsNow: AlarmFacts;
}

/**
 * Locks the due notifications of one notification channel, ordered by due time. Rows that another process
 * has locked are skipped.
 */
export async function claimDue(
  tx: Tx,
  channel: NotificationChannel,
  now: Date,
  most: number,
): Promise<DueNotification[]> {
  const { rows } = await tx.query<DueNotification>(
    `with due as (
       select * from alarm_notification where state = 'pending' and channel = $1 and due_at <= $2
        order by due_at, id limit $3 for update skip locked
     )
     select due.id::float8 as id, due.alarm_id::float8 as "alarmId", due.policy_id::float8 as "policyId", due.kind,
            due.step_level as "stepLevel", due.recipient_type as "recipientType",
            due.recipient_id::float8 as "recipientId", due.url, due.repeat_ms::float8 as "repeatMs", due.facts,
            (extract(epoch from due.first_due_at) * 1000)::float8 as "firstDueAt", due.late, due.attempts,
            json_build_object('isOpen', a.ended_at is null, 'acknowledgedLevel', a.acknowledged_level,
                              'level', a.level) as alarm,
            case when due.kind = 'repeated' then alarm_facts(a.id) end as "factsNow"
       from due join alarm a on a.id = due.alarm_id order by due.due_at, due.id`,
    [channel, now, most],
  );
  return rows;
}

/** New state of a claimed notification. */
export interface Claimed {
  id: number;
  state: 'pending' | 'sending' | 'failed' | 'cancelled';
  /** `dueAt`: time of the next attempt. `firstDueAt`: time at which it was first due. Both in epoch ms. */
  dueAt: number;
  firstDueAt: number;
  late: boolean;
  /** True if this is an attempt to send, which is counted. */
  isAttempt: boolean;
  facts: AlarmFacts;
  messageId: number | null;
  error: string;
  /** The person who was found on call, for a notification of a schedule. */
  person: Person | null;
}

export async function saveClaimed(tx: Tx, claimed: readonly Claimed[]): Promise<void> {
  if (claimed.length === 0) return;
  await tx.query(
    `update alarm_notification n
        set state = c.state, due_at = to_timestamp(c."dueAt" / 1000),
            first_due_at = to_timestamp(c."firstDueAt" / 1000), late = c.late, facts = c.facts,
            attempts = n.attempts + c."isAttempt"::int, message_id = c."messageId", error = c.error,
            person_type = c.person ->> 'type', person_id = (c.person ->> 'id')::bigint
       from jsonb_to_recordset($1::jsonb) as c(id bigint, state text, "dueAt" float8, "firstDueAt" float8,
                                               late boolean, "isAttempt" boolean, facts jsonb, "messageId" bigint,
                                               error text, person jsonb)
      where n.id = c.id`,
    [JSON.stringify(claimed)],
  );
}

/** Schedules the next repeat of each of these notifications; times in epoch ms. */
export async function insertNextRepeats(
  tx: Tx,
  next: readonly { id: number; dueAt: number }[],
): Promise<void> {
  await tx.query(
    `insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                     nth, repeat_ms, facts, first_due_at, due_at)
     select n.alarm_id, n.policy_id, n.kind, n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url, n.nth + 1,
            n.repeat_ms, n.facts, to_timestamp(r."dueAt" / 1000), to_timestamp(r."dueAt" / 1000)
       from jsonb_to_recordset($1::jsonb) as r(id bigint, "dueAt" float8) join alarm_notification n on n.id = r.id
     on conflict do nothing`,
    [JSON.stringify(next)],
  );
}

export interface Reachable extends Person {
  organizationId: number;
  email: string;
  language: string;
  timeZone: string;
}

/** Recipients that still exist. */
export async function findReachable(
  db: Db,
  ids: Readonly<Record<PersonType, readonly number[]>>,
): Promise<Reachable[]> {
  const { rows } = await db.query<Reachable>(
    `select 'receivers' as type, id::float8 as id, organization_id::float8 as "organizationId", email, language,
            time_zone as "timeZone"
       from alarm_receiver where id = any($1::bigint[])
     union all
     select 'accounts', id::float8, organization_id::float8, email, language, time_zone
       from account where id = any($2::bigint[]) and disabled_at is null`,
    [ids.receivers, ids.accounts],
  );
  return rows;
}

/** Languages for URL pushes: the language of the account that last saved the policy. */
export async function languagesOfPolicies(db: Db, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await db.query<{ id: number; language: string }>(
    `select p.id::float8 as id, a.language from alarm_policy p join account a on a.username = p.changed_by
      where p.id = any($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map(({ id, language }) => [id, language]));
}

/** Stores the outcome of an attempt. Times in epoch ms; `dueAt` is null if there is no further attempt. */
export async function savePush(
  db: Db,
  id: number,
  outcome: { error: string; dueAt: number | null; deliveredAt: number | null },
): Promise<void> {
  await db.query(
    `update alarm_notification
        set error = $2, state = case when $4::float8 is not null then 'sent' when $3::float8 is null then 'failed'
                                     else 'pending' end,
            due_at = coalesce(to_timestamp($3::float8 / 1000), due_at), delivered_at = to_timestamp($4::float8 / 1000)
      where id = $1 and state = 'pending'`,
    [id, outcome.error, outcome.dueAt, outcome.deliveredAt],
  );
}
