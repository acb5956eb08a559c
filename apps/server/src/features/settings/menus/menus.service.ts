import { AppError, invalidField } from '@isotherm/contracts/errors';
import type { Menu, menuInput } from '@isotherm/contracts/menus';
import type { RouteObject } from '@isotherm/contracts/settings';
import { isExternalLink } from '@isotherm/domain/access/links';
import { MENU, type MenuPage } from '@isotherm/domain/access/menu';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { arrange } from './arrange.ts';
import {
  deleteMenuRow,
  dropPagesBeside,
  ensurePages,
  insertMenu,
  listMenuRows,
  lockMenu,
  type MenuRow,
  placeMenus,
  type SeedPage,
  updateMenu,
} from './menus.repo.ts';
import { routesFor } from './router-info.ts';

type MenuForm = z.output<typeof menuInput>;

const LINK_COMPONENT = '/link';

export interface MenusService {
  list(): Promise<Menu[]>;
  create(caller: Caller, form: MenuForm): Promise<Menu>;
  edit(caller: Caller, id: number, form: MenuForm): Promise<Menu>;
  move(caller: Caller, id: number, parentId: number | null, position: number): Promise<Menu[]>;
  remove(caller: Caller, id: number): Promise<null>;
  routes(caller: Caller, withHidden: boolean): Promise<RouteObject[]>;
}

/** Creates the service for menus. `withdraw` removes the permissions of a deleted page from all roles. */
export function createMenusService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  isTrial: boolean,
  withdraw: (tx: Tx, menuId: number) => Promise<void>,
): MenusService {
  async function find(db: Db, id: number): Promise<MenuRow> {
    const row = (await listMenuRows(db)).find((candidate) => candidate.id === id);
    if (!row) throw new AppError('menu.not_found');
    return row;
  }

  async function changing<T>(name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await transaction(pool, async (tx) => {
        await lockMenu(tx);
        return work(tx);
      });
    } catch (error) {
      if (isDuplicate(error, 'menu_name_key'))
        throw new AppError('menu.name_taken', { name }, { cause: error });
      throw error;
    }
  }

  /** Moves an entry within the transaction; throws `menu.circle`, `menu.not_found`. */
  async function place(tx: Tx, id: number, parentId: number | null, position: number): Promise<void> {
    const rows = await listMenuRows(tx);
    if (parentId !== null && !rows.some((row) => row.id === parentId)) throw new AppError('menu.not_found');
    const places = arrange(rows, id, parentId, position);
    if (places === null) throw new AppError('menu.circle');
    await placeMenus(tx, places);
  }

  return {
    list: async () => inOrder(await listMenuRows(pool)).map(shown),
    /** Throws `menu.name_taken|not_found`. */
    create: (caller, asked) => {
      const form = entryOf(asked);
      return changing(form.name, async (tx) => {
        const rows = await listMenuRows(tx);
        if (form.parentId !== null && !rows.some((row) => row.id === form.parentId))
          throw new AppError('menu.not_found');
        const position = rows.filter((row) => row.parentId === form.parentId).length;
        const row = await find(tx, await insertMenu(tx, form, position));
        await audit.record(tx, caller, { action: 'create', ...objectOf(row, caller), after: shown(row) });
        return shown(row);
      });
    },
    /** Throws `menu.not_found|system|circle|name_taken`. */
    edit: (caller, id, asked) =>
      changing(asked.name, async (tx) => {
        const before = await find(tx, id);
        const form = before.system ? asked : entryOf(asked);
        const isFixed = (['name', 'path', 'redirect', 'component', 'parentId'] as const).some(
          (field) => before[field] !== form[field],
        );
        if (before.system && isFixed) throw new AppError('menu.system');
        await updateMenu(tx, id, form);
        if (form.parentId !== before.parentId) await place(tx, id, form.parentId, Number.MAX_SAFE_INTEGER);
        const row = await find(tx, id);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(row, caller),
          before: shown(before),
          after: shown(row),
        });
        return shown(row);
      }),
    /** Throws `menu.not_found|circle`. */
    move: (caller, id, parentId, position) =>
      changing('', async (tx) => {
        const before = await find(tx, id);
        await place(tx, id, parentId, position);
        const rows = await listMenuRows(tx);
        const row = rows.find((candidate) => candidate.id === id) as MenuRow;
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(row, caller),
          before: { parentId: before.parentId, position: before.position },
          after: { parentId: row.parentId, position: row.position },
        });
        return inOrder(rows).map(shown);
      }),
    /** Throws `menu.not_found|system|has_children`. */
    remove: (caller, id) =>
      changing('', async (tx) => {
        const row = await find(tx, id);
        if (row.system) throw new AppError('menu.system');
        if ((await listMenuRows(tx)).some((child) => child.parentId === id))
          throw new AppError('menu.has_children');
        await withdraw(tx, id);
        await deleteMenuRow(tx, id);
        await audit.record(tx, caller, { action: 'delete', ...objectOf(row, caller), before: shown(row) });
        return null;
      }),
    routes: async (caller, withHidden) =>
      routesFor(await listMenuRows(pool), { permissions: caller.permissions, isTrial, withHidden }),
  };
}

/** Adds missing pages of the catalogue; called at every start. */
export async function seedMenus(tx: Tx): Promise<void> {
  await lockMenu(tx);
  const names: string[] = [];
  for (let level = pagesBelow(null, MENU); level.length > 0; level = level.flatMap(childrenOf)) {
    await ensurePages(tx, level.map(seedOf));
    names.push(...level.map(({ page }) => page.name));
  }
  await dropPagesBeside(tx, names);
}

/**
 * Normalises an operator's own entry, which must have a title; an external address makes it a link, whatever
 * its component.
 */
function entryOf(form: MenuForm): MenuForm {
  if (!Object.values(form.titles).some((title) => title)) throw invalidField('titles', 'required');
  return isExternalLink(form.path) ? { ...form, component: LINK_COMPONENT } : form;
}

/** A page of the catalogue with the name of the page above it. */
interface PlacedPage {
  parent: string | null;
  page: MenuPage;
}

const pagesBelow = (parent: string | null, pages: readonly MenuPage[]): PlacedPage[] =>
  pages.map((page) => ({ parent, page }));

const childrenOf = ({ page }: PlacedPage) => pagesBelow(page.name, page.children);

const seedOf = ({ parent, page }: PlacedPage): SeedPage => ({
  parent,
  name: page.name,
  path: page.path,
  component: page.component,
  icon: page.icon,
  permission: page.permission,
  affix: page.affix,
  hidden: page.hidden,
  noCache: false,
  sandboxOnly: page.sandboxOnly,
});

/** Returns entries with parents before children. */
function inOrder(rows: readonly MenuRow[], parentId: number | null = null): MenuRow[] {
  return rows.filter((row) => row.parentId === parentId).flatMap((row) => [row, ...inOrder(rows, row.id)]);
}

function shown({ permission, sandboxOnly, ...row }: MenuRow): Menu {
  return row;
}

function objectOf(row: MenuRow, caller: Caller) {
  return {
    objectKind: 'menu',
    objectId: row.id,
    objectName: row.titles.en ?? row.name,
    organizationPath: caller.scope,
  };
}
