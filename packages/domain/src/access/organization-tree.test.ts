import { describe, expect, it } from 'vitest';
import { companyOf, isWithin, mayStandBelow, pathBelow, wouldCircle } from './organization-tree.ts';
import type { OrganizationLevel } from './roles.ts';

describe('the organisation levels hq, org, unit, subunit, unit department', () => {
  it.each([
    ['hq', null, true],
    ['org', null, false],
    ['hq', 'hq', false],
    ['org', 'hq', true],
    ['org', 'org', true],
    ['unit', 'org', true],
    ['org', 'unit', false],
    ['unit-department', 'unit', true],
    ['unit', 'unit-department', false],
  ] as [OrganizationLevel, OrganizationLevel | null, boolean][])(
    'the level %s may be below the level %s: %s',
    (child, parent, allowed) => {
      expect(mayStandBelow(child, parent)).toBe(allowed);
    },
  );
});

it('own and subordinate organisations are in the scope, siblings and superiors are not', () => {
  expect(isWithin('/1/4/', '/1/4/')).toBe(true);
  expect(isWithin('/1/4/9/', '/1/4/')).toBe(true);
  expect(isWithin('/1/44/', '/1/4/')).toBe(false);
  expect(isWithin('/1/', '/1/4/')).toBe(false);
});

it('a subtree cannot be moved into itself', () => {
  expect(wouldCircle('/1/4/', '/1/4/')).toBe(true);
  expect(wouldCircle('/1/4/', '/1/4/9/')).toBe(true);
  expect(wouldCircle('/1/4/', '/1/5/')).toBe(false);
});

it('the path of an organisation is the path of its parent plus its id', () => {
  expect(pathBelow('/', 1)).toBe('/1/');
  expect(pathBelow('/1/', 12)).toBe('/1/12/');
});

it('the company is the organisation below the root', () => {
  expect(companyOf('/1/4/9/')).toBe(4);
  expect(companyOf('/1/')).toBe(1);
});
