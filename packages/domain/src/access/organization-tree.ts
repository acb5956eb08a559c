import { ORGANIZATION_LEVELS, type OrganizationLevel } from './roles.ts';

/**
 * Whether an organisation of level `child` may be placed below one of level `parent`: never above it in the
 * order hq, org, unit, subunit, unit department. The same level is allowed: an agent's enterprises are
 * organisations below an organisation. A head office is only at the top.
 */
export function mayStandBelow(child: OrganizationLevel, parent: OrganizationLevel | null): boolean {
  if (parent === null) return child === 'hq';
  if (child === 'hq') return false;
  return ORGANIZATION_LEVELS.indexOf(child) >= ORGANIZATION_LEVELS.indexOf(parent);
}

/**
 * Whether an organisation lies within a scope. Both are paths of identifiers from the root, '/1/4/': own and
 * subordinate organisations are those whose path begins with the scope (decision 11).
 */
export function isWithin(path: string, scope: string): boolean {
  return path.startsWith(scope);
}

/** Whether moving the subtree at `path` below `target` would create a cycle. */
export function wouldCircle(path: string, target: string): boolean {
  return target.startsWith(path);
}

/** The path of an organisation below a parent. */
export function pathBelow(parentPath: string, id: number): string {
  return `${parentPath}${id}/`;
}

/**
 * The enterprise (`companyId` of the profile): the organisation directly below the root, or the root itself.
 */
export function companyOf(path: string): number {
  const ids = path.split('/').filter((part) => part !== '');
  return Number(ids[1] ?? ids[0]);
}
