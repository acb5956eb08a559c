import type { StoredPacket } from '@isotherm/contracts/packets';
import { containing } from '../../../platform/db/like.ts';
import type { Db } from '../../../platform/db/pool.ts';

type Row = Omit<StoredPacket, 'receivedAt'> & { receivedAt: Date };

const COLUMNS = `m.id::float8 as id, m.received_at as "receivedAt", m.gateway, m.device_number as "deviceNumber",
       o.name as "organizationName", m.address, m.code, m.payload_bytes as bytes`;
/** SQL that joins the organisation that the device had at the time of receipt. */
const FROM = `from rejected_message m join organization o on o.id = m.organization_id`;

const stored = (row: Row): StoredPacket => ({ ...row, receivedAt: row.receivedAt.toISOString() });

export interface PacketFilter {
  scope: string;
  search: string;
  gateway: string | null;
}

function conditions({ scope, search, gateway }: PacketFilter): { where: string; values: unknown[] } {
  return {
    where: `m.format = 'packet' and o.path like $1 || '%'
        and ($2::text is null or m.gateway = $2)
        and ($3 = '' or lower(m.device_number || ' ' || m.address || ' ' || m.code) like lower($4))`,
    values: [scope, gateway, search, containing(search)],
  };
}

export async function listPacketRows(
  db: Db,
  filter: PacketFilter,
  order: 'asc' | 'desc',
  limit: number,
  offset: number,
): Promise<StoredPacket[]> {
  const { where, values } = conditions(filter);
  const { rows } = await db.query<Row>(
    `select ${COLUMNS} ${FROM} where ${where} order by m.id ${order} limit ${limit} offset ${offset}`,
    values,
  );
  return rows.map(stored);
}

export async function countPackets(db: Db, filter: PacketFilter): Promise<number> {
  const { where, values } = conditions(filter);
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::float8 as count ${FROM} where ${where}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

export async function findPacket(
  db: Db,
  scope: string,
  id: number,
): Promise<{ stored: StoredPacket; payload: Buffer } | null> {
  const { rows } = await db.query<Row & { payload: Buffer }>(
    `select ${COLUMNS}, m.payload ${FROM} where m.id = $1 and m.format = 'packet' and o.path like $2 || '%'`,
    [id, scope],
  );
  if (!rows[0]) return null;
  const { payload, ...row } = rows[0];
  return { stored: stored(row), payload };
}

export async function isInScope(db: Db, scope: string, organizationId: number): Promise<boolean> {
  const { rows } = await db.query(`select from organization where id = $1 and path like $2 || '%'`, [
    organizationId,
    scope,
  ]);
  return rows.length > 0;
}
