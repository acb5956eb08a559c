import type { Db } from '../../../platform/db/pool.ts';

export interface ArchiveDevice {
  id: number;
  number: string;
  name: string;
  channelIds: number[];
}

/**
 * Returns devices of an organisation and below it with their channels, retired ones among them, in order of numbers; null
 * means all devices. Deleted ones that can be restored are among them on request.
 */
export async function listArchiveDevices(
  db: Db,
  path: string,
  ids: readonly number[] | null,
  most: number,
  { deleted = false } = {},
): Promise<ArchiveDevice[]> {
  const { rows } = await db.query<ArchiveDevice>(
    `select d.id::float8 as id, d.number, d.name,
            array(select c.id from channel c where c.device_id = d.id order by c.id) as "channelIds"
       from device d join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and ($2::bigint[] is null or d.id = any($2))
        and ($4 or d.deleted_at is null) and d.removed_at is null
      order by d.number, d.id limit $3`,
    [path, ids, most, deleted],
  );
  return rows;
}
