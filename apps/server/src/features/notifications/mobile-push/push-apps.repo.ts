import type { PushApp } from '@isotherm/contracts/push-apps';
import type { PushService } from '@isotherm/domain/notifications/mobile-push';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** An app that a notification is sent to. */
export interface AppAddress {
  id: number;
  service: PushService;
  token: string;
  registeredAt: Date;
}

const COLUMNS = `id::float8 as id, service, name, registered_at as "registeredAt", last_sent_at as "lastSentAt",
  last_error as "lastError"`;
type AppRow = Omit<PushApp, 'registeredAt' | 'lastSentAt'> & { registeredAt: Date; lastSentAt: Date | null };

const appOf = ({ registeredAt, lastSentAt, ...row }: AppRow): PushApp => ({
  ...row,
  registeredAt: registeredAt.toISOString(),
  lastSentAt: lastSentAt?.toISOString() ?? null,
});

export async function listApps(db: Db, accountId: number): Promise<PushApp[]> {
  const { rows } = await db.query<AppRow>(
    `select ${COLUMNS} from push_app where account_id = $1 order by registered_at, id`,
    [accountId],
  );
  return rows.map(appOf);
}

/** Locks the account, so that two additions at once are counted; returns the tokens of its apps. */
export async function lockApps(
  tx: Tx,
  accountId: number,
): Promise<{ service: PushService; token: string }[]> {
  await tx.query('select from account where id = $1 for no key update', [accountId]);
  const { rows } = await tx.query<{ service: PushService; token: string }>(
    'select service, token from push_app where account_id = $1',
    [accountId],
  );
  return rows;
}

/** Registers an app. One that another account has used changes hands. */
export async function saveApp(
  tx: Tx,
  accountId: number,
  { service, token, name }: { service: PushService; token: string; name: string },
  now: Date,
): Promise<PushApp> {
  const { rows } = await tx.query<AppRow>(
    `insert into push_app (account_id, service, token, name, registered_at) values ($1, $2, $3, $4, $5)
     on conflict (service, token) do update
        set account_id = excluded.account_id, name = excluded.name, registered_at = excluded.registered_at,
            last_error = ''
     returning ${COLUMNS}`,
    [accountId, service, token, name, now],
  );
  return appOf(rows[0] as AppRow);
}

/** Deletes an app of an account; returns its name, or null if there is no such app. */
export async function deleteApp(db: Db, accountId: number, id: number): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>(
    'delete from push_app where account_id = $1 and id = $2 returning name',
    [accountId, id],
  );
  return rows[0]?.name ?? null;
}

/** The apps of an account that an enabled service reaches; only one of them if `id` is given. */
export async function findApps(db: Db, accountId: number, id: number | null): Promise<AppAddress[]> {
  const { rows } = await db.query<AppAddress>(
    `select a.id::float8 as id, a.service, a.token, a.registered_at as "registeredAt"
       from push_app a join push_service s on s.service = a.service and s.enabled
      where a.account_id = $1 and ($2::bigint is null or a.id = $2) order by a.id`,
    [accountId, id],
  );
  return rows;
}

/** The accounts among these that have an app which an enabled service reaches. */
export async function accountsWithApp(db: Db, accountIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    `select distinct a.account_id::float8 as id
       from push_app a join push_service s on s.service = a.service and s.enabled
      where a.account_id = any($1::bigint[])`,
    [accountIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Stores what push services said about apps. Registrations that are gone are deleted, unless the app has registered again
 * after the time since which they are.
 */
export async function saveResponses(
  db: Db,
  {
    sent,
    failed,
    gone,
  }: {
    sent: readonly number[];
    failed: readonly { id: number; error: string }[];
    gone: readonly { id: number; since: Date }[];
  },
  now: Date,
): Promise<void> {
  if (sent.length > 0)
    await db.query(`update push_app set last_sent_at = $2, last_error = '' where id = any($1::bigint[])`, [
      sent,
      now,
    ]);
  if (failed.length > 0)
    await db.query(
      `update push_app a set last_error = f.error
         from jsonb_to_recordset($1::jsonb) as f(id bigint, error text) where a.id = f.id`,
      [JSON.stringify(failed)],
    );
  if (gone.length > 0)
    await db.query(
      `delete from push_app a using jsonb_to_recordset($1::jsonb) as g(id bigint, since timestamptz)
        where a.id = g.id and a.registered_at <= g.since`,
      [JSON.stringify(gone)],
    );
}
