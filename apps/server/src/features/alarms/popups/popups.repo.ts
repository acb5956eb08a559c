import type { NotificationKind } from '@isotherm/domain/alarms/notification';
import type { Db } from '../../../platform/db/pool.ts';
import type { AlarmFacts } from '../notifications/notification-words.ts';

/** Error of a popup that no console has shown in time. */
export const NOT_SHOWN = 'not shown';

export interface WaitingPopup {
  id: number;
  alarmId: number;
  kind: NotificationKind;
  late: boolean;
  facts: AlarmFacts;
  instruction: string | null;
}

const WAITS = `channel = 'web' and state = 'sending'`;

/** Popups of alarms that wait for an account, the newest first. */
export async function listWaiting(db: Db, accountId: number, limit: number): Promise<WaitingPopup[]> {
  const { rows } = await db.query<WaitingPopup>(
    `select n.id::float8 as id, n.alarm_id::float8 as "alarmId", n.kind, n.late, n.facts,
            policy_instruction(p.definition, greatest(a.level, n.step_level)::int) as instruction
       from alarm_notification n join alarm a on a.id = n.alarm_id left join alarm_policy p on p.id = n.policy_id
      where n.channel = 'web' and n.state = 'sending' and n.person_type = 'accounts' and n.person_id = $1
      order by n.id desc limit $2`,
    [accountId, limit],
  );
  return rows;
}

export interface WaitingTestPopup {
  id: number;
  testId: number;
  policyName: string;
  assetName: string;
  level: WaitingPopup['facts']['level'];
  startedAt: Date;
}

/** Popups of alarm tests that wait for an account. */
export async function listWaitingTests(
  db: Db,
  accountId: number,
  limit: number,
): Promise<WaitingTestPopup[]> {
  const { rows } = await db.query<WaitingTestPopup>(
    `select m.id::float8 as id, t.id::float8 as "testId", t.policy_name as "policyName", t.asset_name as "assetName",
            t.level, t.started_at as "startedAt"
       from alarm_test_message m join alarm_test t on t.id = m.test_id
      where m.channel = 'web' and m.state = 'sending' and m.recipient_type = 'accounts' and m.recipient_id = $1
      order by m.id desc limit $2`,
    [accountId, limit],
  );
  return rows;
}

/** Marks popups of an account as delivered. */
export async function markShown(
  db: Db,
  accountId: number,
  { ids, testMessageIds }: { ids: readonly number[]; testMessageIds: readonly number[] },
  at: Date,
): Promise<void> {
  await db.query(
    `update alarm_notification set state = 'sent', error = '', delivered_at = $3
      where id = any($2::bigint[]) and ${WAITS} and person_type = 'accounts' and person_id = $1`,
    [accountId, ids, at],
  );
  await db.query(
    `update alarm_test_message set state = 'sent', settled_at = $3
      where id = any($2::bigint[]) and ${WAITS} and recipient_type = 'accounts' and recipient_id = $1`,
    [accountId, testMessageIds, at],
  );
}

/** Gives up popups whose time is over. Rows that another process has locked are skipped. */
export async function giveUpPopups(db: Db, now: Date): Promise<void> {
  await db.query(
    `update alarm_notification set state = 'failed', error = $2
      where id in (select id from alarm_notification where ${WAITS} and due_at <= $1 for update skip locked)`,
    [now, NOT_SHOWN],
  );
  await db.query(
    `update alarm_test_message set state = 'failed', error = $2, settled_at = $1
      where id in (select id from alarm_test_message where ${WAITS} and due_at <= $1 for update skip locked)`,
    [now, NOT_SHOWN],
  );
}

/** Hands popups of tests to the consoles of their recipients; returns the ids of the accounts. */
export async function handTestPopups(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ accountId: number }>(
    `update alarm_test_message set attempts = 1
      where id in (select id from alarm_test_message where ${WAITS} and attempts = 0 for update skip locked)
     returning recipient_id::float8 as "accountId"`,
  );
  return rows.map(({ accountId }) => accountId);
}

/** User names of accounts. */
export async function usernamesOf(db: Db, accountIds: readonly number[]): Promise<string[]> {
  const { rows } = await db.query<{ username: string }>(
    'select username from account where id = any($1::bigint[])',
    [accountIds],
  );
  return rows.map(({ username }) => username);
}
