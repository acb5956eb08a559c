import { isEscalated } from '@isotherm/domain/alarms/notification';
import type pg from 'pg';
import { type Tx, transaction } from '../../../platform/db/pool.ts';

const AT_ONCE = 200;

interface DueEscalation {
  id: number;
  fromLevel: number;
  stopLevel: number;
  isOpen: boolean;
  acknowledgedLevel: number | null;
  peakLevel: number;
}

/**
 * Writes the notifications of the escalations that are due, and schedules those of their target steps. Any
 * number of workers may run it; each escalation is handled once. Returns true if more may be due.
 */
export async function escalateDue(pool: pg.Pool, now: Date): Promise<boolean> {
  return transaction(pool, async (tx) => {
    const due = await claimDue(tx, now);
    if (due.length === 0) return false;
    const goingOn = due.filter((each) => isEscalated(each, each)).map(({ id }) => id);
    if (goingOn.length > 0) {
      await notify(tx, goingOn);
      await scheduleNext(tx, goingOn);
    }
    await tx.query(
      `update alarm_escalation set state = case when id = any($2::bigint[]) then 'done' else 'cancelled' end
        where id = any($1::bigint[])`,
      [due.map(({ id }) => id), goingOn],
    );
    return due.length === AT_ONCE;
  });
}

async function claimDue(tx: Tx, now: Date): Promise<DueEscalation[]> {
  const { rows } = await tx.query<DueEscalation>(
    `with due as (
       select * from alarm_escalation where state = 'pending' and due_at <= $1
        order by due_at, id limit $2 for update skip locked
     )
     select due.id::float8 as id, due.from_level as "fromLevel", due.stop_level as "stopLevel",
            a.ended_at is null as "isOpen", a.acknowledged_level as "acknowledgedLevel",
            greatest(a.level, a.peak_level) as "peakLevel"
       from due join alarm a on a.id = due.alarm_id order by due.due_at, due.id`,
    [now, AT_ONCE],
  );
  return rows;
}

/**
 * Writes the notifications for the recipients whom the target step names now. `nth` is unique for each
 * escalation that leads to the same step.
 */
async function notify(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query(
    `insert into alarm_notification (alarm_id, policy_id, kind, step_level, channel, recipient_type, recipient_id, url,
                                     nth, facts, first_due_at, due_at)
     select e.alarm_id, p.id, 'unacknowledged', s.level, t.channel, t.type, t.id, t.url, e.from_level,
            alarm_facts(e.alarm_id), e.due_at, e.due_at
       from alarm_escalation e
       join alarm_policy p on p.id = e.policy_id and p.deleted_at is null and p.enabled
      cross join lateral jsonb_to_recordset(p.definition -> 'steps')
              as s(level smallint, recipients jsonb, channels jsonb, url text)
      cross join lateral (
              select 'email' as channel, x.type, x.id, '' as url from step_recipients(p.definition, s.recipients) x
               where s.channels ? 'email'
              union all
              select 'url-push', 'url', 0, s.url where s.channels ? 'url-push'
            ) t
      where e.id = any($1::bigint[]) and s.level = e.to_level
     on conflict do nothing`,
    [ids],
  );
}

/** Schedules the escalations of the target steps, which the same acknowledgement stops. */
async function scheduleNext(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query(
    `insert into alarm_escalation (alarm_id, policy_id, from_level, to_level, stop_level, due_at)
     select e.alarm_id, p.id, s.level, (s.escalation ->> 'toLevel')::smallint, min(e.stop_level),
            min(e.due_at) + make_interval(secs => (s.escalation ->> 'afterMs')::bigint / 1000.0)
       from alarm_escalation e
       join alarm_policy p on p.id = e.policy_id and p.deleted_at is null and p.enabled
      cross join lateral jsonb_to_recordset(p.definition -> 'steps') as s(level smallint, escalation jsonb)
      where e.id = any($1::bigint[]) and s.level = e.to_level and jsonb_typeof(s.escalation) = 'object'
      group by e.alarm_id, p.id, s.level, s.escalation
     on conflict do nothing`,
    [ids],
  );
}
