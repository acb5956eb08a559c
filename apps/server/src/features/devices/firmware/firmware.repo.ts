import type { Firmware, FirmwareKey } from '@isotherm/contracts/firmware';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/**
 * SQL condition for own and subordinate organisations, and for superior ones, whose firmware is shared with
 * everybody below.
 */
const SEEN = `(o.path like $1 || '%' or $1 like o.path || '%')`;

export interface KeyRow {
  id: number;
  name: string;
  public_key: Buffer;
  organization_name: string;
  organization_path: string;
  added_by: string;
  added_at: Date;
  ended_at: Date | null;
}

const KEYS = `select k.id, k.name, k.public_key, o.name as organization_name, o.path as organization_path, k.added_by,
       k.added_at, k.ended_at
  from firmware_key k join organization o on o.id = k.organization_id`;

export async function listKeyRows(db: Db, scope: string): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(`${KEYS} where ${SEEN} order by k.ended_at nulls first, k.id`, [
    scope,
  ]);
  return rows;
}

/**
 * Returns a key of own or subordinate organisations: keys of superior organisations are visible, but not
 * editable.
 */
export async function findKey(db: Db, scope: string, id: number): Promise<KeyRow | null> {
  const { rows } = await db.query<KeyRow>(`${KEYS} where o.path like $1 || '%' and k.id = $2`, [scope, id]);
  return rows[0] ?? null;
}

/**
 * Lists the keys that are trusted for firmware of the organisation at this path: its own and those of its
 * superiors.
 */
export async function listKeysFor(db: Db, path: string): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>(`${KEYS} where $1 like o.path || '%' and k.ended_at is null`, [
    path,
  ]);
  return rows;
}

export async function insertKey(
  tx: Tx,
  key: { organizationId: number; name: string; publicKey: Buffer; addedBy: string; addedAt: Date },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into firmware_key (organization_id, name, public_key, added_by, added_at)
     values ($1, $2, $3, $4, $5) returning id`,
    [key.organizationId, key.name, key.publicKey, key.addedBy, key.addedAt],
  );
  return (rows[0] as { id: number }).id;
}

export async function endKey(tx: Tx, id: number, now: Date): Promise<void> {
  await tx.query('update firmware_key set ended_at = $2 where id = $1 and ended_at is null', [id, now]);
}

export function keyView(row: KeyRow): FirmwareKey {
  return {
    id: row.id,
    organizationName: row.organization_name,
    name: row.name,
    addedBy: row.added_by,
    publicKey: row.public_key.toString('base64'),
    addedAt: row.added_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}

export interface FirmwareRow {
  id: number;
  organization_id: number;
  organization_name: string;
  organization_path: string;
  model: string;
  version: string;
  notes: string;
  size_bytes: number;
  checksum: string;
  signature: string;
  key_name: string;
  uploaded_by: string;
  uploaded_at: Date;
  withdrawn_at: Date | null;
  withdrawn_by: string;
  running: number;
}

/** All columns except the file; `$1` is the scope. */
const FIRMWARE = `select f.id, f.organization_id, o.name as organization_name, o.path as organization_path, f.model,
       f.version, f.notes, f.size_bytes, f.checksum, f.signature, k.name as key_name, f.uploaded_by, f.uploaded_at,
       f.withdrawn_at, f.withdrawn_by,
       (select count(*) from device_firmware r join device d on d.id = r.device_id
          join organization p on p.id = d.organization_id
         where r.version = f.version and d.model = f.model and d.deleted_at is null and p.path like $1 || '%'
           and p.path like o.path || '%') as running
  from firmware f join organization o on o.id = f.organization_id join firmware_key k on k.id = f.key_id`;

export async function listFirmwareRows(db: Db, scope: string): Promise<FirmwareRow[]> {
  const { rows } = await db.query<FirmwareRow>(`${FIRMWARE} where ${SEEN} order by f.model, f.id`, [scope]);
  return rows;
}

/** Returns a firmware visible to the caller; with `own`, only of own and subordinate organisations. */
export async function findFirmware(
  db: Db,
  scope: string,
  id: number,
  options: { own?: boolean } = {},
): Promise<FirmwareRow | null> {
  const { rows } = await db.query<FirmwareRow>(
    `${FIRMWARE} where ${options.own ? `o.path like $1 || '%'` : SEEN} and f.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

export async function insertFirmware(
  tx: Tx,
  row: {
    organizationId: number;
    keyId: number;
    model: string;
    version: string;
    notes: string;
    checksum: string;
    signature: string;
    bytes: Uint8Array;
    uploadedBy: string;
    uploadedAt: Date;
  },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into firmware (organization_id, key_id, model, version, notes, size_bytes, checksum, signature, bytes,
                           uploaded_by, uploaded_at)
     values ($1, $2, $3, $4, $5, length($8::bytea), $6, $7, $8, $9, $10) returning id`,
    [
      row.organizationId,
      row.keyId,
      row.model,
      row.version,
      row.notes,
      row.checksum,
      row.signature,
      row.bytes,
      row.uploadedBy,
      row.uploadedAt,
    ],
  );
  return (rows[0] as { id: number }).id;
}

export async function markWithdrawn(tx: Tx, id: number, by: string, now: Date): Promise<void> {
  await tx.query('update firmware set withdrawn_at = $2, withdrawn_by = $3 where id = $1', [id, now, by]);
}

export function firmwareView(row: FirmwareRow): Firmware {
  return {
    id: row.id,
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    model: row.model,
    version: row.version,
    notes: row.notes,
    sizeBytes: row.size_bytes,
    checksum: row.checksum,
    keyName: row.key_name,
    uploadedBy: row.uploaded_by,
    uploadedAt: row.uploaded_at.toISOString(),
    withdrawnAt: row.withdrawn_at?.toISOString() ?? null,
    withdrawnBy: row.withdrawn_by,
    running: row.running,
  };
}

export async function readFile(db: Db, id: number): Promise<Buffer> {
  const { rows } = await db.query<{ bytes: Buffer }>('select bytes from firmware where id = $1', [id]);
  if (!rows[0]) throw new Error(`firmware ${id} has no bytes`);
  return rows[0].bytes;
}
