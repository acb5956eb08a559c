import type { Db } from '../db/pool.ts';
import type { EncodedImage, ImageUse } from './encode.ts';

export async function insertImage(
  db: Db,
  image: EncodedImage & {
    id: string;
    use: ImageUse;
    organizationId: number | null;
    createdBy: number | null;
    createdAt: Date;
  },
): Promise<void> {
  await db.query(
    `insert into stored_image (id, use, media_type, bytes, width, height, organization_id, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      image.id,
      image.use,
      image.mediaType,
      image.bytes,
      image.width,
      image.height,
      image.organizationId,
      image.createdBy,
      image.createdAt,
    ],
  );
}

export async function findImage(db: Db, id: string): Promise<{ mediaType: string; bytes: Buffer } | null> {
  const { rows } = await db.query<{ mediaType: string; bytes: Buffer }>({
    name: 'find-image',
    text: 'select media_type as "mediaType", bytes from stored_image where id = $1',
    values: [id],
  });
  return rows[0] ?? null;
}

/**
 * Deletes images that were uploaded before a moment and are not used. Returns the number of deleted images.
 */
export async function deleteOrphans(db: Db, before: Date): Promise<number> {
  const { rowCount } = await db.query(
    `delete from stored_image i
      where i.created_at < $1
        and not exists (select 1 from account a where a.avatar = '/files/images/' || i.id)
        and not exists (select 1 from print_head h where h.logo = '/files/images/' || i.id)
        and not exists (select 1 from brand b
                         where '/files/images/' || i.id in (b.login_logo, b.menu_logo))`,
    [before],
  );
  return rowCount ?? 0;
}
