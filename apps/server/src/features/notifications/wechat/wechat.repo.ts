import type { Person } from '@isotherm/domain/alarms/person';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** The stored official account. */
export interface WechatAccountRow {
  enabled: boolean;
  url: string;
  appId: string;
  sealedSecret: Buffer;
  sealedToken: Buffer;
  sealedAesKey: Buffer | null;
  templateZhCn: string;
  templateZhTw: string;
  templateEn: string;
  templateEs: string;
  fields: string;
  secretChangedAt: Date;
  changedBy: string;
  changedAt: Date;
}

export async function findWechatAccount(db: Db): Promise<WechatAccountRow | null> {
  const { rows } = await db.query<WechatAccountRow>(
    `select enabled, url, app_id as "appId", sealed_secret as "sealedSecret", sealed_token as "sealedToken",
            sealed_aes_key as "sealedAesKey", template_zh_cn as "templateZhCn", template_zh_tw as "templateZhTw",
            template_en as "templateEn", template_es as "templateEs", fields, secret_changed_at as "secretChangedAt",
            changed_by as "changedBy", changed_at as "changedAt"
       from wechat_account`,
  );
  return rows[0] ?? null;
}

/** Stores the official account. Its access token is forgotten, because it may belong to other credentials. */
export async function saveWechatAccountRow(tx: Tx, row: WechatAccountRow): Promise<void> {
  await tx.query(
    `insert into wechat_account (enabled, url, app_id, sealed_secret, sealed_token, sealed_aes_key, template_zh_cn,
                                 template_zh_tw, template_en, template_es, fields, secret_changed_at, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
     on conflict (only_one) do update
        set enabled = $1, url = $2, app_id = $3, sealed_secret = $4, sealed_token = $5, sealed_aes_key = $6,
            template_zh_cn = $7, template_zh_tw = $8, template_en = $9, template_es = $10, fields = $11,
            secret_changed_at = $12, changed_by = $13, changed_at = $14`,
    [
      row.enabled,
      row.url,
      row.appId,
      row.sealedSecret,
      row.sealedToken,
      row.sealedAesKey,
      row.templateZhCn,
      row.templateZhTw,
      row.templateEn,
      row.templateEs,
      row.fields,
      row.secretChangedAt,
      row.changedBy,
      row.changedAt,
    ],
  );
  await tx.query('delete from wechat_token');
}

export async function countBound(db: Db, appId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*)::int as count from wechat_binding where app_id = $1',
    [appId],
  );
  return rows[0]?.count ?? 0;
}

export interface StoredToken {
  sealed: Buffer | null;
  expiresAt: Date | null;
}

export async function findToken(db: Db, appId: string): Promise<StoredToken | null> {
  const { rows } = await db.query<StoredToken>(
    'select sealed, expires_at as "expiresAt" from wechat_token where app_id = $1',
    [appId],
  );
  return rows[0] ?? null;
}

/**
 * Takes the lease of the renewal; returns false if another process renews the token, or has renewed it. `known` is the
 * token that is not to be used any more, as it is stored.
 */
export async function leaseToken(
  db: Db,
  appId: string,
  known: Buffer | null,
  lease: { now: Date; until: Date },
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into wechat_token (app_id, leased_until) values ($1, $4)
     on conflict (app_id) do update set leased_until = $4
      where wechat_token.sealed is not distinct from $2
        and coalesce(wechat_token.leased_until, '-infinity') <= $3`,
    [appId, known, lease.now, lease.until],
  );
  return rowCount === 1;
}

export async function saveToken(db: Db, appId: string, sealed: Buffer, expiresAt: Date): Promise<void> {
  await db.query(
    'update wechat_token set sealed = $2, expires_at = $3, leased_until = null where app_id = $1',
    [appId, sealed, expiresAt],
  );
}

export async function releaseLease(db: Db, appId: string): Promise<void> {
  await db.query('update wechat_token set leased_until = null where app_id = $1', [appId]);
}

export interface BindingRow {
  boundAt: Date;
  isSubscribed: boolean;
}

export async function findBinding(db: Db, person: Person, appId: string): Promise<BindingRow | null> {
  const { rows } = await db.query<BindingRow>(
    `select bound_at as "boundAt", subscribed as "isSubscribed" from wechat_binding
      where person_type = $1 and person_id = $2 and app_id = $3`,
    [person.type, person.id, appId],
  );
  return rows[0] ?? null;
}

/** Ids of the WeChat users of people, by the key of the person. */
export async function findOpenIds(
  db: Db,
  people: readonly Person[],
  appId: string,
): Promise<(Person & { openId: string; isSubscribed: boolean })[]> {
  if (people.length === 0) return [];
  const { rows } = await db.query<Person & { openId: string; isSubscribed: boolean }>(
    `select b.person_type as type, b.person_id::float8 as id, b.open_id as "openId", b.subscribed as "isSubscribed"
       from wechat_binding b
       join jsonb_to_recordset($1::jsonb) as p(type text, id bigint)
         on p.type = b.person_type and p.id = b.person_id
      where b.app_id = $2`,
    [JSON.stringify(people), appId],
  );
  return rows;
}

/** Removes the binding of a person; returns false if there is none. */
export async function deleteBinding(tx: Tx, person: Person): Promise<boolean> {
  const { rowCount } = await tx.query(
    'delete from wechat_binding where person_type = $1 and person_id = $2',
    [person.type, person.id],
  );
  return rowCount === 1;
}

/** Stores whether a WeChat user follows the official account. */
export async function saveSubscribed(db: Db, openId: string, isSubscribed: boolean): Promise<void> {
  await db.query('update wechat_binding set subscribed = $2 where open_id = $1 and subscribed <> $2', [
    openId,
    isSubscribed,
  ]);
}

export async function insertCode(
  tx: Tx,
  { sceneHash, person, expiresAt }: { sceneHash: Buffer; person: Person; expiresAt: Date },
): Promise<void> {
  await tx.query(
    'insert into wechat_code (scene_hash, person_type, person_id, expires_at) values ($1, $2, $3, $4)',
    [sceneHash, person.type, person.id, expiresAt],
  );
}

/**
 * Uses a QR code for a WeChat user. Returns the person, or null for an unknown, expired or used code. A repeated callback
 * about the same user returns the person again.
 */
export async function takeCode(tx: Tx, sceneHash: Buffer, openId: string, now: Date): Promise<Person | null> {
  const { rows } = await tx.query<Person>(
    `update wechat_code set used_by = $2
      where scene_hash = $1 and expires_at > $3 and coalesce(used_by, $2) = $2
        and (person_type = 'receivers' and exists (select from alarm_receiver where id = person_id)
             or person_type = 'accounts' and exists (select from account where id = person_id and disabled_at is null))
      returning person_type as type, person_id::float8 as id`,
    [sceneHash, openId, now],
  );
  return rows[0] ?? null;
}

export async function saveBinding(
  tx: Tx,
  person: Person,
  { appId, openId, now }: { appId: string; openId: string; now: Date },
): Promise<void> {
  await tx.query(
    `insert into wechat_binding (person_type, person_id, app_id, open_id, subscribed, bound_at)
     values ($1, $2, $3, $4, true, $5)
     on conflict (person_type, person_id) do update
        set app_id = $3, open_id = $4, subscribed = true, bound_at = $5
      where wechat_binding.open_id <> $4 or wechat_binding.app_id <> $3 or not wechat_binding.subscribed`,
    [person.type, person.id, appId, openId, now],
  );
}

/** Deletes codes that have expired, and bindings of people who were removed. */
export async function deleteExpired(db: Db, now: Date): Promise<void> {
  await db.query('delete from wechat_code where expires_at < $1', [now]);
  await db.query(
    `delete from wechat_binding b
      where b.person_type = 'receivers' and not exists (select from alarm_receiver where id = b.person_id)
         or b.person_type = 'accounts' and not exists (select from account where id = b.person_id)`,
  );
}

/** Name and organisation of a receiver within a scope; null if there is none. */
export async function findReceiverName(
  db: Db,
  scope: string,
  id: number,
): Promise<{ name: string; organizationPath: string } | null> {
  const { rows } = await db.query<{ name: string; organizationPath: string }>(
    `select r.name, o.path as "organizationPath" from alarm_receiver r join organization o on o.id = r.organization_id
      where r.id = $2 and o.path like $1 || '%'`,
    [scope, id],
  );
  return rows[0] ?? null;
}
