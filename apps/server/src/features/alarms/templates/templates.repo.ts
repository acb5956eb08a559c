import type { listMessageTemplates } from '@isotherm/contracts/message-templates';
import type { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import type {
  TemplateChannel,
  TemplateKind,
  TemplateProvider,
} from '@isotherm/domain/notifications/message-template';
import type { z } from 'zod';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import type { AlarmFacts } from '../notifications/notification-words.ts';

type TemplateLanguage = (typeof LANGUAGE_CODES)[number];

/** Templates of providers: id, and parameters as JSON. */
export type ProviderTemplates = Partial<Record<TemplateProvider, { templateId: string; parameters: string }>>;

export interface TemplateFields {
  organizationId: number;
  channel: TemplateChannel;
  kind: TemplateKind;
  language: TemplateLanguage;
  subject: string;
  body: string;
  providers: ProviderTemplates;
  changedBy: string;
  changedAt: Date;
}

export interface TemplateRow extends TemplateFields {
  id: number;
  organizationName: string;
  organizationPath: string;
}

const COLUMNS = `t.id::float8 as id, t.organization_id::float8 as "organizationId", o.name as "organizationName",
  o.path as "organizationPath", t.channel, t.kind, t.language, t.subject, t.body, t.providers,
  t.changed_by as "changedBy", t.changed_at as "changedAt"`;
const FROM = 'from message_template t join organization o on o.id = t.organization_id';
const SORT = {
  channel: `array_position(array['email', 'sms', 'voice', 'wechat'], t.channel)`,
  organization: 'lower(o.name)',
  changedAt: 't.changed_at',
} as const;

export async function listTemplateRows(
  db: Db,
  scope: string,
  query: z.output<(typeof listMessageTemplates)['query']>,
): Promise<{ rows: TemplateRow[]; total: number }> {
  const { search, channel, kind, language, sort, order, page, pageSize } = query;
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(concat_ws(' ', t.subject, t.body)) like $2)
    and ($3::text is null or t.channel = $3) and ($4::text is null or t.kind = $4)
    and ($5::text is null or t.language = $5)`;
  const values = [
    scope,
    containing(search.trim().toLowerCase()),
    channel ?? null,
    kind ?? null,
    language ?? null,
  ];
  const [found, count] = await Promise.all([
    db.query<TemplateRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[sort]} ${order}, lower(o.name), t.kind, t.language, t.id limit $6 offset $7`,
      [...values, pageSize, (page - 1) * pageSize],
    ),
    db.query<{ count: number }>(`select count(*)::int as count ${FROM} ${where}`, values),
  ]);
  return { rows: found.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findTemplateRow(db: Db, scope: string, id: number): Promise<TemplateRow | null> {
  const { rows } = await db.query<TemplateRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and t.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

/** Locks a template against other changes until the transaction ends. */
export async function lockTemplate(tx: Tx, id: number): Promise<void> {
  await tx.query('select from message_template where id = $1 for no key update', [id]);
}

const valuesOf = (fields: TemplateFields) => [
  fields.organizationId,
  fields.channel,
  fields.kind,
  fields.language,
  fields.subject,
  fields.body,
  JSON.stringify(fields.providers),
  fields.changedBy,
  fields.changedAt,
];

/** Returns the id of the new template. */
export async function insertTemplate(tx: Tx, fields: TemplateFields): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into message_template (organization_id, channel, kind, language, subject, body, providers, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id::float8 as id`,
    valuesOf(fields),
  );
  return (rows[0] as { id: number }).id;
}

export async function updateTemplate(tx: Tx, id: number, fields: TemplateFields): Promise<void> {
  await tx.query(
    `update message_template set organization_id = $1, channel = $2, kind = $3, language = $4, subject = $5, body = $6,
            providers = $7, changed_by = $8, changed_at = $9 where id = $10`,
    [...valuesOf(fields), id],
  );
}

export async function deleteTemplateRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from message_template where id = $1', [id]);
}

/** A template as it applies to an organisation. */
export type AppliedTemplate = Pick<
  TemplateRow,
  'channel' | 'kind' | 'language' | 'subject' | 'body' | 'providers' | 'organizationName'
> & {
  /** The organisation that it applies to. */
  siteId: number;
  /** The organisation that it belongs to. */
  organizationId: number;
};

/** The templates of organisations and of those above them; those of the nearest organisation come last. */
export async function findApplied(db: Db, siteIds: readonly number[]): Promise<AppliedTemplate[]> {
  const { rows } = await db.query<AppliedTemplate>(
    `select s.id::float8 as "siteId", o.id::float8 as "organizationId", o.name as "organizationName", t.channel, t.kind,
            t.language, t.subject, t.body, t.providers
       from organization s
       join organization o on s.path like o.path || '%'
       join message_template t on t.organization_id = o.id
      where s.id = any($1::bigint[]) order by s.id, length(o.path)`,
    [siteIds],
  );
  return rows;
}

/** Alarms among which the latest one of an organisation is looked for, so that a preview stays cheap. */
const LOOKED_AT = 5_000;

/** The latest alarm of an organisation and those below it; for the text of an end, one that has ended. */
export async function findLatestAlarm(
  db: Db,
  path: string,
  hasEnded: boolean,
): Promise<{ id: number; facts: AlarmFacts } | null> {
  const { rows } = await db.query<{ id: number; facts: AlarmFacts }>(
    `select a.id::float8 as id, alarm_facts(a.id) as facts
       from (select id, organization_id, ended_at from alarm order by id desc limit ${LOOKED_AT}) a
       join organization o on o.id = a.organization_id
      where o.path like $1 || '%' and (not $2 or a.ended_at is not null)
      order by a.id desc limit 1`,
    [path, hasEnded],
  );
  return rows[0] ?? null;
}

export async function findOrganizationName(db: Db, id: number): Promise<string> {
  const { rows } = await db.query<{ name: string }>('select name from organization where id = $1', [id]);
  return rows[0]?.name ?? '';
}

/** Number of test messages of an account since a time. The caller has locked the account against others. */
export async function countTests(tx: Tx, accountId: number, since: Date): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('message-template-test:' || $1::text, 0))`, [
    accountId,
  ]);
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from message_template_test where account_id = $1 and created_at > $2',
    [accountId, since],
  );
  return rows[0]?.count ?? 0;
}

/** Stores a test message; returns its id. */
export async function insertTest(
  tx: Tx,
  test: { accountId: number; organizationId: number; channel: string; units: number; createdAt: Date },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into message_template_test (account_id, organization_id, channel, units, settled, created_at)
     values ($1, $2, $3, $4, $4 = 0, $5) returning id::float8 as id`,
    [test.accountId, test.organizationId, test.channel, test.units, test.createdAt],
  );
  return (rows[0] as { id: number }).id;
}

/** Marks a test message as settled; returns false if another process has done so. */
export async function markTestSettled(tx: Tx, id: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update message_template_test set settled = true where id = $1 and not settled',
    [id],
  );
  return rowCount === 1;
}

/** Marks test messages as settled whose process died before it stored the outcome; returns their ids. */
export async function takeAbandonedTests(tx: Tx, before: Date): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `update message_template_test set settled = true where not settled and created_at < $1 returning id::float8 as id`,
    [before],
  );
  return rows.map(({ id }) => id);
}
