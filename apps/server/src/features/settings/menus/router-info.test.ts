import type { RouteObject } from '@isotherm/contracts/settings';
import { describe, expect, it } from 'vitest';
import type { MenuRow } from './menus.repo.ts';
import { permissionsOn, routesFor, type Viewer } from './router-info.ts';

const row = (over: Partial<MenuRow> & Pick<MenuRow, 'id' | 'name'>): MenuRow => ({
  parentId: null,
  titles: {},
  path: over.name,
  redirect: '',
  component: '/page',
  icon: '',
  permission: null,
  affix: false,
  breadcrumb: true,
  hidden: false,
  noCache: false,
  system: true,
  sandboxOnly: false,
  position: 0,
  operations: 0,
  ...over,
});

/**
 * Entries of the test: group ─ guarded, hidden · empty ─ secret · trial (sandbox only) · link (by an
 * operator) · open
 */
const ROWS = [
  row({ id: 1, name: 'group', component: '/layout', icon: 'bell', redirect: 'guarded' }),
  row({ id: 2, name: 'guarded', parentId: 1, permission: 'guarded:view', affix: true, noCache: true }),
  row({ id: 3, name: 'hidden', parentId: 1, hidden: true }),
  row({ id: 4, name: 'empty', component: '/layout' }),
  row({ id: 5, name: 'secret', parentId: 4, permission: 'secret:view' }),
  row({ id: 6, name: 'trial', sandboxOnly: true }),
  row({ id: 7, name: 'link', path: 'mailto:help@example.org', system: false, titles: { es: 'Ayuda' } }),
  row({ id: 8, name: 'open', titles: { en: '', 'zh-CN': '公开' } }),
];

const VIEWER: Viewer = { permissions: new Set(['guarded:view']), isTrial: false, withHidden: true };
const names = (routes: RouteObject[]): string =>
  routes.map((route) => route.name + (route.children ? `(${names(route.children)})` : '')).join(' ');

describe('server-side filtering of menu and routes per user', () => {
  it.each<[string, Partial<Viewer>, string]>([
    ['a user with the permission', {}, 'group(guarded hidden) link open'],
    ['a user without the permission', { permissions: new Set() }, 'group(hidden) link open'],
    ['without hidden entries', { withHidden: false }, 'group(guarded) link open'],
    ['an empty group is omitted', { permissions: new Set(), withHidden: false }, 'link open'],
    ['development and sandbox', { isTrial: true }, 'group(guarded hidden) trial link open'],
  ])('routes are filtered for a user: %s', (_name, over, wanted) => {
    expect(names(routesFor(ROWS, { ...VIEWER, ...over }))).toBe(wanted);
  });

  it('a route object has path, component, children, hidden flag and meta with title, icon, affix, noCache', () => {
    const [group, link, open] = routesFor(ROWS, VIEWER);
    expect(group).toMatchObject({
      path: 'group',
      component: '/layout',
      redirect: 'guarded',
      hidden: false,
      meta: { title: 'menu.group', icon: 'bell', affix: false, noCache: false, breadcrumb: true },
    });
    expect(group?.children?.[0]?.meta).toMatchObject({ affix: true, noCache: true });
    expect(link?.meta.titles).toEqual({ en: 'Ayuda', es: 'Ayuda', 'zh-CN': 'Ayuda', 'zh-TW': 'Ayuda' });
    // The titles of built-in pages in other languages are taken from the catalogue.
    expect(open?.meta.titles).toEqual({ 'zh-CN': '公开' });
  });
});

it('the permissions of a page contain those of that page only', () => {
  const held = new Set(['user:view', 'user:edit', 'user-group:view', 'users:view']);
  expect(permissionsOn('user', held)).toEqual(['user:edit', 'user:view']);
  expect(permissionsOn('nothing', held)).toEqual([]);
});
