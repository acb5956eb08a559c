import { describe, expect, it } from 'vitest';
import { MENU, type MenuPage } from './menu.ts';
import { PERMISSIONS, pageOf } from './permissions.ts';
import { type AccountType, mayGiveAccountType, SYSTEM_ROLES } from './roles.ts';

describe('account types that a user may assign', () => {
  it.each([
    ['administrator', true, 'administrator', true],
    ['administrator', true, 'agent', true],
    ['top-agent', false, 'administrator', false],
    ['top-agent', false, 'top-agent', false],
    ['top-agent', false, 'agent', true],
    ['agent', false, 'agent', false],
    ['agent', false, 'enterprise', true],
    ['staff', false, 'staff', true],
  ] as [AccountType, boolean, AccountType, boolean][])(
    'a user of the type %s (admin: %s) may create the type %s: %s',
    (type, isAdmin, wanted, may) => {
      expect(mayGiveAccountType({ type, isAdmin }, wanted)).toBe(may);
    },
  );
});

const permissionsOfMenu = (pages: readonly MenuPage[]): string[] =>
  pages.flatMap((page) => [
    ...(page.permission === null ? [] : [page.permission]),
    ...permissionsOfMenu(page.children),
  ]);

describe('the catalogues of pages, permissions and roles', () => {
  it('permissions are sorted and unique', () => {
    expect([...PERMISSIONS]).toEqual([...new Set(PERMISSIONS)].sort());
  });
  it('each page has its own actions or shares those of another page', () => {
    for (const permission of permissionsOfMenu(MENU)) expect(PERMISSIONS).toContain(permission);
  });
  it('each page is opened by its own view permission', () => {
    for (const permission of permissionsOfMenu(MENU)) expect(permission).toMatch(/:view$/);
  });
  it('no role has an action on a page that it cannot open', () => {
    for (const [role, permissions] of Object.entries(SYSTEM_ROLES)) {
      const held = new Set<string>(permissions);
      const openable = new Set(permissionsOfMenu(MENU));
      for (const permission of permissions) {
        const view = `${pageOf(permission)}:view`;
        if (openable.has(view)) expect(held, `${role}: ${permission}`).toContain(view);
      }
    }
  });
  it("an enterprise administrator has all permissions of the organisation's roles, and can therefore grant them", () => {
    const held = new Set<string>(SYSTEM_ROLES['enterprise-administrator']);
    for (const role of ['quality-manager', 'operator', 'driver', 'auditor'] as const)
      expect(
        SYSTEM_ROLES[role].filter((permission) => !held.has(permission)),
        role,
      ).toEqual([]);
  });
  it('the auditor has no permission that changes data', () => {
    for (const permission of SYSTEM_ROLES.auditor) expect(permission).toMatch(/:(view|export)$/);
  });
});
