import type { PayloadMapping } from '@isotherm/contracts/payload-mappings';
import type { Mapping } from '@isotherm/domain/readings/payload-mapping';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface MappingRow {
  id: number;
  organization_id: number;
  organization_name: string;
  organization_path: string;
  device_model: string;
  entries: PayloadMapping['entries'];
  list: PayloadMapping['list'];
  devices: number;
  changed_by: string;
  changed_at: Date;
}

const COLUMNS = `m.id, m.organization_id, o.name as organization_name, o.path as organization_path, m.device_model,
       m.entries, m.list, m.changed_by, m.changed_at,
       (select count(*) from device d join organization w on w.id = d.organization_id
         where d.deleted_at is null and w.path like o.path || '%' and (d.model = m.device_model or m.device_model = ''))::int as devices`;
const FROM = 'from payload_mapping m join organization o on o.id = m.organization_id';

const SORT = {
  deviceModel: 'lower(m.device_model)',
  organizationName: 'lower(o.name)',
  changedAt: 'm.changed_at',
} as const;

export async function listMappingRows(
  db: Db,
  scope: string,
  search: string,
  order: { sort: keyof typeof SORT; order: 'asc' | 'desc'; limit: number; offset: number },
): Promise<{ rows: MappingRow[]; total: number }> {
  const where = `where o.path like $1 || '%'
      and ($2 = '' or position(lower($2) in lower(m.device_model)) > 0 or position(lower($2) in lower(o.name)) > 0)`;
  const [page, count] = await Promise.all([
    db.query<MappingRow>(
      `select ${COLUMNS} ${FROM} ${where}
        order by ${SORT[order.sort]} ${order.order}, m.id ${order.order} limit $3 offset $4`,
      [scope, search, order.limit, order.offset],
    ),
    db.query<{ count: number }>(`select count(*) as count ${FROM} ${where}`, [scope, search]),
  ]);
  return { rows: page.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findMapping(db: Db, scope: string, id: number): Promise<MappingRow | null> {
  const { rows } = await db.query<MappingRow>(
    `select ${COLUMNS} ${FROM} where o.path like $1 || '%' and m.id = $2`,
    [scope, id],
  );
  return rows[0] ?? null;
}

export async function insertMapping(
  tx: Tx,
  row: Mapping & { organizationId: number; deviceModel: string; changedBy: string; changedAt: Date },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into payload_mapping (organization_id, device_model, entries, list, changed_by, changed_at)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    [row.organizationId, ...valuesOf(row)],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateMapping(
  tx: Tx,
  id: number,
  row: Mapping & { deviceModel: string; changedBy: string; changedAt: Date },
): Promise<void> {
  await tx.query(
    `update payload_mapping set device_model = $2, entries = $3, list = $4, changed_by = $5, changed_at = $6
      where id = $1`,
    [id, ...valuesOf(row)],
  );
}

const valuesOf = (row: Mapping & { deviceModel: string; changedBy: string; changedAt: Date }) => [
  row.deviceModel,
  JSON.stringify(row.entries),
  row.list && JSON.stringify(row.list),
  row.changedBy,
  row.changedAt,
];

export async function deleteMappingRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from payload_mapping where id = $1', [id]);
}

/** The payload mapping that applies to a device. */
export interface EffectiveMapping extends Mapping {
  id: number;
  deviceModel: string;
  organizationPath: string;
}

/**
 * Finds the payload mappings of these devices: one for the model has priority over one for all models, and
 * the nearest organisation's over a superior's. Returns a look-up function.
 */
export async function findMappingsFor(
  db: Db,
  devices: readonly MappedDevice[],
): Promise<(device: MappedDevice) => EffectiveMapping | null> {
  if (devices.length === 0) return () => null;
  const keyOf = ({ organization_id, model }: MappedDevice) => `${organization_id} ${model}`;
  const wanted = new Map(devices.map((device) => [keyOf(device), device]));
  const { rows } = await db.query<MappedDevice & EffectiveMapping>({
    name: 'find-mappings',
    text: `select w.organization_id, w.model, m.*
             from unnest($1::bigint[], $2::text[]) as w(organization_id, model)
             join organization own on own.id = w.organization_id
             cross join lateral (
               select m.id, m.device_model as "deviceModel", o.path as "organizationPath", m.entries, m.list
                 from payload_mapping m join organization o on o.id = m.organization_id
                where own.path like o.path || '%' and m.device_model in (w.model, '')
                order by (m.device_model = w.model) desc, length(o.path) desc limit 1) m`,
    values: [
      [...wanted.values()].map((device) => device.organization_id),
      [...wanted.values()].map((device) => device.model),
    ],
  });
  const found = new Map(rows.map((row) => [keyOf(row), row]));
  return (device) => found.get(keyOf(device)) ?? null;
}

interface MappedDevice {
  organization_id: number;
  model: string;
}
