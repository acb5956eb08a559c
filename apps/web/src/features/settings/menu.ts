import type { RouteObject } from '@isotherm/contracts/settings';
import { isExternalLink } from '@isotherm/domain/access/links';
import { type Catalogue, LANGUAGES, type Language } from '@isotherm/i18n/languages';
import { textId } from '@isotherm/i18n/text-id';
import type { Text } from '../../shared/i18n/use-text.ts';

/**
 * Returns the title that an operator has set, otherwise the title from the catalogue, otherwise the entry's
 * name.
 */
export function menuTitle(route: RouteObject, text: Text, language: Language): string {
  const written = route.meta.titles?.[language];
  if (written) return written;
  const title = text(textId(route.meta.title));
  return title === route.meta.title ? route.name : title;
}

/** Returns the titles of an entry in all languages, for the search. */
export function titlesOf(route: RouteObject, catalogues: Record<Language, Catalogue>): string[] {
  return LANGUAGES.flatMap(
    (language) => route.meta.titles?.[language] || catalogues[language][route.meta.title] || [],
  );
}

export interface MenuPage {
  route: RouteObject;
  /** Groups that contain the page, outermost first. */
  groups: RouteObject[];
  /** Path with a leading slash, or the address of an external link. */
  path: string;
  /** True if the entry or a group that contains it is hidden. */
  hidden: boolean;
}

/** Returns the target of an entry: a path with a leading slash, or an external address. */
export function targetOf(route: Pick<RouteObject, 'path'>): string {
  return isExternalLink(route.path) ? route.path : `/${route.path}`;
}

/** Returns all pages of the menu with their groups. */
export function menuPages(
  routes: readonly RouteObject[],
  groups: RouteObject[] = [],
  hidden = false,
): MenuPage[] {
  return routes.flatMap((route) =>
    route.children
      ? menuPages(route.children, [...groups, route], hidden || route.hidden)
      : [{ route, groups, path: targetOf(route), hidden: hidden || route.hidden }],
  );
}

/** Returns the menu entries that the sidebar shows. */
export function visibleMenu(routes: readonly RouteObject[]): RouteObject[] {
  return routes
    .filter((route) => !route.hidden)
    .map((route) => (route.children ? { ...route, children: visibleMenu(route.children) } : route))
    .filter((route) => route.children === undefined || route.children.length > 0);
}

/**
 * Returns true for a page that can be opened directly: not an external link, and without a parameter in its
 * path.
 */
export function isSearchable({ route, hidden }: MenuPage): boolean {
  return !hidden && !isExternalLink(route.path) && !route.path.includes(':');
}

/**
 * Returns the pages that can be opened directly, in the order in which they are offered: for somebody who sees only own trips,
 * a driver, the trips come first.
 */
export function offeredPages(routes: readonly RouteObject[]): MenuPage[] {
  const pages = menuPages(routes).filter(isSearchable);
  const isNamed = (name: string) => (page: MenuPage) => page.route.name === name;
  const trips = pages.find(isNamed('waybill-trips'));
  return trips && !pages.some(isNamed('waybill-list'))
    ? [trips, ...pages.filter((page) => page !== trips)]
    : pages;
}

export function firstPage(routes: readonly RouteObject[]): string | null {
  return offeredPages(routes)[0]?.path ?? null;
}

/**
 * Returns the redirects of the groups: the address of a group leads to its `redirect` page, otherwise to its
 * first page.
 */
export function groupRedirects(routes: readonly RouteObject[]): { path: string; target: string }[] {
  return routes.flatMap((route) => {
    if (!route.children) return [];
    const target = route.redirect ? `/${route.redirect}` : firstPage(route.children);
    const own = target && target !== `/${route.path}` ? [{ path: `/${route.path}`, target }] : [];
    return [...own, ...groupRedirects(route.children)];
  });
}

/**
 * Returns the accessible addresses as one string, for comparison. Titles, order and external links are not
 * part of it.
 */
export function addressesOf(routes: readonly RouteObject[]): string {
  const pages = menuPages(routes)
    .filter(({ route }) => !isExternalLink(route.path))
    .map(({ route, path }) => [path, route.name, route.component]);
  return JSON.stringify([...pages, ...groupRedirects(routes).map(({ path }) => [path])].sort());
}

/**
 * Returns the address to open after the next login (requirements §2): the full address if the open page is a
 * visible menu entry, otherwise the home page.
 */
export function logoutTarget(
  menu: readonly RouteObject[],
  name: string | undefined,
  address: string,
): string {
  const page = menuPages(menu).find(({ route }) => route.name === name);
  return page && !page.hidden ? address : '/';
}

/**
 * Returns the menu entry to mark for an open page: its own entry, otherwise the nearest ancestor by address,
 * otherwise the first entry of its group.
 */
export function placeInMenu(pages: readonly MenuPage[], name: string | undefined): string | undefined {
  const open = pages.find(({ route }) => route.name === name);
  if (!open?.hidden) return open?.route.name;
  const shown = pages.filter((page) => isSearchable(page));
  const above = shown
    .filter(({ path }) => open.path.startsWith(`${path}/`))
    .sort((a, b) => b.path.length - a.path.length)[0];
  const group = open.groups.at(-1)?.name;
  return (above ?? shown.find(({ groups }) => groups.at(-1)?.name === group))?.route.name;
}
