/** A page or an operation in the tree. */
export interface Branch {
  key: string;
  title: string;
  disableCheckbox: boolean;
  children?: Branch[];
}

const holds = (title: string, wanted: string) => title.toLowerCase().includes(wanted);

/**
 * Returns the matching operations with their pages, all operations of each matching page, and the number of
 * matches.
 */
export function filterBranches(
  branches: readonly Branch[],
  typed: string,
): { branches: Branch[]; hits: number } {
  const wanted = typed.trim().toLowerCase();
  let hits = 0;
  const keep = (branch: Branch, inside: boolean): Branch[] => {
    const hit = holds(branch.title, wanted);
    if (hit) hits++;
    const children = branch.children?.flatMap((child) => keep(child, inside || hit));
    if (!inside && !hit && !children?.length) return [];
    return [children ? { ...branch, children } : branch];
  };
  return { branches: branches.flatMap((branch) => keep(branch, false)), hits };
}

/**
 * Splits a title at the matches of the typed text: every second part is a match, the others are the text
 * between.
 */
export function partsOf(title: string, typed: string): string[] {
  const wanted = typed.trim().toLowerCase();
  const parts: string[] = [];
  let from = 0;
  while (wanted !== '') {
    const at = title.toLowerCase().indexOf(wanted, from);
    if (at < 0) break;
    parts.push(title.slice(from, at), title.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return [...parts, title.slice(from)];
}

export function keysOf(branches: readonly Branch[]): string[] {
  return branches.flatMap(({ key, children }) => [key, ...keysOf(children ?? [])]);
}
