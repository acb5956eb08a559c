import type { Operation, OperationTree } from '@isotherm/contracts/operations';
import { pageOf } from '@isotherm/domain/access/permissions';
import type { MenuRow } from '../menus/menus.repo.ts';

/**
 * Returns pages with their operations; pages without any are omitted. Operations without a page in the menu
 * are in a group of their own.
 */
export function operationTreeOf(
  pages: readonly MenuRow[],
  operations: readonly Operation[],
  held: ReadonlySet<string>,
  grantable: ReadonlySet<string>,
): OperationTree[] {
  const names = new Set(pages.map(({ name }) => name));
  const groups = new Map<string, Operation[]>();
  const ofPages: Operation[] = [];
  for (const operation of operations) {
    const page = pageOf(operation.code);
    if (!operation.system || names.has(page)) ofPages.push(operation);
    else groups.set(page, [...(groups.get(page) ?? []), operation]);
  }
  const below = (parentId: number | null): OperationTree[] =>
    pages
      .filter((page) => page.parentId === parentId)
      .flatMap((page) => {
        const leaves = ofPages
          .filter((operation) => operation.menuid === page.id)
          .map((operation) => leafOf(operation, held, grantable));
        const children = [...leaves, ...below(page.id)];
        if (children.length === 0) return [];
        const title = page.system ? `menu.${page.name}` : (page.titles.en ?? page.name);
        return [{ key: `menu:${page.id}`, title, titles: page.titles, ...branchOf(children) }];
      });
  return [
    ...below(null),
    ...[...groups].map(([page, grouped]) => ({
      key: `menu:${page}`,
      title: `operations.group.${page}`,
      ...branchOf(grouped.map((operation) => leafOf(operation, held, grantable))),
    })),
  ];
}

function branchOf(children: OperationTree[]) {
  return {
    checked: children.every((child) => child.checked),
    grantable: children.some((child) => child.grantable),
    children,
  };
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
