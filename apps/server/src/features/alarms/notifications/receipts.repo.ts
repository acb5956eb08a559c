import type { Receipt, ReceiptState, StepMessage } from '@isotherm/domain/notifications/receipt';
import type { Tx } from '../../../platform/db/pool.ts';

/**
 * SQL for the latest receipt of the notification `n`. Notifications that were sent in one message have the receipt of
 * the first one, which is the only one that has any.
 */
export const RECEIPT = `(select json_build_object('state', r.state, 'at', r.at) from alarm_receipt r
  where r.notification_id in (select n.id union all select f.id from alarm_notification f
                               where f.group_id = n.group_id and f.channel = n.channel)
  order by r.id desc limit 1)`;

/** A receipt as it is read by `RECEIPT`; the time is in the format of PostgreSQL. */
export const receiptOf = <T extends { at: string }>(receipt: T): T => ({
  ...receipt,
  at: new Date(receipt.at).toISOString(),
});

/** Stores a receipt of a message. Returns false if it was stored before. */
export async function insertReceipt(
  tx: Tx,
  id: number,
  { provider, receipt, now }: { provider: string; receipt: Receipt; now: number },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `insert into alarm_receipt (notification_id, provider, provider_message_id, state, code, at, received_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6::float8 / 1000), to_timestamp($7::float8 / 1000))
     on conflict do nothing`,
    [
      id,
      provider,
      receipt.providerMessageId,
      receipt.state,
      receipt.code,
      // A time in the future would be shown as later than what follows.
      Math.min(receipt.at ?? now, now),
      now,
    ],
  );
  return rowCount === 1;
}

/** States of the receipts of a message, in the order of their arrival. */
export async function receiptStates(tx: Tx, id: number): Promise<ReceiptState[]> {
  const { rows } = await tx.query<{ state: ReceiptState }>(
    'select state from alarm_receipt where notification_id = $1 order by id',
    [id],
  );
  return rows.map(({ state }) => state);
}

/** Selects a message and the other notifications that were sent in it. */
export const SAME_MESSAGE = `(n.id = $1 or n.group_id = (select f.group_id from alarm_notification f where f.id = $1)
        and n.channel = (select f.channel from alarm_notification f where f.id = $1))`;

/**
 * Notes that a message has reached its recipient, whatever was known about it before: it may be in progress, or have been
 * given up because its outcome was unknown.
 */
export async function markReached(tx: Tx, id: number, words: readonly string[], now: number): Promise<void> {
  await tx.query(
    `update alarm_notification n
        set state = 'sent', error = '', delivered_at = coalesce(n.delivered_at, to_timestamp($3::float8 / 1000))
      where ${SAME_MESSAGE}
        and (n.state = 'sending' or n.state = 'pending' and n.attempts > 0 or n.state = 'failed' and n.error = any($2))`,
    [id, words, now],
  );
}

/** Notes that a message that was sent has not reached its recipient. */
export async function markMissed(tx: Tx, id: number, word: string): Promise<void> {
  await tx.query(
    `update alarm_notification n set state = 'failed', error = $2 where ${SAME_MESSAGE} and n.state = 'sent'`,
    [id, word],
  );
}

/**
 * Notes that an e-mail has bounced, for all notifications that were sent in it; returns their ids.
 */
export async function markBounced(tx: Tx, mailId: number, error: string): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `update alarm_notification set state = 'failed', error = $2
      where message_id = $1 and channel = 'email' and state in ('sent', 'sending')
      returning id::float8 as id`,
    [mailId, error],
  );
  await tx.query(
    `update alarm_test_message set state = 'failed', error = $2 where message_id = $1 and state in ('sent', 'sending')`,
    [mailId, error],
  );
  return rows.map(({ id }) => id);
}

/** Notes that an e-mail is delayed, if nothing else is known about it. */
export async function markDelayed(tx: Tx, mailId: number, error: string): Promise<void> {
  await tx.query(
    `update alarm_notification set error = $2
      where message_id = $1 and channel = 'email' and state in ('sent', 'sending') and error = ''`,
    [mailId, error],
  );
}

/** The alarms of an e-mail, by one of its notifications each. */
export async function notificationsOfMail(tx: Tx, mailId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `select id::float8 as id from alarm_notification where message_id = $1 and channel = 'email' order by id`,
    [mailId],
  );
  return rows.map(({ id }) => id);
}

/** A step of a policy or plan that has notified people about an alarm. */
export interface NotifiedStep {
  alarmId: number;
  policyId: number | null;
  planId: number | null;
  /** Step of the policy; for a plan, its minutes. */
  step: number;
  messages: StepMessage[];
}

/** Locks the alarms of a message, in the order of their ids. */
export async function lockAlarmsOf(tx: Tx, id: number): Promise<void> {
  await tx.query(
    `select a.id from alarm a
      where a.id in (select n.alarm_id from alarm_notification n where ${SAME_MESSAGE})
      order by a.id for no key update`,
    [id],
  );
}

/** The steps that a message belongs to, with all their messages that have receipts; one for each of its alarms. */
export async function findSteps(tx: Tx, id: number): Promise<NotifiedStep[]> {
  const { rows } = await tx.query<NotifiedStep>(
    `with own as (
       select distinct n.alarm_id, n.policy_id, n.plan_id, n.step_level, n.nth
         from alarm_notification n
        where ${SAME_MESSAGE} and n.kind not in ('repeated', 'ended')
     )
     select o.alarm_id::float8 as "alarmId", o.policy_id::float8 as "policyId", o.plan_id::float8 as "planId",
            case when o.plan_id is null then o.step_level else o.nth end::int as step,
            json_agg(json_build_object('channel', m.channel, 'result', case
              when exists (select from alarm_receipt r where r.notification_id = m.id
                              and r.state in ('delivered', 'read', 'answered')) then 'reached'
              when exists (select from alarm_receipt r where r.notification_id = m.id)
                or m.channel = 'email' and m.state = 'failed' and m.error like 'bounced %' then 'missed'
              when m.state in ('failed', 'cancelled') then 'given-up' else 'open' end)) as messages
       from own o
       join alarm_notification m
         on m.alarm_id = o.alarm_id and m.policy_id is not distinct from o.policy_id
        and m.plan_id is not distinct from o.plan_id and m.step_level = o.step_level
        and (o.plan_id is null or m.nth = o.nth) and m.kind not in ('repeated', 'ended') and m.channel in ('sms', 'voice', 'email')
      group by o.alarm_id, o.policy_id, o.plan_id, o.step_level, o.nth`,
    [id],
  );
  return rows;
}

/**
 * Makes the escalation that follows a step due now, if it waits: of a policy that of the step, of a plan the earliest
 * one after it.
 */
export async function hastenEscalation(
  tx: Tx,
  { alarmId, policyId, planId, step }: Omit<NotifiedStep, 'messages'>,
  now: number,
): Promise<void> {
  await tx.query(
    `update alarm_notification set due_at = to_timestamp($5::float8 / 1000), first_due_at = to_timestamp($5::float8 / 1000)
      where id = (
        select id from alarm_notification
         where alarm_id = $1 and channel = 'escalation' and state = 'pending' and due_at > to_timestamp($5::float8 / 1000)
           and (recipient_type = 'policy' and policy_id = $2 and nth = $4
                or recipient_type = 'plan' and plan_id = $3 and nth > $4)
         order by nth, id limit 1)
        and state = 'pending'`,
    [alarmId, policyId, planId, step, now],
  );
}
