import { canonicalJson, type Plain, plain } from './plain.ts';

type Fields = { [name: string]: Plain };

export interface Difference {
  before: Fields | null;
  after: Fields | null;
}

/**
 * Returns the old and new value as stored in an entry: complete for a creation or deletion; for a change
 * only the fields that differ, on both sides (`null` if absent).
 */
export function difference(before: object | null | undefined, after: object | null | undefined): Difference {
  const old = before ? (plain(before) as Fields) : null;
  const fresh = after ? (plain(after) as Fields) : null;
  if (!old || !fresh) return { before: old, after: fresh };
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
    .sort()
    .filter((name) => canonicalJson(old[name] ?? null) !== canonicalJson(fresh[name] ?? null));
  const pick = (side: Fields) => Object.fromEntries(names.map((name) => [name, side[name] ?? null]));
  return { before: pick(old), after: pick(fresh) };
}

/** Returns true for a change without differences. */
export function isUnchanged({ before, after }: Difference): boolean {
  return before !== null && after !== null && Object.keys(before).length === 0;
}
