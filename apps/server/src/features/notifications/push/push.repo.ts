import type { PushBrowser } from '@isotherm/contracts/web-push';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** A subscription as `web-push` takes it. */
export interface Subscription {
  id: number;
  endpoint: string;
  keys: { p256dh: string; auth: string };
}

export interface StoredKeys {
  publicKey: string;
  /** Encrypted. */
  privateKey: string;
}

/** Stores a pair of keys if there is none; returns the pair that is stored. */
export async function keepKeys(db: Db, keys: StoredKeys, now: Date): Promise<StoredKeys> {
  await db.query(
    `insert into push_key (public_key, private_key, created_at) values ($1, $2, $3) on conflict do nothing`,
    [keys.publicKey, keys.privateKey, now],
  );
  return (await findKeys(db)) as StoredKeys;
}

export async function findKeys(db: Db): Promise<StoredKeys | null> {
  const { rows } = await db.query<StoredKeys>(
    'select public_key as "publicKey", private_key as "privateKey" from push_key',
  );
  return rows[0] ?? null;
}

/** Deletes keys that cannot be decrypted any more, and the subscriptions that were made with them. */
export async function deleteKeys(db: Db, publicKey: string): Promise<void> {
  await db.query(
    `with lost as (delete from push_key where public_key = $1 returning only_one)
     delete from push_subscription using lost`,
    [publicKey],
  );
}

const COLUMNS = `id::float8 as id, name, endpoint, created_at as "createdAt", last_sent_at as "lastSentAt"`;
type BrowserRow = Omit<PushBrowser, 'createdAt' | 'lastSentAt'> & {
  createdAt: Date;
  lastSentAt: Date | null;
};

const browserOf = ({ createdAt, lastSentAt, ...row }: BrowserRow): PushBrowser => ({
  ...row,
  createdAt: createdAt.toISOString(),
  lastSentAt: lastSentAt?.toISOString() ?? null,
});

export async function listBrowsers(db: Db, accountId: number): Promise<PushBrowser[]> {
  const { rows } = await db.query<BrowserRow>(
    `select ${COLUMNS} from push_subscription where account_id = $1 order by created_at, id`,
    [accountId],
  );
  return rows.map(browserOf);
}

/** Locks the account, so that two additions at once are counted; returns the number of its browsers. */
export async function lockBrowsers(tx: Tx, accountId: number): Promise<number> {
  await tx.query('select from account where id = $1 for no key update', [accountId]);
  const { rows } = await tx.query<{ count: number }>(
    'select count(*)::int as count from push_subscription where account_id = $1',
    [accountId],
  );
  return (rows[0] as { count: number }).count;
}

export interface NewBrowser {
  endpoint: string;
  p256dh: string;
  auth: string;
  name: string;
}

/** Adds a browser. One that another account has used changes hands, with its new keys. */
export async function insertBrowser(
  tx: Tx,
  accountId: number,
  { endpoint, p256dh, auth, name }: NewBrowser,
  now: Date,
): Promise<PushBrowser> {
  const { rows } = await tx.query<BrowserRow>(
    `insert into push_subscription (account_id, endpoint, p256dh, auth, name, created_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (endpoint) do update
        set account_id = excluded.account_id, p256dh = excluded.p256dh, auth = excluded.auth, name = excluded.name
     returning ${COLUMNS}`,
    [accountId, endpoint, p256dh, auth, name, now],
  );
  return browserOf(rows[0] as BrowserRow);
}

/** True if the account has this browser already. */
export async function hasEndpoint(db: Db, accountId: number, endpoint: string): Promise<boolean> {
  const { rows } = await db.query('select from push_subscription where account_id = $1 and endpoint = $2', [
    accountId,
    endpoint,
  ]);
  return rows.length > 0;
}

/** Deletes a browser of an account; returns its name, or null if there is no such browser. */
export async function deleteBrowser(db: Db, accountId: number, id: number): Promise<string | null> {
  const { rows } = await db.query<{ name: string }>(
    'delete from push_subscription where account_id = $1 and id = $2 returning name',
    [accountId, id],
  );
  return rows[0]?.name ?? null;
}

const SUBSCRIPTION = `id::float8 as id, endpoint, json_build_object('p256dh', p256dh, 'auth', auth) as keys`;

export async function findSubscriptions(
  db: Db,
  accountId: number,
  id: number | null,
): Promise<Subscription[]> {
  const { rows } = await db.query<Subscription>(
    `select ${SUBSCRIPTION} from push_subscription where account_id = $1 and ($2::bigint is null or id = $2) order by id`,
    [accountId, id],
  );
  return rows;
}

/** The accounts among these that have a browser. */
export async function accountsWithBrowser(db: Db, accountIds: readonly number[]): Promise<Set<number>> {
  const { rows } = await db.query<{ id: number }>(
    'select distinct account_id::float8 as id from push_subscription where account_id = any($1::bigint[])',
    [accountIds],
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Stores what push services said about subscriptions: those that are gone are deleted, unless the browser has subscribed
 * again meanwhile.
 */
export async function saveResponses(
  db: Db,
  { sent, gone }: { sent: readonly number[]; gone: readonly Subscription[] },
  now: Date,
): Promise<void> {
  if (sent.length > 0)
    await db.query('update push_subscription set last_sent_at = $2 where id = any($1::bigint[])', [
      sent,
      now,
    ]);
  if (gone.length > 0)
    await db.query(
      `delete from push_subscription s using jsonb_to_recordset($1::jsonb) as g(id bigint, keys jsonb)
        where s.id = g.id and s.auth = g.keys ->> 'auth'`,
      [JSON.stringify(gone)],
    );
}
