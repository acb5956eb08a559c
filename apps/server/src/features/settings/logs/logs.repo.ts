import type { LogEntry, LogEntryDetail } from '@isotherm/contracts/logs';
import { containing } from '../../../platform/db/like.ts';
import type { Db } from '../../../platform/db/pool.ts';

export interface LogFilter {
  scope: string;
  from: string | null;
  to: string | null;
  search: string;
  actor: string | null;
  action: string | null;
  objectKind: string | null;
  objectId: string | null;
  sessionId: string | null;
  order: 'asc' | 'desc';
}

/** Counting for a page stops at this number, because counting millions takes long and is of little use. */
export const MOST_COUNTED = 100_000;

type LogRow = Omit<LogEntry, 'at'> & { at: Date };
type DetailRow = Omit<LogEntryDetail, 'at'> & { at: Date };

const COLUMNS = `e.seq, e.at, e.action, e.username as actor, e.account_id as "actorId", e.address,
       coalesce(e.session_id::text, '') as "sessionId", coalesce(o.name, '') as "organizationName",
       e.object_kind as "objectKind", e.object_id as "objectId", e.object_name as "objectName", e.reason,
       array(select key from jsonb_object_keys(coalesce(e.after, e.before)) as k(key) order by key) as changed`;
const DETAIL = `${COLUMNS}, e.before, e.after, encode(e.previous_hash, 'hex') as "previousHash", encode(e.hash, 'hex') as hash`;
const FROM = 'from audit_entry e left join organization o on o.path = e.organization_path';

/**
 * Returns the SQL conditions of a filter. Entries are numbered in order of time. Only conditions that are
 * used are included, so that the planner sees which index fits.
 */
function conditions(filter: LogFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [];
  const parts: string[] = [];
  const add = (condition: (parameter: string) => string, value: unknown) => {
    values.push(value);
    parts.push(condition(`$${values.length}`));
  };
  add((p) => `e.organization_path like ${p}`, `${filter.scope}%`);
  if (filter.from !== null) add((p) => `e.at >= ${p}`, filter.from);
  if (filter.to !== null) add((p) => `e.at < ${p}`, filter.to);
  if (filter.actor !== null) add((p) => `e.username = ${p}`, filter.actor);
  if (filter.action !== null) add((p) => `e.action = ${p}`, filter.action);
  if (filter.objectKind !== null) add((p) => `e.object_kind = ${p}`, filter.objectKind);
  if (filter.objectId !== null) add((p) => `e.object_id = ${p}`, filter.objectId);
  if (filter.sessionId !== null) add((p) => `e.session_id::text like ${p}`, `${filter.sessionId}%`);
  if (filter.search !== '')
    add(
      (p) =>
        `lower(e.username || ' ' || e.object_name || ' ' || e.object_id || ' ' || e.reason) like lower(${p})`,
      containing(filter.search),
    );
  return { where: parts.join(' and '), values };
}

function entryOf<T extends { at: Date }>(row: T): Omit<T, 'at'> & { at: string } {
  return { ...row, at: row.at.toISOString() };
}

export async function listLogRows(
  db: Db,
  filter: LogFilter,
  limit: number,
  offset: number,
): Promise<LogEntry[]> {
  const { where, values } = conditions(filter);
  const { rows } = await db.query<LogRow>(
    `select ${COLUMNS} ${FROM} where ${where} order by e.seq ${filter.order}
      limit ${limit} offset ${offset}`,
    values,
  );
  return rows.map(entryOf);
}

/** Counts entries, `most` at most. */
export async function countLogs(db: Db, filter: LogFilter, most = MOST_COUNTED): Promise<number> {
  const { where, values } = conditions(filter);
  const { rows } = await db.query<{ count: number }>(
    `select count(*) as count from (select from audit_entry e where ${where} limit ${most}) as counted`,
    values,
  );
  return rows[0]?.count ?? 0;
}

export async function findLog(db: Db, scope: string, seq: number): Promise<LogEntryDetail | null> {
  const { rows } = await db.query<DetailRow>(
    `select ${DETAIL} ${FROM} where e.seq = $1 and e.organization_path like $2`,
    [seq, `${scope}%`],
  );
  return rows[0] ? entryOf(rows[0]) : null;
}

/** Lists the next entries after a given one, in the filter's order. */
export async function listLogDetailsAfter(
  db: Db,
  filter: LogFilter,
  seq: number | null,
  limit: number,
): Promise<LogEntryDetail[]> {
  const { where, values } = conditions(filter);
  const sign = filter.order === 'asc' ? '>' : '<';
  const { rows } = await db.query<DetailRow>(
    `select ${DETAIL} ${FROM} where ${where} ${seq === null ? '' : `and e.seq ${sign} ${seq}`}
      order by e.seq ${filter.order} limit ${limit}`,
    values,
  );
  return rows.map(entryOf);
}

/** Lists all kinds in the log, found by a loose index scan. */
export async function listObjectKinds(db: Db): Promise<string[]> {
  const { rows } = await db.query<{ kind: string }>({
    name: 'log-object-kinds',
    text: `with recursive kinds as (
             (select object_kind as kind from audit_entry order by object_kind limit 1)
             union all
             select (select e.object_kind from audit_entry e where e.object_kind > k.kind order by e.object_kind limit 1)
               from kinds k where k.kind is not null
           )
           select kind from kinds where kind is not null`,
  });
  return rows.map((row) => row.kind);
}

export async function findTimeZone(db: Db, accountId: number | null): Promise<string> {
  const { rows } = await db.query<{ zone: string }>('select time_zone as zone from account where id = $1', [
    accountId,
  ]);
  return rows[0]?.zone ?? 'UTC';
}
