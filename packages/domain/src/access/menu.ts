import { PAGES, type PageEntry, type PageGroup } from './pages.ts';

/** Component of a group: the frame that contains its pages. */
const GROUP_COMPONENT = '/layout';

/**
 * An initial menu entry. Each start adds missing entries to the `menu` table; the server sends each user the
 * permitted part of that table (`GET /menu/routerinfo`), and the console has no list of its own.
 */
export interface MenuPage {
  name: string;
  path: string;
  component: string;
  icon: string;
  /** `null`: open to every signed-in user. */
  permission: string | null;
  hidden: boolean;
  affix: boolean;
  sandboxOnly: boolean;
  children: readonly MenuPage[];
}

const GROUPS: readonly PageGroup[] = PAGES;

/** Groups of the catalogue with their pages. */
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
