import { describe, expect, it } from 'vitest';
import { buttonState, can, ungrantable } from './can.ts';
import { pageOf } from './permissions.ts';

const held = new Set(['management-users:view', 'management-users:edit']);

describe('the access check', () => {
  it.each([
    [null, 'public', true],
    [null, 'signed-in', false],
    [null, 'management-users:view', false],
    [held, 'public', true],
    [held, 'signed-in', true],
    [held, 'management-users:view', true],
    [held, 'management-users:delete', false],
  ] as const)('with the permissions %o, access to %s is allowed: %s', (who, access, expected) => {
    expect(can(who, access)).toBe(expected);
  });
});

describe('the state of a button', () => {
  it.each([
    ['without a required permission is enabled', {}, 'enabled'],
    ['is enabled if the user has its permission', { permission: 'management-users:edit' }, 'enabled'],
    ['is hidden if the user lacks its permission', { permission: 'management-users:delete' }, 'hidden'],
    [
      'can be shown as disabled if the user lacks its permission',
      { permission: 'management-users:delete', whenDenied: 'disable' },
      'disabled',
    ],
    [
      'is hidden if the user has its hiding permission',
      { permission: 'management-users:edit', hiddenBy: 'management-users:view' },
      'hidden',
    ],
    [
      'is not hidden if the user lacks its hiding permission',
      { permission: 'management-users:edit', hiddenBy: 'monitor:view' },
      'enabled',
    ],
  ] as const)('a button %s', (_name, button, expected) => {
    expect(buttonState(held, button)).toBe(expected);
  });
});

it('a user cannot grant permissions that they lack', () => {
  expect(ungrantable(held, ['management-users:view', 'monitor:view'])).toEqual(['monitor:view']);
});

it('a permission code starts with the name of its page', () => {
  expect(pageOf('management-users:edit')).toBe('management-users');
});
