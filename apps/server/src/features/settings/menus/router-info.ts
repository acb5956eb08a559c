import type { RouteObject } from '@isotherm/contracts/settings';
import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import type { MenuRow } from './menus.repo.ts';

export interface Viewer {
  permissions: ReadonlySet<string>;
  /** Whether the environment is development or sandbox, which show additional entries. */
  isTrial: boolean;
  /** Whether to include pages that are not in the sidebar (requirements §7, `showall`). */
  withHidden: boolean;
}

/** The component of an entry that only groups others. */
const GROUP = '/layout';

/** Returns the menu entries that the viewer may open, as routes; empty groups are omitted. */
export function routesFor(rows: readonly MenuRow[], viewer: Viewer): RouteObject[] {
  const children = new Map<number | null, MenuRow[]>();
  for (const row of rows) children.set(row.parentId, [...(children.get(row.parentId) ?? []), row]);

  const below = (parentId: number | null): RouteObject[] =>
    (children.get(parentId) ?? []).flatMap((row) => {
      if (row.permission !== null && !viewer.permissions.has(row.permission)) return [];
      if (row.sandboxOnly && !viewer.isTrial) return [];
      if (row.hidden && !viewer.withHidden) return [];
      const inside = below(row.id);
      if (inside.length === 0 && (row.component === GROUP || children.has(row.id))) return [];
      return [routeOf(row, inside)];
    });
  return below(null);
}

function routeOf(row: MenuRow, inside: RouteObject[]): RouteObject {
  const titles = titlesOf(row);
  return {
    name: row.name,
    path: row.path,
    component: row.component,
    hidden: row.hidden,
    ...(row.redirect ? { redirect: row.redirect } : {}),
    meta: {
      title: `menu.${row.name}`,
      ...(titles ? { titles } : {}),
      ...(row.icon ? { icon: row.icon } : {}),
      affix: row.affix,
      noCache: row.noCache,
      breadcrumb: row.breadcrumb,
    },
    ...(inside.length > 0 ? { children: inside } : {}),
  };
}

/**
 * Returns titles set by an operator. Built-in pages have titles in the catalogue; a missing language of an
 * operator's entry is replaced by another one, finally by its name.
 */
function titlesOf({ titles, system, name }: MenuRow): RouteObject['meta']['titles'] {
  const written = Object.fromEntries(Object.entries(titles).filter(([, title]) => title));
  if (system) return Object.keys(written).length > 0 ? written : undefined;
  const standIn = written.en ?? Object.values(written)[0] ?? name;
  return Object.fromEntries(LANGUAGE_CODES.map((language) => [language, written[language] ?? standIn]));
}

/** Returns the permissions of one page by its name: `alarm-current` → `alarm-current:acknowledge`, … */
export function permissionsOn(page: string, permissions: ReadonlySet<string>): string[] {
  return [...permissions].filter((permission) => permission.startsWith(`${page}:`)).sort();
}
