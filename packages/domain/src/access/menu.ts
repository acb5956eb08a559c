import { PAGES, type PageEntry, type PageGroup } from './pages.ts';

/** The component of a group: the frame that its pages are shown in. */
const GROUP_COMPONENT = '/layout';

/**
 * An entry of the menu, as every installation begins with it. Each start puts missing ones into the `menu` table; the
 * server sends each user the part of that table which the user may open (`GET /menu/routerinfo`), and the console has no
 * list of its own.
 */
export interface MenuPage {
  name: string;
  path: string;
  component: string;
  icon: string;
  /** A page with `null` is open to everybody who is signed in. */
  permission: string | null;
  hidden: boolean;
  affix: boolean;
  sandboxOnly: boolean;
  children: readonly MenuPage[];
}

const GROUPS: readonly PageGroup[] = PAGES;

/** The groups of the catalogue with their pages below them. */
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
    icon: '',
    permission: owner === undefined ? null : `${owner}:view`,
    hidden: page.hidden ?? false,
    affix: page.affix ?? false,
    sandboxOnly: page.sandboxOnly ?? false,
    children: [],
  };
}
