import type { AlarmTest, AlarmTestMessage } from '@isotherm/contracts/alarm-tests';
import type { TestedChannel } from '@isotherm/domain/alarms/alarm-test';
import type { PersonType } from '@isotherm/domain/alarms/person';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface TestRow extends Omit<AlarmTest, 'startedAt' | 'state'> {
  organizationPath: string;
  startedAt: Date;
}

export interface MessageRow extends Omit<AlarmTestMessage, 'settledAt' | 'confirmedAt'> {
  testId: number;
  settledAt: Date | null;
  confirmedAt: Date | null;
}

/** Who reads tests: the organisation scope and the account, null for an API key. */
export interface Reader {
  scope: string;
  accountId: number | null;
}

/** Condition of the messages that went to the caller ($2). */
const OWN = `m.recipient_type = 'accounts' and m.recipient_id = $2::bigint`;
/** Tests that the caller may read: those in the scope ($1), and those that were sent to the caller. */
const READABLE = `(o.path like $1 || '%'
  or exists (select from alarm_test_message m where m.test_id = t.id and ${OWN}))`;
const FROM = `from alarm_test t join organization o on o.id = t.organization_id
  cross join lateral (
    select count(*)::int as messages,
           count(*) filter (where m.state = 'failed' and m.confirmed_at is null)::int as failed,
           count(*) filter (where m.recipient_type <> 'url' and m.confirmed_at is null)::int as unconfirmed,
           coalesce(bool_or(${OWN} and m.confirmed_at is null), false) as waits
      from alarm_test_message m where m.test_id = t.id
  ) c`;
const COLUMNS = `t.id::float8 as id, o.name as "organizationName", o.path as "organizationPath",
  t.policy_id::float8 as "policyId", t.policy_name as "policyName", t.level, t.asset_id::float8 as "assetId",
  t.asset_name as "assetName", t.schedule_name as "scheduleName", t.started_by as "startedBy",
  t.started_at as "startedAt", c.messages, c.failed, c.unconfirmed, c.waits as "waitsForCaller"`;
const SORT = { startedAt: 't.started_at', policy: 'lower(t.policy_name)' } as const;

export interface TestFilter {
  search: string;
  organizationId?: number | undefined;
  assetId?: number | undefined;
  open?: 'true' | undefined;
}

export async function listTestRows(
  db: Db,
  { scope, accountId }: Reader,
  { search, organizationId, assetId, open }: TestFilter,
  page: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: TestRow[]; total: number }> {
  const where = `where ${READABLE}
      and ($3 = '' or lower(t.policy_name || ' ' || t.asset_name || ' ' || t.schedule_name) like $3)
      and ($4::bigint is null or t.organization_id = $4)
      and ($5::boolean is null or c.messages = 0 or c.failed > 0 or c.unconfirmed > 0)
      and ($6::bigint is null or t.asset_id = $6)`;
  const values = [
    scope,
    accountId,
    containing(search.trim().toLowerCase()),
    organizationId ?? null,
    open ? true : null,
    assetId ?? null,
  ];
  const [found, count] = await Promise.all([
    db.query<TestRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[page.sort]} ${page.order}, t.id ${page.order} limit $7 offset $8`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findTest(db: Db, { scope, accountId }: Reader, id: number): Promise<TestRow | null> {
  const { rows } = await db.query<TestRow>(`select ${COLUMNS} ${FROM} where ${READABLE} and t.id = $3`, [
    scope,
    accountId,
    id,
  ]);
  return rows[0] ?? null;
}

/** Messages of tests. Names of organisations outside the scope are hidden, except that of the caller. */
export async function listTestMessages(
  db: Db,
  { scope, accountId }: Reader,
  testIds: readonly number[],
): Promise<MessageRow[]> {
  const { rows } = await db.query<MessageRow>(
    `select m.id::float8 as id, m.test_id::float8 as "testId", m.channel, m.recipient_type as "recipientType",
            case when m.organization_path like $1 || '%' or ${OWN} then m.name else '' end as name, m.state,
            m.error, m.settled_at as "settledAt", m.confirmed_at as "confirmedAt", m.confirmed_by as "confirmedBy",
            m.recorded_by as "recordedBy", coalesce(${OWN}, false) as "isOwn"
       from alarm_test_message m where m.test_id = any($3::bigint[]) order by m.id`,
    [scope, accountId, testIds],
  );
  return rows;
}

/** Locks a test, so that two people do not confirm a message at once. */
export async function lockTest(tx: Tx, id: number): Promise<void> {
  await tx.query('select 1 from alarm_test where id = $1 for update', [id]);
}

/** Confirms the messages that were sent to an account. */
export async function confirmOwn(
  tx: Tx,
  testId: number,
  accountId: number,
  by: string,
  at: Date,
): Promise<void> {
  await tx.query(
    `update alarm_test_message set confirmed_at = $3, confirmed_by = $4
      where test_id = $1 and recipient_type = 'accounts' and recipient_id = $2 and confirmed_at is null`,
    [testId, accountId, at, by],
  );
}

/** Records a confirmation by phone. Returns false if the message was confirmed before. */
export async function confirmByPhone(
  tx: Tx,
  messageId: number,
  by: string,
  recordedBy: string,
  at: Date,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update alarm_test_message set confirmed_at = $4, confirmed_by = $2, recorded_by = $3
      where id = $1 and confirmed_at is null`,
    [messageId, by, recordedBy, at],
  );
  return rowCount === 1;
}

export interface NewTest {
  organizationId: number;
  policyId: number;
  policyName: string;
  level: number;
  assetId: number | null;
  assetName: string;
  scheduleId: number | null;
  scheduleName: string;
  startedBy: string;
  /** Identifies the account or API key that started it; null for schedules. */
  starter: string | null;
  startedAt: Date;
}

/**
 * Number of tests that an account or API key has started since a time. Those of the same one wait for each other until the
 * end of the transaction, so that no two of them count the same tests.
 */
export async function countStarted(tx: Tx, starter: string, since: Date): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('alarm-test:' || $1, 0))`, [starter]);
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from alarm_test where starter = $1 and started_at > $2',
    [starter, since],
  );
  return rows[0]?.count ?? 0;
}

export async function insertTest(tx: Tx, test: NewTest): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into alarm_test (organization_id, policy_id, policy_name, level, asset_id, asset_name, schedule_id,
                             schedule_name, started_by, started_at, starter)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) returning id::float8 as id`,
    [
      test.organizationId,
      test.policyId,
      test.policyName,
      test.level,
      test.assetId,
      test.assetName,
      test.scheduleId,
      test.scheduleName,
      test.startedBy,
      test.startedAt,
      test.starter,
    ],
  );
  return (rows[0] as { id: number }).id;
}

export interface NewTestMessage {
  testId: number;
  channel: TestedChannel;
  recipientType: PersonType | 'url';
  recipientId: number;
  name: string;
  organizationPath: string;
  state: 'pending' | 'sending' | 'failed';
  messageId: number | null;
  error: string;
  at: Date;
}

export async function insertTestMessage(tx: Tx, message: NewTestMessage): Promise<void> {
  await tx.query(
    `insert into alarm_test_message (test_id, channel, recipient_type, recipient_id, name, organization_path, state,
                                     due_at, message_id, error, settled_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, case when $7 = 'failed' then $8::timestamptz end)`,
    [
      message.testId,
      message.channel,
      message.recipientType,
      message.recipientId,
      message.name,
      message.organizationPath,
      message.state,
      message.at,
      message.messageId,
      message.error,
    ],
  );
}

/** A URL push of a test that is due. */
export interface DuePush {
  id: number;
  url: string;
  policyId: number;
  policyName: string;
  level: number;
  assetName: string;
  language: string;
  startedAt: Date;
  attempts: number;
}

/** Leases URL pushes that are due; another process tries again when the lease expires. */
export async function leasePushes(tx: Tx, now: Date, leasedUntil: Date, most: number): Promise<DuePush[]> {
  const { rows } = await tx.query<DuePush>(
    `with due as (
       select id from alarm_test_message where state = 'pending' and due_at <= $1
        order by due_at, id limit $3 for update skip locked
     )
     update alarm_test_message m set due_at = $2, attempts = m.attempts + 1
       from due, alarm_test t, alarm_policy p
      where m.id = due.id and t.id = m.test_id and p.id = t.policy_id
     returning m.id::float8 as id, m.name as url, t.policy_id::float8 as "policyId", t.policy_name as "policyName",
               t.level, t.asset_name as "assetName",
               coalesce((select a.language from account a where a.username = p.changed_by), 'en') as language,
               t.started_at as "startedAt", m.attempts`,
    [now, leasedUntil, most],
  );
  return rows;
}

/** Stores the outcome of an attempt; `dueAt` is null if there is no further one. */
export async function saveTestPush(
  db: Db,
  id: number,
  outcome: { error: string; dueAt: Date | null; settledAt: Date | null },
): Promise<void> {
  await db.query(
    `update alarm_test_message
        set error = $2, due_at = coalesce($3, due_at), settled_at = $4,
            state = case when $3::timestamptz is not null then 'pending' when $2 = '' then 'sent' else 'failed' end
      where id = $1 and state = 'pending'`,
    [id, outcome.error, outcome.dueAt, outcome.settledAt],
  );
}
