import { ORGANIZATION_LEVELS, type OrganizationLevel } from './roles.ts';

/**
 * Returns whether an organisation of level `child` may be placed below one of level `parent`. The order of
 * the levels is hq, org, unit, subunit, unit department, and a child may not have a higher level than its
 * parent. The same level is allowed, because an agent's enterprises are organisations below an organisation.
 * A head office can only be at the top.
 */
export function mayStandBelow(child: OrganizationLevel, parent: OrganizationLevel | null): boolean {
  if (parent === null) return child === 'hq';
  if (child === 'hq') return false;
  return ORGANIZATION_LEVELS.indexOf(child) >= ORGANIZATION_LEVELS.indexOf(parent);
}

/**
 * Returns whether an organisation lies within a scope. Both are paths of ids from the root, such as '/1/4/'.
 * An organisation is own or subordinate if its path starts with the scope (decision 11).
 */
export function isWithin(path: string, scope: string): boolean {
  return path.startsWith(scope);
}

/** Returns whether moving the subtree at `path` below `target` would create a cycle. */
export function wouldCircle(path: string, target: string): boolean {
  return target.startsWith(path);
}

/** Returns the path of an organisation below a parent. */
export function pathBelow(parentPath: string, id: number): string {
  return `${parentPath}${id}/`;
}

/**
 * Returns the id of the enterprise (`companyId` of the profile): the organisation directly below the root,
 * or the root itself.
 */
export function companyOf(path: string): number {
  const ids = path.split('/').filter((part) => part !== '');
  return Number(ids[1] ?? ids[0]);
}
