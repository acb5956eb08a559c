import type { MessageChannel, MessageTemplate } from '@isotherm/contracts/mailbox';
import type { Language } from '@isotherm/i18n/languages';
import type { Db, Tx } from '../db/pool.ts';

export interface MessageRow {
  id: number;
  channel: MessageChannel;
  recipient: string;
  template: MessageTemplate;
  language: Language;
  sealed_params: Buffer | null;
  status: 'pending' | 'sent' | 'failed';
  attempts: number;
  error: string;
  created_at: Date;
  expires_at: Date | null;
  settled_at: Date | null;
}

const COLUMNS = `m.id, m.channel, m.recipient, m.template, m.language, m.sealed_params, m.status, m.attempts, m.error,
       m.created_at, m.expires_at, m.settled_at`;

/** A new message as it is stored: parameters encrypted as base64, times as epoch ms. */
export interface MessageFields {
  channel: MessageChannel;
  recipient: string;
  template: MessageTemplate;
  language: Language;
  sealedParams: string;
  organizationId: number | null;
  expiresAt: number | null;
}

/** Stores messages; returns their ids in the same order. */
export async function insertMessages(
  tx: Tx,
  messages: readonly MessageFields[],
  createdAt: Date,
): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into message (channel, recipient, template, language, sealed_params, organization_id, created_at, expires_at)
     select m.channel, m.recipient, m.template, m.language, decode(m."sealedParams", 'base64'), m."organizationId", $2,
            to_timestamp(m."expiresAt" / 1000)
       from rows from (jsonb_to_recordset($1::jsonb)
              as (channel text, recipient text, template text, language text, "sealedParams" text,
                  "organizationId" bigint, "expiresAt" float8)) with ordinality
              as m(channel, recipient, template, language, "sealedParams", "organizationId", "expiresAt", place)
      order by m.place
     returning id`,
    [JSON.stringify(messages), createdAt],
  );
  // Ids are given in the order of the rows.
  return rows.map(({ id }) => id).sort((a, b) => a - b);
}

/** Messages by id, in the order of the ids; null for one that does not exist. */
export async function findMessages(db: Db, ids: readonly number[]): Promise<(MessageRow | null)[]> {
  const { rows } = await db.query<MessageRow>({
    name: 'find-messages',
    text: `select ${COLUMNS} from message m where m.id = any($1::bigint[])`,
    values: [ids],
  });
  const found = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => found.get(id) ?? null);
}

export interface Attempt {
  id: number;
  status: MessageRow['status'];
  error: string;
  /** Time of completion, epoch ms; null if there are further attempts. */
  settledAt: number | null;
}

/**
 * Counts an attempt of each of these messages; the last attempt sets the time of completion. Pending messages are
 * those that are neither sent nor failed: with the condition of the index of pending messages, PostgreSQL reads the whole index
 * each time as long as its statistics are older than the backlog.
 */
export async function noteAttempts(db: Db, attempts: readonly Attempt[]): Promise<void> {
  await db.query({
    name: 'note-attempts',
    text: `update message m set attempts = m.attempts + 1, status = a.status, error = a.error,
                  settled_at = to_timestamp(a."settledAt" / 1000)
             from jsonb_to_recordset($1::jsonb) as a(id bigint, status text, error text, "settledAt" float8)
            where m.id = any($2::bigint[]) and m.id = a.id and m.status not in ('sent', 'failed')`,
    values: [JSON.stringify(attempts), attempts.map(({ id }) => id)],
  });
}

/** Returns pending messages without a task that is in progress or has made fewer than `sweptAfter` attempts. */
export async function findWithoutTask(
  db: Db,
  task: { name: string; sweptAfter: number },
  before: Date,
  most: number,
): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select m.id from message m
      where m.status = 'pending' and m.created_at < $2
        and not exists (select from graphile_worker.jobs j
                         where j.key = $1 || ':' || m.id and (j.attempts < $4 or j.locked_at is not null))
      order by m.created_at limit $3`,
    [task.name, before, most, task.sweptAfter],
  );
  return rows.map((row) => row.id);
}

export async function eraseParamsSettledBefore(db: Db, before: Date): Promise<void> {
  await db.query(
    'update message set sealed_params = null where sealed_params is not null and settled_at < $1',
    [before],
  );
}

export async function deleteMessagesBefore(db: Db, before: Date): Promise<void> {
  await db.query('delete from message where created_at < $1', [before]);
}

export interface MessageFilter {
  /**
   * Scope of the reader. Messages without an organisation (codes of registrations) are visible at the root
   * only.
   */
  scope: string;
  search: string;
  channel: MessageChannel | null;
}

const MATCHES = `(case when m.organization_id is null then $1 ~ '^/[0-9]+/$' else o.path like $1 || '%' end)
       and ($2 = '' or position(lower($2) in lower(m.recipient)) > 0) and ($3::text is null or m.channel = $3)`;

export async function listMessages(
  db: Db,
  filter: MessageFilter,
  limit: number,
  offset: number,
): Promise<{ rows: MessageRow[]; total: number }> {
  const values = [filter.scope, filter.search, filter.channel];
  const from = `from message m left join organization o on o.id = m.organization_id where ${MATCHES}`;
  const [page, count] = await Promise.all([
    db.query<MessageRow>(
      `select ${COLUMNS} ${from} order by m.created_at desc, m.id desc limit $4 offset $5`,
      [...values, limit, offset],
    ),
    db.query<{ total: number }>(`select count(*) as total ${from}`, values),
  ]);
  return { rows: page.rows, total: count.rows[0]?.total ?? 0 };
}
