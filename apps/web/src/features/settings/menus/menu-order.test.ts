import type { Menu } from '@isotherm/contracts/menus';
import { describe, expect, it } from 'vitest';
import { placeOfDrop, placeOfStep, subtreeOf } from './menu-order.ts';

function menu(id: number, parentId: number | null, position: number): Menu {
  return {
    id,
    parentId,
    position,
    name: `m${id}`,
    titles: {},
    path: `m${id}`,
    redirect: '',
    component: '/layout',
    icon: '',
    affix: false,
    breadcrumb: true,
    hidden: false,
    noCache: false,
    system: false,
    operations: 0,
  };
}
// Tree: 1 contains 11, 12 and 13; 13 contains 131; 2 is empty.
const MENUS = [
  menu(1, null, 0),
  menu(2, null, 1),
  menu(12, 1, 1),
  menu(11, 1, 0),
  menu(13, 1, 2),
  menu(131, 13, 0),
];

describe('changing the menu order', () => {
  it.each([
    ['into a group, at its end', 2, 1, 'inside', { parentId: 1, position: 3 }],
    ['before a sibling', 13, 11, 'before', { parentId: 1, position: 0 }],
    [
      'after a later sibling, which has moved up in the meantime',
      11,
      12,
      'after',
      { parentId: 1, position: 1 },
    ],
    ['from a group to the top level', 131, 2, 'before', { parentId: null, position: 1 }],
    ['but not below itself', 1, 131, 'inside', null],
    ['but not onto itself', 1, 1, 'after', null],
    ['but not if it was deleted', 1, 99, 'after', null],
  ] as const)('an entry can be dragged %s', (_, dragged, target, where, place) => {
    expect(placeOfDrop(MENUS, dragged, target, where)).toEqual(place);
  });

  it.each([
    ['up', 12, -1, { parentId: 1, position: 0 }],
    ['down', 12, 1, { parentId: 1, position: 2 }],
    ['up but not above the first position', 11, -1, null],
    ['down but not below the last position', 2, 1, null],
    ['but not if it was deleted', 99, 1, null],
  ] as const)('an entry can be moved %s by keyboard', (_, id, by, place) => {
    expect(placeOfStep(MENUS, id, by)).toEqual(place);
  });

  it('a subtree consists of an entry and its descendants', () => {
    expect([...subtreeOf(MENUS, 1)].sort((a, b) => a - b)).toEqual([1, 11, 12, 13, 131]);
  });
});
