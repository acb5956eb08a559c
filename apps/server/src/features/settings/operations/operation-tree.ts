import type { Operation, OperationTree } from '@isotherm/contracts/operations';
import type { MenuRow } from '../menus/menus.repo.ts';

/** Pages and what may be done on them; pages without anything to hold are left out. */
export function operationTreeOf(
  pages: readonly MenuRow[],
  operations: readonly Operation[],
  held: ReadonlySet<string>,
  grantable: ReadonlySet<string>,
): OperationTree[] {
  const below = (parentId: number | null): OperationTree[] =>
    pages
      .filter((page) => page.parentId === parentId)
      .flatMap((page) => {
        const leaves = operations
          .filter((operation) => operation.menuid === page.id)
          .map((operation) => leafOf(operation, held, grantable));
        const children = [...leaves, ...below(page.id)];
        if (children.length === 0) return [];
        return [
          {
            key: `menu:${page.id}`,
            title: page.system ? `menu.${page.name}` : (page.titles.en ?? page.name),
            titles: page.titles,
            checked: children.every((child) => child.checked),
            grantable: children.some((child) => child.grantable),
            children,
          },
        ];
      });
  return below(null);
}

function leafOf(
  { code, fullname, nameEnglish, nameSpanish, system }: Operation,
  held: ReadonlySet<string>,
  grantable: ReadonlySet<string>,
): OperationTree {
  const names = { 'zh-CN': fullname, en: nameEnglish, es: nameSpanish };
  return {
    key: code,
    title: system ? `operations.${code.slice(code.indexOf(':') + 1)}` : nameEnglish || fullname,
    titles: Object.fromEntries(Object.entries(names).filter(([, name]) => name)),
    checked: held.has(code),
    grantable: grantable.has(code),
  };
}
