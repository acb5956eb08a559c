import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** Errors of notifications that an alertor has not confirmed in time. */
export const OFFLINE = 'alertor offline';
export const UNCONFIRMED = 'not confirmed';

/** Locks alertors in the order of their ids; returns the ids of those that exist. */
export async function lockAlertors(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  const { rows } = await tx.query<{ id: number }>(
    'select id::float8 as id from alertor where id = any($1::bigint[]) order by id for no key update',
    [[...new Set(ids)]],
  );
  return new Set(rows.map(({ id }) => id));
}

/** A notification that changes what its alertor shows. */
export interface AlertorChange {
  notificationId: number;
  alertorId: number;
  alarmId: number;
  /** Null if the alarm is not shown any more. */
  level: AlarmLevel | null;
}

/** Stores what locked alertors have to show, as a new message of each, which is to be confirmed. */
export async function changeAlertors(tx: Tx, changes: readonly AlertorChange[]): Promise<void> {
  if (changes.length === 0) return;
  const given = JSON.stringify(changes);
  await raise(tx, [...new Set(changes.map(({ alertorId }) => alertorId))]);
  await tx.query(
    `delete from alertor_alarm s using jsonb_to_recordset($1::jsonb) as c("alertorId" bigint, "alarmId" bigint, level smallint)
      where s.alertor_id = c."alertorId" and s.alarm_id = c."alarmId" and c.level is null`,
    [given],
  );
  await tx.query(
    `insert into alertor_alarm (alertor_id, alarm_id, level, since_id)
     select c."alertorId", c."alarmId", max(c.level), max(x.wanted_id)
       from jsonb_to_recordset($1::jsonb) as c("alertorId" bigint, "alarmId" bigint, level smallint)
       join alertor x on x.id = c."alertorId"
      where c.level is not null group by 1, 2
     on conflict (alertor_id, alarm_id) do update
        set level = greatest(alertor_alarm.level, excluded.level),
            since_id = case when excluded.level > alertor_alarm.level then excluded.since_id
                            else alertor_alarm.since_id end`,
    [given],
  );
  await tx.query(
    `insert into alertor_message (notification_id, alertor_id, wanted_id)
     select c."notificationId", c."alertorId", x.wanted_id
       from jsonb_to_recordset($1::jsonb) as c("notificationId" bigint, "alertorId" bigint)
       join alertor x on x.id = c."alertorId"
     on conflict (notification_id) do update set wanted_id = excluded.wanted_id`,
    [given],
  );
}

async function raise(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query('update alertor set wanted_id = wanted_id + 1 where id = any($1::bigint[])', [ids]);
}

/**
 * Removes alarms that have ended, or were acknowledged on the level that is shown, from the alertors that show them.
 * Alertors that another transaction has locked wait for the next look.
 */
export async function silenceSettled(tx: Tx, most: number): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(
    `select x.id::float8 as id from alertor x
      where exists (select from alertor_alarm s join alarm a on a.id = s.alarm_id
                     where s.alertor_id = x.id and (a.ended_at is not null or a.acknowledged_level >= s.level))
      order by x.id limit $1 for no key update skip locked`,
    [most],
  );
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  await tx.query(
    `delete from alertor_alarm s using alarm a
      where s.alertor_id = any($1::bigint[]) and a.id = s.alarm_id
        and (a.ended_at is not null or a.acknowledged_level >= s.level)`,
    [ids],
  );
  await raise(tx, ids);
}

/** A notification that was not confirmed in time. */
export interface OverdueMessage {
  id: number;
  /** False if its alertor was not connected. */
  isOnline: boolean;
}

/** Locks the notifications whose time for a confirmation is over. */
export async function claimOverdue(
  tx: Tx,
  now: Date,
  onlineSince: Date,
  most: number,
): Promise<OverdueMessage[]> {
  const { rows } = await tx.query<OverdueMessage>(
    `select n.id::float8 as id, coalesce(x.seen_at > $2, false) as "isOnline"
       from alarm_notification n left join alertor x on x.id = n.recipient_id
      where n.channel = 'alertor' and n.state = 'sending' and n.due_at <= $1
      order by n.due_at, n.id limit $3 for update of n skip locked`,
    [now, onlineSince, most],
  );
  return rows;
}

export async function failMessages(tx: Tx, failed: readonly { id: number; error: string }[]): Promise<void> {
  await tx.query(
    `update alarm_notification n set state = 'failed', error = f.error
       from jsonb_to_recordset($1::jsonb) as f(id bigint, error text) where n.id = f.id and n.state = 'sending'`,
    [JSON.stringify(failed)],
  );
}

/** The step of a notification, with the states of its alertors; null if no escalation follows it. */
export interface UnconfirmedStep {
  alarmId: number;
  policyId: number | null;
  planId: number | null;
  /** Step of the policy; for a plan, its minutes. */
  step: number;
  hasReceipts: boolean;
  states: string[];
}

export async function findAlertorSteps(tx: Tx, ids: readonly number[]): Promise<UnconfirmedStep[]> {
  const { rows } = await tx.query<UnconfirmedStep>(
    `with own as (
       select distinct alarm_id, policy_id, plan_id, step_level, case when plan_id is not null then nth end as minutes
         from alarm_notification where id = any($1::bigint[]) and kind not in ('repeated', 'ended')
     )
     select o.alarm_id::float8 as "alarmId", o.policy_id::float8 as "policyId", o.plan_id::float8 as "planId",
            coalesce(o.minutes, o.step_level)::int as step,
            bool_or(m.channel in ('sms', 'voice')) as "hasReceipts",
            coalesce(array_agg(m.state) filter (where m.channel = 'alertor'), '{}') as states
       from own o
       join alarm_notification m
         on m.alarm_id = o.alarm_id and m.policy_id is not distinct from o.policy_id
        and m.plan_id is not distinct from o.plan_id and m.step_level = o.step_level
        and (o.plan_id is null or m.nth = o.minutes) and m.kind not in ('repeated', 'ended')
        and m.channel in ('sms', 'voice', 'alertor')
      group by o.alarm_id, o.policy_id, o.plan_id, o.step_level, o.minutes
      order by o.alarm_id`,
    [ids],
  );
  return rows;
}

/** An alertor that is connected to this process, as it is stored. */
export interface KnownAlertor {
  id: number;
  serial: string;
  name: string;
  place: string;
  keyHash: Buffer;
  wantedId: number;
  shownId: number;
  levels: AlarmLevel[];
}

const KNOWN = `x.id::float8 as id, x.serial, x.name, x.place, x.key_hash as "keyHash",
  x.wanted_id::float8 as "wantedId", x.shown_id::float8 as "shownId",
  array(select s.level::int from alertor_alarm s where s.alertor_id = x.id) as levels`;

export async function findBySerial(db: Db, serial: string): Promise<KnownAlertor | null> {
  const { rows } = await db.query<KnownAlertor>(
    `select ${KNOWN} from alertor x where upper(x.serial) = upper($1)`,
    [serial],
  );
  return rows[0] ?? null;
}

export async function findAlertors(db: Db, ids: readonly number[]): Promise<Map<number, KnownAlertor>> {
  const { rows } = await db.query<KnownAlertor>(
    `select ${KNOWN} from alertor x where x.id = any($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

/** Stores when alertors were last connected. */
export async function markSeen(db: Db, ids: readonly number[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await db.query(
    'update alertor set seen_at = greatest(coalesce(seen_at, $2), $2::timestamptz) where id = any($1::bigint[])',
    [ids, now],
  );
}

/**
 * Stores that an alertor shows a message. Its notifications up to this message are delivered, also those that had failed
 * because it was offline.
 */
export async function confirmShown(tx: Tx, alertorId: number, shownId: number, now: Date): Promise<void> {
  const { rowCount } = await tx.query(
    `update alertor set shown_id = greatest(shown_id, $2), seen_at = greatest(coalesce(seen_at, $3), $3::timestamptz)
      where id = $1 and wanted_id >= $2`,
    [alertorId, shownId, now],
  );
  // A number that was never given confirms nothing.
  if (rowCount === 0) return;
  await tx.query(
    `with shown as (
       delete from alertor_message where alertor_id = $1 and wanted_id <= $2 returning notification_id
     )
     update alarm_notification n set state = 'sent', error = '', delivered_at = $3
       from shown where n.id = shown.notification_id
        and (n.state = 'sending' or n.state = 'failed' and n.error = any($4))`,
    [alertorId, shownId, now, [OFFLINE, UNCONFIRMED]],
  );
}

/** Alarms that a locked alertor has shown with this message or before. */
export async function alarmsShown(
  tx: Tx,
  alertorId: number,
  shownId: number,
): Promise<{ alarmId: number; level: AlarmLevel }[]> {
  const { rows } = await tx.query<{ alarmId: number; level: AlarmLevel }>(
    `select alarm_id::float8 as "alarmId", level::int as level from alertor_alarm
      where alertor_id = $1 and since_id <= $2 order by alarm_id`,
    [alertorId, shownId],
  );
  return rows;
}
