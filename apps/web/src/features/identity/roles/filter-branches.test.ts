import { describe, expect, it } from 'vitest';
import { type Branch, filterBranches, keysOf, partsOf } from './filter-branches.ts';

const leaf = (key: string, title: string): Branch => ({ key, title, disableCheckbox: false });
const TREE: Branch[] = [
  {
    ...leaf('menu:1', 'Management'),
    children: [
      { ...leaf('menu:2', 'Users'), children: [leaf('users:edit', 'Edit'), leaf('users:view', 'View')] },
      { ...leaf('menu:3', 'Logs'), children: [leaf('logs:view', 'View')] },
    ],
  },
  leaf('menu:4', 'Settings'),
];

describe('searching permissions in the tree', () => {
  it.each([
    ['a matching operation is shown with the pages above it', 'edit', ['menu:1', 'menu:2', 'users:edit'], 1],
    ['a matching page is shown with its operations', ' LOGS ', ['menu:1', 'menu:3', 'logs:view'], 1],
    ['every match is counted', 'view', ['menu:1', 'menu:2', 'users:view', 'menu:3', 'logs:view'], 2],
    ['nothing', 'zebra', [], 0],
    ['a wildcard character has no special meaning', '.*', [], 0],
  ])('the search works as expected: %s', (_name, typed, keys, hits) => {
    const found = filterBranches(TREE, typed);
    expect([keysOf(found.branches), found.hits]).toEqual([keys, hits]);
  });

  it.each([
    ['Users', 'se', ['U', 'se', 'rs']],
    ['Anna', 'N', ['A', 'n', '', 'n', 'a']],
    ['Users', '', ['Users']],
    ['Users', 'x', ['Users']],
    ['用户管理', '管理', ['用户', '管理', '']],
  ])('in the title %s the search text %j is marked', (title, typed, parts) => {
    expect(partsOf(title, typed)).toEqual(parts);
  });
});
