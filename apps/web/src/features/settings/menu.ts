import type { RouteObject } from '@isotherm/contracts/settings';
import type { Text } from '../../shared/i18n/use-text.ts';

/** Titles that the server's menu may carry; a page that is not among them shows its name. */
const TITLES: ReadonlySet<string> = new Set([
  'menu.alarm-current',
  'menu.alarms',
  'menu.asset',
  'menu.monitor',
  'menu.monitoring',
]);

export function menuTitle(route: RouteObject, text: Text): string {
  return TITLES.has(route.meta.title) ? text(route.meta.title) : route.name;
}

export interface MenuPage {
  route: RouteObject;
  /** Groups above it, outermost first. */
  groups: RouteObject[];
  /** Address with the leading slash. */
  path: string;
}

/** Every page of the menu with the groups that it stands in. */
export function menuPages(routes: readonly RouteObject[], groups: RouteObject[] = []): MenuPage[] {
  return routes.flatMap((route) =>
    route.children
      ? menuPages(route.children, [...groups, route])
      : [{ route, groups, path: `/${route.path}` }],
  );
}

/** What the sidebar shows of the menu. */
export function visibleMenu(routes: readonly RouteObject[]): RouteObject[] {
  return routes
    .filter((route) => !route.hidden)
    .map((route) => (route.children ? { ...route, children: visibleMenu(route.children) } : route))
    .filter((route) => route.children === undefined || route.children.length > 0);
}

export function firstPage(routes: readonly RouteObject[]): string | null {
  return menuPages(visibleMenu(routes))[0]?.path ?? null;
}
