import type { Db } from '../../../platform/db/pool.ts';

export interface SessionRow {
  id: string;
  expires_at: Date;
}

export async function findSessions(db: Db, accountId: number, now: Date): Promise<SessionRow[]> {
  const { rows } = await db.query<SessionRow>({
    name: 'find-sessions',
    text: `select id, expires_at from session where account_id = $1 and expires_at > $2
            order by created_at desc limit 50`,
    values: [accountId, now],
  });
  return rows;
}

export interface SessionView {
  id: string;
  address: string;
  client: string;
  created_at: Date;
  last_seen_at: Date;
}

/** Lists sessions as shown to users, most recently used first. */
export async function listSessionViews(db: Db, accountId: number, now: Date): Promise<SessionView[]> {
  const { rows } = await db.query<SessionView>(
    `select id, address, client, created_at, last_seen_at from session
      where account_id = $1 and expires_at > $2 order by last_seen_at desc limit 50`,
    [accountId, now],
  );
  return rows;
}

export interface NewSession {
  id: string;
  accountId: number;
  identifier: string;
  address: string;
  client: string;
  createdAt: Date;
  expiresAt: Date;
}

/**
 * Opens a session, optionally replacing another one. It is refused if that one has ended or was replaced, if
 * the account was disabled, or if its password has changed meanwhile.
 */
export async function insertSession(
  db: Db,
  session: NewSession,
  rests: { replaces?: { id: string; until: Date }; passwordHash?: string },
): Promise<boolean> {
  const { rowCount } = await db.query(
    // The account is locked before its sessions, in the same order as when an account is disabled.
    `with holder as materialized (
       select id from account where id = $2 and disabled_at is null and ($10::text is null or password_hash = $10) for share
     ), replaced as (
       update session set replaced_by = $1, expires_at = $9
        where exists (select 1 from holder)
          and id = $8::uuid and account_id = $2 and replaced_by is null and expires_at > $6 returning id)
     insert into session (id, account_id, identifier, address, client, created_at, last_seen_at, expires_at)
     select $1, $2, $3, $4, $5, $6, $6, $7
      where exists (select 1 from holder)
        and ($8::uuid is null or exists (select 1 from replaced))`,
    [
      session.id,
      session.accountId,
      session.identifier,
      session.address,
      session.client,
      session.createdAt,
      session.expiresAt,
      rests.replaces?.id ?? null,
      rests.replaces?.until ?? null,
      rests.passwordHash ?? null,
    ],
  );
  return rowCount === 1;
}

/** Ends a session and the sessions that it replaced. */
export async function endSession(db: Db, id: string): Promise<void> {
  await db.query('delete from session where id = $1 or replaced_by = $1', [id]);
}

/** Extends a session and records its use. */
export async function extendSession(db: Db, id: string, expiresAt: Date, now: Date): Promise<void> {
  await db.query('update session set expires_at = $2, last_seen_at = $3 where id = $1', [id, expiresAt, now]);
}

export async function findSession(db: Db, id: string, now: Date): Promise<{ username: string } | null> {
  const { rows } = await db.query<{ username: string }>(
    `select a.username from session s join account a on a.id = s.account_id
      where s.id = $1 and s.expires_at > $2 and a.disabled_at is null`,
    [id, now],
  );
  return rows[0] ?? null;
}

/**
 * Ends the sessions of an account except an optional one; returns the number of ended sessions that were
 * still valid.
 */
export async function deleteSessions(
  db: Db,
  accountId: number,
  now: Date,
  kept: string | null = null,
): Promise<number> {
  const { rows } = await db.query<{ alive: boolean }>(
    'delete from session where account_id = $1 and ($2::uuid is null or id <> $2) returning expires_at > $3 as alive',
    [accountId, kept, now],
  );
  return rows.filter((row) => row.alive).length;
}

export async function deleteExpiredSessions(db: Db): Promise<void> {
  await db.query('delete from session where expires_at < now()');
}
