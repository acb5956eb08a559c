import type { OperationTree } from '@isotherm/contracts/operations';

/** Returns the permission codes of a tree. Its leaves are the codes, except for pages without operations. */
export function codesOf(tree: readonly OperationTree[]): string[] {
  return tree.flatMap((node) => [
    ...(isPage(node) ? [] : [node.key]),
    ...(node.children ? codesOf(node.children) : []),
  ]);
}

export function isPage(node: Pick<OperationTree, 'key'>): boolean {
  return node.key.startsWith('menu:');
}

const page = (code: string) => code.slice(0, code.indexOf(':'));
const view = (code: string) => `${page(code)}:view`;

/**
 * Returns the permissions after a change of the selection. The operations of a page require its `view`
 * permission: it is added with the first operation, and removing it removes the other operations.
 */
export function settleChoice(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  known: ReadonlySet<string>,
): string[] {
  const settled = new Set(after);
  for (const code of before)
    if (code === view(code) && !after.has(code))
      for (const other of after) if (page(other) === page(code) && before.has(other)) settled.delete(other);
  for (const code of settled) if (known.has(view(code))) settled.add(view(code));
  return [...settled].sort();
}
