import type { NotificationChannel } from '@isotherm/domain/alarms/graded-policy';
import type { NotificationKind, RepeatedAlarm } from '@isotherm/domain/alarms/notification';
import type { Person, PersonType } from '@isotherm/domain/alarms/person';
import type { QuietHours } from '@isotherm/domain/alarms/quiet-hours';
import type {
  ClaimedAlarm,
  ClaimedNotification,
  EarlierNotifications,
} from '@isotherm/domain/alarms/suppression';
import type pg from 'pg';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { gathered } from '../../../platform/gathered.ts';
import { internationalNumber } from '../../../platform/phone-number.ts';
import type { AlarmFacts, GroupFacts } from './notification-words.ts';

/** What quiet hours did to the earlier notifications of an alarm to the same recipient. */
interface EarlierQuiet {
  /** True if one of them was dropped after the quiet hours. */
  isQuiet: boolean;
  /** True if one of them was not sent for lack of balance. */
  isUnpaid: boolean;
  /** True if one of them waits for the end of the quiet hours or for a recharge. */
  waitsQuiet: boolean;
}

export interface DueNotification {
  id: number;
  alarmId: number;
  /** The policy or the plan that names the recipient. */
  policyId: number | null;
  planId: number | null;
  kind: NotificationKind;
  channel: NotificationChannel;
  stepLevel: number;
  /** Groups are stored as their members; an on-call schedule is resolved when the notification is due. */
  recipientType: PersonType | 'on-call' | 'url' | 'alertors';
  recipientId: number;
  url: string;
  repeatMs: number | null;
  facts: AlarmFacts;
  /** Time at which the notification was first due, epoch ms. */
  firstDueAt: number;
  late: boolean;
  attempts: number;
  /** True if its message has a content already; an SMS that no provider could take has one without an attempt. */
  isBegun: boolean;
  alarm: ClaimedAlarm;
  /** True while a suppression window holds back the notification. */
  held: boolean;
  /** The last suppression window that has held it back. */
  heldBy: ClaimedNotification['heldBy'];
  /** For the notification of an end: what happened to the earlier ones to the same recipient. */
  earlier: (EarlierNotifications & EarlierQuiet) | null;
  /** For a repeat: when the notification that it repeats was sent after a window, epoch ms. */
  releasedAt: number | null;
  /** Current content of the alarm, which a repeat sends. */
  factsNow: AlarmFacts;
  /** Why it is due later than at first. */
  waits: 'group' | 'quiet' | 'balance' | null;
  /** The group as part of which it was tried before. */
  groupId: number | null;
  /** Organisation of the alarm. */
  siteId: number;
  deviceId: number;
  /** True if the device says whether its own mains are on. */
  hasMains: boolean;
  /** The gateway that the device stands behind. */
  gatewayId: number | null;
  /** What the policy says people are to do; null if it says nothing. */
  instruction: string | null;
  /** Number of the gateway. */
  gateway: string | null;
}

/** Columns that identify the message window of a notification, beside its channel. */
export function windowOf({ recipientType, recipientId, url, siteId }: DueNotification) {
  return { recipient_type: recipientType, recipient_id: recipientId, url, organization_id: siteId };
}

/** Key of the message window of a notification within its notification channel. */
export const windowKey = ({ recipientType, recipientId, url, siteId }: DueNotification): string =>
  [recipientType, recipientId, siteId, url].join(' ');

/** Locks the message windows of notifications; returns by key until when the windows last, epoch ms. */
export async function lockWindows(
  tx: Tx,
  channel: NotificationChannel,
  rows: readonly DueNotification[],
): Promise<Map<string, number>> {
  const wanted = JSON.stringify(rows.map(windowOf));
  await tx.query(
    `insert into alarm_notification_window (channel, recipient_type, recipient_id, url, organization_id, closes_at)
     select distinct $1, w.recipient_type, w.recipient_id, w.url, w.organization_id, '-infinity'::timestamptz
       from jsonb_to_recordset($2::jsonb) as w(recipient_type text, recipient_id bigint, url text, organization_id bigint)
      order by 2, 3, 4, 5
     on conflict do nothing`,
    [channel, wanted],
  );
  // Each is looked up by its key. In a join, PostgreSQL would read all windows of the channel as long as its statistics are older than a backlog.
  const locked = await tx.query<{ key: string; closesAt: number }>(
    `select concat_ws(' ', w.recipient_type, w.recipient_id, w.organization_id, w.url) as key,
            case when w.closes_at = '-infinity' then 0 else extract(epoch from w.closes_at) * 1000 end::float8 as "closesAt"
       from (select distinct *
               from jsonb_to_recordset($2::jsonb)
                 as x(recipient_type text, recipient_id bigint, url text, organization_id bigint)
              order by recipient_type, recipient_id, url, organization_id) x
      cross join lateral (
              select * from alarm_notification_window w
               where w.channel = $1 and w.recipient_type = x.recipient_type and w.recipient_id = x.recipient_id
                 and w.url = x.url and w.organization_id = x.organization_id
                 for update) w`,
    [channel, wanted],
  );
  return new Map(locked.rows.map(({ key, closesAt }) => [key, closesAt]));
}

/** Sets until when the message windows of notifications that are sent now last. */
export async function setWindows(
  tx: Tx,
  channel: NotificationChannel,
  rows: readonly DueNotification[],
  closesAt: Date,
): Promise<void> {
  // They exist, since they were locked; the statement looks them up by their key.
  await tx.query(
    `insert into alarm_notification_window (channel, recipient_type, recipient_id, url, organization_id, closes_at)
     select distinct $1, x.recipient_type, x.recipient_id, x.url, x.organization_id, $3::timestamptz
       from jsonb_to_recordset($2::jsonb) as x(recipient_type text, recipient_id bigint, url text, organization_id bigint)
     on conflict (channel, recipient_type, recipient_id, url, organization_id) do update set closes_at = excluded.closes_at`,
    [channel, JSON.stringify(rows.map(windowOf)), closesAt],
  );
}

/** Stores a group of notifications that are sent as one message; returns its id. */
export async function insertGroup(tx: Tx, siteId: number, facts: GroupFacts, now: Date): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_notification_group (organization_id, cause, facts, created_at) values ($1, $2, $3, $4)
     returning id::float8 as id`,
    [siteId, facts.cause, JSON.stringify(facts), now],
  );
  return (rows[0] as { id: number }).id;
}

/** Contents of groups by their ids. */
export async function findGroups(db: Db, ids: readonly number[]): Promise<Map<number, GroupFacts>> {
  if (ids.length === 0) return new Map();
  const { rows } = await db.query<{ id: number; facts: GroupFacts }>(
    'select id::float8 as id, facts from alarm_notification_group where id = any($1::bigint[])',
    [ids],
  );
  return new Map(rows.map(({ id, facts }) => [id, facts]));
}

export interface DueEscalation {
  id: number;
  alarmId: number;
  /** An acknowledgement on this level cancels the escalation. */
  level: number;
  /** The escalation waits while the alarm is below this level. */
  lowestLevel: number;
  /** Time at which the escalation was first due, epoch ms. */
  firstDueAt: number;
  late: boolean;
  alarm: RepeatedAlarm;
}

/**
 * Locks the due escalations, ordered by due time, and then their alarms against other workers, because several
 * escalations of an alarm may name the same recipient. Rows that another process has locked are skipped.
 */
export async function claimEscalations(tx: Tx, now: Date, most: number): Promise<DueEscalation[]> {
  const { rows } = await tx.query<DueEscalation>(
    `with due as (
       select * from alarm_notification where state = 'pending' and channel = 'escalation' and due_at <= $1
        order by due_at, id limit $2 for update skip locked
     )
     select due.id::float8 as id, due.alarm_id::float8 as "alarmId", due.step_level as level,
            coalesce(p.lowest_level, due.step_level) as "lowestLevel", (extract(epoch from due.first_due_at) * 1000)::float8 as "firstDueAt",
            due.late, json_build_object('isOpen', a.ended_at is null, 'acknowledgedLevel', a.acknowledged_level,
                                        'level', a.level) as alarm
       from due join alarm a on a.id = due.alarm_id
       left join alarm_escalation_plan p on p.id = due.plan_id order by due.due_at, due.id`,
    [now, most],
  );
  await tx.query(
    `select pg_advisory_xact_lock(hashtextextended('alarm-escalation:' || id, 0))
       from (select distinct unnest($1::bigint[]) as id order by id) as alarms`,
    [rows.map(({ alarmId }) => alarmId)],
  );
  return rows;
}

/** Outcome of a claimed escalation; times in epoch ms. */
export interface JudgedEscalation {
  id: number;
  state: 'pending' | 'sent' | 'cancelled';
  dueAt: number;
  late: boolean;
}

/**
 * Stores the outcomes. For those that are sent, writes the notifications of their recipients, and schedules the
 * escalations that follow them.
 */
export async function saveEscalations(tx: Tx, judged: readonly JudgedEscalation[], now: Date): Promise<void> {
  await tx.query(
    `update alarm_notification n
        set state = j.state, first_due_at = to_timestamp(j."dueAt" / 1000), due_at = to_timestamp(j."dueAt" / 1000),
            late = j.late, delivered_at = case when j.state = 'sent' then $2::timestamptz end
       from jsonb_to_recordset($1::jsonb) as j(id bigint, state text, "dueAt" float8, late boolean)
      where n.id = j.id`,
    [JSON.stringify(judged), now],
  );
  await tx.query(
    'select escalate_alarms($1::bigint[], $2), escalate_by_plans($1::bigint[], $2::timestamptz)',
    [judged.filter(({ state }) => state === 'sent').map(({ id }) => id), now],
  );
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
  /** The last suppression window that has held back the notification, and whether it still does. */
  suppressionId: number | null;
  held: boolean;
  waits: DueNotification['waits'];
  groupId: number | null;
}

/**
 * Stores the new states. If the first notification of a message about several alarms is held back, or ends without an attempt, the others are
 * due again, because they may still matter.
 */
export async function saveClaimed(tx: Tx, claimed: readonly Claimed[]): Promise<void> {
  if (claimed.length === 0) return;
  await tx.query(
    `update alarm_notification n
        set state = c.state, due_at = to_timestamp(c."dueAt" / 1000),
            first_due_at = to_timestamp(c."firstDueAt" / 1000), late = c.late, facts = c.facts,
            attempts = n.attempts + c."isAttempt"::int, message_id = c."messageId", error = c.error,
            person_type = c.person ->> 'type', person_id = (c.person ->> 'id')::bigint,
            suppression_id = c."suppressionId", held = c.held, waits = c.waits, group_id = c."groupId"
       from jsonb_to_recordset($1::jsonb) as c(id bigint, state text, "dueAt" float8, "firstDueAt" float8,
                                               late boolean, "isAttempt" boolean, facts jsonb, "messageId" bigint,
                                               error text, person jsonb, "suppressionId" bigint,
                                               held boolean, waits text, "groupId" bigint)
      where n.id = c.id`,
    [JSON.stringify(claimed)],
  );
  const ended = claimed.filter(
    ({ groupId, isAttempt, state, held, error }) =>
      groupId !== null &&
      !isAttempt &&
      (state === 'failed' || state === 'cancelled' || held) &&
      error !== UNKNOWN,
  );
  if (ended.length > 0)
    await dissolveGroups(
      tx,
      ended.map(({ id }) => id),
    );
}

/** Error of a message of which it is not known whether it was sent. */
export const UNKNOWN = 'outcome unknown';

/**
 * Dissolves the messages about several alarms whose first notifications are these, because these are not sent: the
 * others are due again and judged by themselves. An SMS that was begun gets a text of its own.
 */
async function dissolveGroups(tx: Tx, firstIds: readonly number[]): Promise<void> {
  await tx.query(
    `with first as (
       update alarm_notification n set group_id = null
         from (select id, group_id, channel from alarm_notification where id = any($1::bigint[]) and group_id is not null) old
        where n.id = old.id returning n.id, old.group_id, old.channel, n.state
     ), emptied as (
       update alarm_sms s set text = '' from first where s.notification_id = first.id and first.state = 'pending'
     )
     update alarm_notification n
        set state = 'pending', due_at = n.first_due_at, group_id = null, attempts = 0, error = ''
       from first where n.group_id = first.group_id and n.channel = first.channel and n.id <> first.id
        and n.state = 'sending' and n.message_id is null`,
    [firstIds],
  );
}

/** Groups that are about at least one alarm that is open and not acknowledged on its level. */
export async function findUnsettledGroups(db: Db, groupIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    `select distinct n.group_id::float8 as id from alarm_notification n join alarm a on a.id = n.alarm_id
      where n.group_id = any($1::bigint[]) and n.kind <> 'ended' and a.ended_at is null
        and coalesce(a.acknowledged_level, 0) < greatest(n.fact_level, a.level)`,
    [groupIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Schedules the next repeat of each of these notifications; times in epoch ms. */
export async function insertNextRepeats(
  tx: Tx,
  next: readonly { id: number; dueAt: number }[],
): Promise<void> {
  await tx.query(
    `insert into alarm_notification (alarm_id, policy_id, plan_id, kind, step_level, channel, recipient_type, recipient_id,
                                     url, nth, repeat_ms, facts, first_due_at, due_at)
     select n.alarm_id, n.policy_id, n.plan_id, n.kind, n.step_level, n.channel, n.recipient_type, n.recipient_id, n.url, n.nth + 1,
            n.repeat_ms, n.facts, to_timestamp(r."dueAt" / 1000), to_timestamp(r."dueAt" / 1000)
       from jsonb_to_recordset($1::jsonb) as r(id bigint, "dueAt" float8) join alarm_notification n on n.id = r.id
     on conflict do nothing`,
    [JSON.stringify(next)],
  );
}

export interface Reachable extends Person {
  organizationId: number;
  email: string;
  /** In international form; empty if there is none. */
  mobile: string;
  language: string;
  timeZone: string;
  quietHours: QuietHours | null;
}

/** Recipients that still exist. */
export async function findReachable(
  db: Db,
  ids: Readonly<Record<PersonType, readonly number[]>>,
): Promise<Reachable[]> {
  const { rows } = await db.query<Reachable & { countryCode: string }>(
    `select 'receivers' as type, id::float8 as id, organization_id::float8 as "organizationId", email, country_code as "countryCode", mobile, language,
            time_zone as "timeZone", quiet_hours as "quietHours"
       from alarm_receiver where id = any($1::bigint[])
     union all
     select 'accounts', id::float8, organization_id::float8, email, '', mobile, language, time_zone,
            quiet_hours
       from account where id = any($2::bigint[]) and disabled_at is null`,
    [ids.receivers, ids.accounts],
  );
  return rows.map(({ countryCode, ...row }) => ({
    ...row,
    mobile: internationalNumber(countryCode, row.mobile),
  }));
}

/** Languages for URL pushes: the language of the account that last saved the policy or plan. */
export async function languagesOfSources(
  db: Db,
  source: 'alarm_policy' | 'alarm_escalation_plan',
  ids: readonly (number | null)[],
): Promise<Map<number | null, string>> {
  const known = ids.filter((id) => id !== null);
  if (known.length === 0) return new Map();
  const { rows } = await db.query<{ id: number; language: string }>(
    `select p.id::float8 as id, a.language from ${source} p join account a on a.username = p.changed_by
      where p.id = any($1::bigint[])`,
    [known],
  );
  return new Map(rows.map(({ id, language }) => [id, language]));
}

/** The outcome of an attempt; times in epoch ms. */
export interface PushOutcome {
  id: number;
  error: string;
  /** Null if there is no further attempt. */
  dueAt: number | null;
  deliveredAt: number | null;
  /** An outcome of an attempt whose lease has passed to another one counts only if it was sent. */
  leaseUntil?: number;
}

/** Changes that give the other notifications `n` of a message the state of its first one, `l`. */
const FOLLOWING = `set error = l.error, state = case when l.state = 'pending' then n.state else l.state end, attempts = l.attempts,
            delivered_at = l.delivered_at`;
const FOLLOWS = `n.group_id = l.group_id and n.id <> l.id and n.channel = l.channel
        and n.channel in ('url-push', 'sms', 'voice', 'push', 'wechat') and n.state = 'sending'`;

/**
 * Stores the outcomes of attempts, also for the other notifications of the same messages, in one statement. A message that
 * was sent although its notification was cancelled meanwhile counts as sent. Of an outcome that does not count, the
 * others get the state that the first one has.
 */
export async function savePushes(db: Db, outcomes: readonly PushOutcome[]): Promise<void> {
  await db.query({
    name: 'save-pushes',
    text: `with o as materialized (
        select * from jsonb_to_recordset($1::jsonb)
          as o(id bigint, error text, "dueAt" float8, "deliveredAt" float8, "leaseUntil" float8)
      ), saved as (
        update alarm_notification n
           set error = o.error, state = case when o."deliveredAt" is not null then 'sent' when o."dueAt" is null then 'failed'
                                             else 'pending' end,
               due_at = coalesce(to_timestamp(o."dueAt" / 1000), n.due_at),
               delivered_at = to_timestamp(o."deliveredAt" / 1000)
          from o
         where n.id = o.id and n.id = any($2::bigint[])
           and (o."leaseUntil" is null or o."deliveredAt" is not null
                or abs(extract(epoch from n.due_at) * 1000 - o."leaseUntil") < 1)
           and (n.state = 'pending'
                or n.state = 'cancelled' and n.channel in ('sms', 'voice') and o."deliveredAt" is not null)
        returning n.id, n.group_id, n.channel, n.error, n.state, n.attempts, n.delivered_at
      ), l as materialized (
        select * from saved where group_id is not null
        union all
        select n.id, n.group_id, n.channel, n.error, n.state, n.attempts, n.delivered_at from alarm_notification n
         where n.id = any($2::bigint[]) and n.group_id is not null and n.id not in (select id from saved)
      )
      update alarm_notification n ${FOLLOWING} from l where ${FOLLOWS} and n.group_id in (select group_id from l)`,
    values: [JSON.stringify(outcomes), outcomes.map(({ id }) => id)],
  });
}

/** Largest number of outcomes that are stored in one transaction. */
const OUTCOMES_AT_ONCE = 100;
/** Time for which an outcome waits for others. */
const OUTCOMES_WAIT_MS = 5;

/**
 * Returns a function that stores outcomes, those that arrive at the same time together. Commits of `pool` need not wait for
 * the disk: an attempt whose outcome is lost is repeated with the same id.
 */
export function createOutcomes(pool: pg.Pool): (outcome: PushOutcome) => Promise<void> {
  return gathered(
    async (outcomes: readonly PushOutcome[]) => {
      await savePushes(pool, outcomes);
      return outcomes.map(() => undefined);
    },
    OUTCOMES_AT_ONCE,
    OUTCOMES_WAIT_MS,
  );
}

/** Gives the other notifications of messages the state of the first one of each. */
export async function followFirst(db: Db, ids: readonly number[]): Promise<void> {
  await db.query(
    `update alarm_notification n ${FOLLOWING} from alarm_notification l where l.id = any($1::bigint[]) and ${FOLLOWS}`,
    [ids],
  );
}
