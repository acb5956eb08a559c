import { describe, expect, it } from 'vitest';
import { codesOf, settleChoice } from './permission-choice.ts';

const KNOWN = new Set(['users:view', 'users:edit', 'users:delete', 'logs:view', 'device-list:import']);

describe('selecting permissions', () => {
  it.each([
    {
      what: 'selecting an operation also selects the view permission of its page',
      before: [],
      after: ['users:edit'],
      held: ['users:edit', 'users:view'],
    },
    {
      what: 'the view permission can be selected alone',
      before: [],
      after: ['logs:view'],
      held: ['logs:view'],
    },
    {
      what: 'removing the view permission removes the other operations of the page',
      before: ['users:edit', 'users:view', 'logs:view'],
      after: ['users:edit', 'logs:view'],
      held: ['logs:view'],
    },
    {
      what: 'removing one operation keeps the others',
      before: ['users:delete', 'users:edit', 'users:view'],
      after: ['users:edit', 'users:view'],
      held: ['users:edit', 'users:view'],
    },
    {
      what: 'a page whose view permission is not in the tree keeps its operations',
      before: [],
      after: ['device-list:import'],
      held: ['device-list:import'],
    },
  ])('the selection is completed correctly: $what', ({ before, after, held }) => {
    expect(settleChoice(new Set(before), new Set(after), KNOWN)).toEqual(held);
  });

  it('permission codes are collected from every level of the tree, and menu entries have no code', () => {
    const leaf = (key: string) => ({ key, title: key, checked: false, grantable: true });
    const tree = [
      { ...leaf('menu:1'), children: [leaf('a:view'), { ...leaf('menu:2'), children: [leaf('b:view')] }] },
      leaf('menu:3'),
    ];
    expect(codesOf(tree)).toEqual(['a:view', 'b:view']);
  });
});
