import { OTHER_ACTIONS, PAGES, type PageEntry } from './pages.ts';
import type { SystemRole } from './system-roles.ts';

type Page = (typeof PAGES)[number]['pages'][number];
type PermissionsOf<Name, Actions> = Name extends string ? `${Name}:${keyof Actions & string}` : never;
type OfPage<P> = P extends { name: infer Name; actions: infer Actions }
  ? PermissionsOf<Name, Actions>
  : never;
type OfNoPage = { [Name in keyof typeof OTHER_ACTIONS]: PermissionsOf<Name, (typeof OTHER_ACTIONS)[Name]> };

/**
 * A permission code, `page:action` (requirements §6; decision 11): an action of a page in the catalogue.
 * Routes and buttons require permissions, and roles contain them. The page is its path with dashes: the
 * permissions of `/management/users` start with `management-users:`.
 */
export type Permission = OfPage<Page> | OfNoPage[keyof OfNoPage];

type Actions = NonNullable<PageEntry['actions']>;

/** Roles that have a permission initially, besides the platform administrator. */
export const FIRST_HOLDERS: ReadonlyMap<Permission, readonly SystemRole[]> = new Map(
  [
    ...PAGES.flatMap(({ pages }): readonly PageEntry[] => pages).map(
      ({ name, actions }) => [name, actions] as const,
    ),
    ...Object.entries(OTHER_ACTIONS),
  ]
    .flatMap(([page, actions = {}]: readonly [string, Actions?]) =>
      Object.entries(actions).map(([action, roles]) => [`${page}:${action}` as Permission, roles] as const),
    )
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** All permission codes, sorted. */
export const PERMISSIONS: readonly Permission[] = [...FIRST_HOLDERS.keys()];

/** Access levels that need no permission: every visitor, or every signed-in user. */
export const PUBLIC = 'public';
export const SIGNED_IN = 'signed-in';
export type Access = Permission | typeof PUBLIC | typeof SIGNED_IN;

/**
 * Permissions that only a user can have, not an API key: what a person answers for, the approval by a second person, and
 * what is limited for each person. One user may have any number of keys, with any names.
 */
export const PERSONAL_PERMISSIONS: readonly Permission[] = [
  'alarm-current:acknowledge',
  'alarm-current:end',
  'alarm-tests:run',
  'recharge-background:approve',
  'recharge-refunds:approve',
];

/** Returns the page that a permission belongs to. */
export function pageOf(permission: string): string {
  return permission.slice(0, permission.indexOf(':'));
}
