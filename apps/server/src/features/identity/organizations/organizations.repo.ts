import type { OrganizationLevel } from '@isotherm/domain/access/roles';
import type { SignatureLevel } from '@isotherm/domain/access/signature';
import { LOCK_KEYS } from '../../../platform/db/lock-keys.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface OrganizationRow {
  id: number;
  parent_id: number | null;
  code: string;
  name: string;
  level: OrganizationLevel;
  path: string;
  location: string;
  latitude: number | null;
  longitude: number | null;
  description: string;
  time_zone: string;
  signature_from_level: SignatureLevel | null;
  created_at: Date;
}

const COLUMNS = `o.id, o.parent_id, o.code, o.name, o.level, o.path, o.location, o.latitude, o.longitude,
       o.description, o.time_zone, o.signature_from_level, o.created_at`;

/**
 * Returns one organisation within a scope, or null. This is the check whether an organisation belongs to the
 * caller.
 */
export async function findOrganization(db: Db, scope: string, id: number): Promise<OrganizationRow | null> {
  const { rows } = await db.query<OrganizationRow>(
    `select ${COLUMNS} from organization o where o.id = $1 and o.path like $2 || '%'`,
    [id, scope],
  );
  return rows[0] ?? null;
}

/** Returns the path of an organisation within the scope, else null. */
export async function findOrganizationPath(db: Db, scope: string, id: number): Promise<string | null> {
  const { rows } = await db.query<{ path: string }>(
    `select path from organization where id = $2 and path like $1 || '%'`,
    [scope, id],
  );
  return rows[0]?.path ?? null;
}

/** Returns organisations of the scope with these codes. */
export async function findOrganizationsByCode(
  db: Db,
  scope: string,
  codes: readonly string[],
): Promise<{ id: number; code: string; name: string; path: string }[]> {
  const { rows } = await db.query<{ id: number; code: string; name: string; path: string }>(
    `select id, code, name, path from organization where path like $1 || '%' and code = any($2)`,
    [scope, codes],
  );
  return rows;
}

/** Returns the code of the topmost organisation in the scope, used as an example in templates. */
export async function findTopCode(db: Db, scope: string): Promise<string> {
  const { rows } = await db.query<{ code: string }>(
    `select code from organization where path like $1 || '%' order by length(path), id limit 1`,
    [scope],
  );
  return rows[0]?.code ?? '';
}

export interface NodeRow {
  id: number;
  parent_id: number | null;
  code: string;
  name: string;
  level: OrganizationLevel;
}

/** Lists organisations, parents before children, siblings by name. */
export async function listNodes(db: Db, scope: string): Promise<NodeRow[]> {
  const { rows } = await db.query<NodeRow>({
    name: 'list-organization-nodes',
    text: `select o.id, o.parent_id, o.code, o.name, o.level from organization o
            where o.path like $1 || '%' order by length(o.path) - length(replace(o.path, '/', '')), o.name, o.id`,
    values: [scope],
  });
  return rows;
}

export async function listAncestors(
  db: Db,
  scope: string,
  path: string,
): Promise<{ id: number; name: string }[]> {
  const { rows } = await db.query<{ id: number; name: string }>(
    `select o.id, o.name from organization o
      where $2 like o.path || '%' and o.path like $1 || '%' and o.path <> $2 order by length(o.path)`,
    [scope, path],
  );
  return rows;
}

export interface HoldingsRow {
  organizations: number;
  users: number;
  devices: number;
  assets: number;
}

/** Counts the contents of an organisation and of those below it; the organisation itself is not counted. */
export async function countHoldings(db: Db, path: string): Promise<HoldingsRow> {
  const { rows } = await db.query<HoldingsRow>(
    `with subtree as (select id from organization where path like $1 || '%')
     select (select count(*) from subtree) - 1 as organizations,
            (select count(*) from account where organization_id in (select id from subtree)) as users,
            (select count(*) from device where organization_id in (select id from subtree)) as devices,
            (select count(*) from asset where organization_id in (select id from subtree)) as assets`,
    [path],
  );
  return rows[0] as HoldingsRow;
}

/** Tables whose records `countHoldings` counts. */
export const HOLDINGS: readonly string[] = ['organization', 'account', 'device', 'asset'];

/**
 * Other tables with records that prevent the deletion of their organisation, because they must not be lost, and which of
 * their records do so. Foreign keys of all others delete their records with the organisation, or forget it.
 */
export const KEPT_RECORDS: Readonly<Record<string, string>> = {
  role: 'organization_id = $1',
  machine_authorization: 'organization_id = $1 and revoked_at is null',
  registration: `parent_organization_id = $1 and state = 'pending'`,
  registration_setting: 'parent_organization_id = $1',
  payload_mapping: 'organization_id = $1',
  command_batch: 'organization_id = $1',
  firmware: 'organization_id = $1',
  firmware_key: 'organization_id = $1',
  firmware_rollout: 'organization_id = $1',
  asset_group: 'organization_id = $1',
  floor_plan: 'organization_id = $1',
  webcam: 'organization_id = $1',
  webcam_account: 'organization_id = $1',
  verifier_unit: 'organization_id = $1',
  waybill: 'organization_id = $1',
  product_profile: 'organization_id = $1',
  waybill_client: 'organization_id = $1',
  geofence: 'organization_id = $1 and deleted_at is null',
  holiday: 'organization_id = $1',
  alarm_policy: 'organization_id = $1',
  alarm_receiver: 'organization_id = $1',
  alarm_recipient_group: 'organization_id = $1',
  alarm_escalation_plan: 'organization_id = $1',
  alarm_on_call_schedule: 'organization_id = $1',
  alarm_suppression: 'organization_id = $1',
  alarm_handover: 'organization_id = $1',
  alarm_test: 'organization_id = $1',
  alarm_test_schedule: 'organization_id = $1',
  alertor: 'organization_id = $1',
  message_template: 'organization_id = $1',
  // An account without entries was never used.
  billing_account: `organization_id = $1
    and exists (select from ledger_entry e where e.from_id = billing_account.id or e.to_id = billing_account.id)`,
  recharge_order: 'organization_id = $1',
  recharge_grant: 'organization_id = $1',
  invoice: 'organization_id = $1',
  announcement: `organization_id = $1 and state <> 'draft'`,
};

const COUNTS = Object.entries(KEPT_RECORDS).map(
  ([table, condition]) => `(select count(*) from ${table} where ${condition})`,
);

/** Counts other records that prevent deletion, such as roles, keys, orders and alarm policies. */
export async function countOthers(db: Db, id: number): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select ${COUNTS.join(' + ')} as count`, [id]);
  return (rows[0] as { count: number }).count;
}

export interface OrganizationFields {
  code: string;
  name: string;
  level: OrganizationLevel;
  location: string;
  latitude: number | null;
  longitude: number | null;
  description: string;
  timeZone: string;
  signatureFromLevel?: SignatureLevel | null | undefined;
}

export async function insertOrganization(
  tx: Tx,
  parent: { id: number; path: string },
  fields: OrganizationFields,
): Promise<OrganizationRow> {
  const { rows } = await tx.query<OrganizationRow>(
    `with made as (select nextval(pg_get_serial_sequence('organization', 'id')) as id)
     insert into organization as o (id, parent_id, path, code, name, level, location, latitude, longitude, description, time_zone,
                              signature_from_level)
       overriding system value
     select made.id, $1, $2 || made.id || '/', $3, $4, $5, $6, $7, $8, $9, $10, $11 from made
     returning ${COLUMNS}`,
    [parent.id, parent.path, ...fieldValues(fields)],
  );
  return rows[0] as OrganizationRow;
}

function fieldValues(fields: OrganizationFields): unknown[] {
  return [
    fields.code,
    fields.name,
    fields.level,
    fields.location,
    fields.latitude,
    fields.longitude,
    fields.description,
    fields.timeZone,
    fields.signatureFromLevel ?? null,
  ];
}

export async function updateOrganization(
  tx: Tx,
  id: number,
  fields: OrganizationFields,
): Promise<OrganizationRow> {
  const { rows } = await tx.query<OrganizationRow>(
    `update organization o set code = $2, name = $3, level = $4, location = $5, latitude = $6, longitude = $7,
            description = $8, time_zone = $9, signature_from_level = $10
      where id = $1 returning ${COLUMNS}`,
    [id, ...fieldValues(fields)],
  );
  return rows[0] as OrganizationRow;
}

/** Lists the levels of the direct children of an organisation. */
export async function listChildLevels(db: Db, id: number): Promise<OrganizationLevel[]> {
  const { rows } = await db.query<{ level: OrganizationLevel }>(
    'select distinct level from organization where parent_id = $1',
    [id],
  );
  return rows.map((row) => row.level);
}

/** Locks the tree to serialise its changes, because two crossing moves could create a cycle. */
export async function lockTree(tx: Tx): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.organizations]);
}

/** Moves the subtree at `path` below a parent. */
export async function moveSubtree(
  tx: Tx,
  id: number,
  path: string,
  parent: { id: number; path: string },
): Promise<void> {
  await tx.query('update organization set parent_id = $2 where id = $1', [id, parent.id]);
  await tx.query(
    `update organization set path = $2 || $3 || '/' || substr(path, length($1) + 1) where path like $1 || '%'`,
    [path, parent.path, String(id)],
  );
}

export async function deleteOrganizationRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from organization where id = $1', [id]);
}
