import type { Titles } from '@isotherm/contracts/menus';
import { LOCK_KEYS } from '../../../platform/db/lock-keys.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface MenuRow {
  id: number;
  parentId: number | null;
  name: string;
  titles: Titles;
  path: string;
  redirect: string;
  component: string;
  icon: string;
  permission: string | null;
  affix: boolean;
  breadcrumb: boolean;
  hidden: boolean;
  noCache: boolean;
  system: boolean;
  sandboxOnly: boolean;
  position: number;
  operations: number;
}

/** SQL for menu entries. A page that an operator added requires its own `view` operation, if it has one. */
const SELECT = `select m.id, m.parent_id as "parentId", m.name, m.titles, m.path, m.redirect, m.component, m.icon,
       coalesce(m.permission, (select o.code from operation o where o.menu_id = m.id and o.code = m.name || ':view'))
         as permission,
       m.affix, m.breadcrumb, m.hidden, m.no_cache as "noCache", m.system, m.sandbox_only as "sandboxOnly", m.position,
       (select count(*) from operation o where o.menu_id = m.id) as operations
  from menu m`;

/**
 * Locks the menu, so that changes are made one at a time: positions and parents are consistent only
 * together.
 */
export async function lockMenu(tx: Tx): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.menus]);
}

/** Lists menu entries with siblings in their order; the service puts parents first. */
export async function listMenuRows(db: Db): Promise<MenuRow[]> {
  const { rows } = await db.query<MenuRow>({
    name: 'menu-rows',
    text: `${SELECT} order by m.position, m.id`,
  });
  return rows;
}

export type MenuFields = Pick<
  MenuRow,
  | 'parentId'
  | 'name'
  | 'titles'
  | 'path'
  | 'redirect'
  | 'component'
  | 'icon'
  | 'affix'
  | 'breadcrumb'
  | 'hidden'
  | 'noCache'
>;

export async function insertMenu(tx: Tx, fields: MenuFields, position: number): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into menu (parent_id, name, titles, path, redirect, component, icon, affix, breadcrumb, hidden, no_cache, position)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id`,
    [
      fields.parentId,
      fields.name,
      JSON.stringify(fields.titles),
      fields.path,
      fields.redirect,
      fields.component,
      fields.icon,
      fields.affix,
      fields.breadcrumb,
      fields.hidden,
      fields.noCache,
      position,
    ],
  );
  return (rows[0] as { id: number }).id;
}

export async function updateMenu(tx: Tx, id: number, fields: MenuFields): Promise<void> {
  await tx.query(
    `update menu set name = $2, titles = $3, path = $4, redirect = $5, component = $6, icon = $7, affix = $8,
            breadcrumb = $9, hidden = $10, no_cache = $11
      where id = $1`,
    [
      id,
      fields.name,
      JSON.stringify(fields.titles),
      fields.path,
      fields.redirect,
      fields.component,
      fields.icon,
      fields.affix,
      fields.breadcrumb,
      fields.hidden,
      fields.noCache,
    ],
  );
}

export async function placeMenus(
  tx: Tx,
  places: readonly { id: number; parentId: number | null; position: number }[],
): Promise<void> {
  await tx.query(
    `update menu m set parent_id = p.parent_id, position = p.position
       from unnest($1::bigint[], $2::bigint[], $3::int[]) as p(id, parent_id, position) where m.id = p.id`,
    [places.map((p) => p.id), places.map((p) => p.parentId), places.map((p) => p.position)],
  );
}

export async function deleteMenuRow(tx: Tx, id: number): Promise<void> {
  await tx.query('delete from menu where id = $1', [id]);
}

export interface SeedPage {
  parent: string | null;
  name: string;
  path: string;
  component: string;
  icon: string;
  permission: string | null;
  affix: boolean;
  hidden: boolean;
  noCache: boolean;
  sandboxOnly: boolean;
}

/**
 * Adds pages of one level of the catalogue after their siblings, in their order; the level above must exist. An existing
 * page keeps what an operator may change (titles, position, icon, hidden, affix); address, component and permission
 * follow the catalogue.
 */
export async function ensurePages(tx: Tx, pages: readonly SeedPage[]): Promise<void> {
  await tx.query(
    `with input as (
       select * from jsonb_to_recordset($1::jsonb) as i(parent text, name text, path text, component text, icon text,
              permission text, affix boolean, hidden boolean, "noCache" boolean, "sandboxOnly" boolean, place integer)
     )
     insert into menu (parent_id, name, path, component, icon, permission, affix, hidden, no_cache, sandbox_only, system,
            position)
     select p.id, i.name, i.path, i.component, i.icon, i.permission, i.affix, i.hidden, i."noCache", i."sandboxOnly", true,
            (select coalesce(max(s.position) + 1, 0) from menu s where s.parent_id is not distinct from p.id)
              + row_number() over (partition by i.parent, m.id is null order by i.place) - 1
       from input i left join menu p on p.name = i.parent left join menu m on m.name = i.name
     on conflict (name) do update
        set path = excluded.path, component = excluded.component, permission = excluded.permission,
            sandbox_only = excluded.sandbox_only, system = true
      where (menu.path, menu.component, menu.permission, menu.sandbox_only, menu.system)
            is distinct from (excluded.path, excluded.component, excluded.permission, excluded.sandbox_only, true)`,
    [JSON.stringify(pages.map((page, place) => ({ ...page, place })))],
  );
}

/**
 * Deletes system pages that are no longer in the catalogue; entries that an operator placed below them move
 * to the top.
 */
export async function dropPagesBeside(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.query(
    `update menu set parent_id = null where parent_id in (select id from menu where system and name <> all($1))`,
    [names],
  );
  await tx.query('delete from menu where system and name <> all($1)', [names]);
}
