import { PAGES, type PageEntry, type PageGroup } from './pages.ts';

/** Component of a group: the layout that contains its pages. */
const GROUP_COMPONENT = '/layout';

/**
 * An initial menu entry. Each start of the server adds missing entries to the `menu` table. The server sends
 * each user the entries of that table that they may see (`GET /menu/routerinfo`); the console has no list of
 * its own.
 */
export interface MenuPage {
  name: string;
  path: string;
  component: string;
  icon: string;
  /** Required permission; `null` opens the page to every signed-in user. */
  permission: string | null;
  hidden: boolean;
  affix: boolean;
  sandboxOnly: boolean;
  children: readonly MenuPage[];
}

const GROUPS: readonly PageGroup[] = PAGES;

/** The groups of the catalogue with their pages. */
export const MENU: readonly MenuPage[] = GROUPS.map(({ name, path, icon, pages }) => ({
  name,
  path,
  component: GROUP_COMPONENT,
  icon,
  permission: null,
  hidden: false,
  affix: false,
  sandboxOnly: false,
  children: pages.map(entryOf),
}));

function entryOf(page: PageEntry): MenuPage {
  const owner = page.actions ? page.name : page.sharesActionsOf;
  return {
    name: page.name,
    path: page.path,
    component: page.component ?? `/${page.path}`,
    icon: page.icon ?? '',
    permission: owner === undefined ? null : `${owner}:view`,
    hidden: page.hidden ?? false,
    affix: page.affix ?? false,
    sandboxOnly: page.sandboxOnly ?? false,
    children: [],
  };
}
