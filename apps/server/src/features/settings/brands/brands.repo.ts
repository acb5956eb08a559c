import type { Brand, brandInput } from '@isotherm/contracts/brands';
import type { z } from 'zod';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export type BrandFields = z.output<typeof brandInput>;
export type LogoPlace = 'login' | 'menu';

type BrandRow = Omit<Brand, 'updatedAt'> & { updatedAt: Date };

const SELECT = `select id, environment, host, title, collapsed_title as "collapsedTitle", page_title as "pageTitle",
       copyright_entity as "copyrightEntity", filing, show_app_download as "showAppDownload",
       app_download_url as "appDownloadUrl", wechat_account as "wechatAccount", support_note as "supportNote",
       login_logo as "loginLogo", menu_logo as "menuLogo", fallback, updated_at as "updatedAt"
  from brand`;

function brandOf(row: BrandRow): Brand {
  return { ...row, updatedAt: row.updatedAt.toISOString() };
}

export async function listBrandRows(db: Db): Promise<Brand[]> {
  const { rows } = await db.query<BrandRow>({
    name: 'brands',
    text: `${SELECT} order by fallback desc, environment nulls first, host nulls first`,
  });
  return rows.map(brandOf);
}

export async function findBrand(db: Db, id: number): Promise<Brand | null> {
  const { rows } = await db.query<BrandRow>(`${SELECT} where id = $1`, [id]);
  return rows[0] ? brandOf(rows[0]) : null;
}

function valuesOf(fields: BrandFields): unknown[] {
  return [
    fields.environment,
    fields.host,
    fields.title,
    fields.collapsedTitle,
    fields.pageTitle,
    fields.copyrightEntity,
    fields.filing,
    fields.showAppDownload,
    fields.appDownloadUrl,
    fields.wechatAccount,
    fields.supportNote,
  ];
}

export async function insertBrand(tx: Tx, fields: BrandFields, now: Date, fallback = false): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into brand (environment, host, title, collapsed_title, page_title, copyright_entity, filing,
            show_app_download, app_download_url, wechat_account, support_note, updated_at, fallback)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) returning id`,
    [...valuesOf(fields), now, fallback],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateBrand(tx: Tx, id: number, fields: BrandFields, now: Date): Promise<void> {
  await tx.query(
    `update brand set environment = $1, host = $2, title = $3, collapsed_title = $4, page_title = $5,
            copyright_entity = $6, filing = $7, show_app_download = $8, app_download_url = $9, wechat_account = $10,
            support_note = $11, updated_at = $12
      where id = $13`,
    [...valuesOf(fields), now, id],
  );
}

export async function setLogo(tx: Tx, id: number, place: LogoPlace, url: string, now: Date): Promise<void> {
  const column = place === 'login' ? 'login_logo' : 'menu_logo';
  await tx.query(`update brand set ${column} = $2, updated_at = $3 where id = $1`, [id, url, now]);
}

export async function deleteBrandRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from brand where id = $1', [id]);
}
