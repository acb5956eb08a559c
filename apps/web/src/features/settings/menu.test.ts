import type { RouteObject } from '@isotherm/contracts/settings';
import { describe, expect, it } from 'vitest';
import {
  addressesOf,
  firstPage,
  groupRedirects,
  logoutTarget,
  menuPages,
  menuTitle,
  titlesOf,
  visibleMenu,
} from './menu.ts';

function entry(name: string, changes: Partial<RouteObject> = {}): RouteObject {
  return {
    name,
    path: name,
    component: `/${name}`,
    hidden: false,
    meta: { title: `menu.${name}`, affix: false, noCache: false },
    ...changes,
  };
}

const MENU: RouteObject[] = [
  entry('docs', { path: 'https://example.org/docs' }),
  entry('secret', { hidden: true, children: [entry('below')] }),
  entry('management', {
    redirect: 'users',
    children: [entry('roles'), entry('users'), entry('user', { path: 'users/:id', hidden: true })],
  }),
  entry('empty', { children: [entry('inside', { hidden: true })] }),
];

describe('the menu from the routes of the server (requirements §2)', () => {
  it('child entries become pages in their groups, and entries in a hidden group are hidden', () => {
    expect(menuPages(MENU).map(({ path, hidden, groups }) => [path, hidden, groups.length])).toEqual([
      ['https://example.org/docs', false, 0],
      ['/below', true, 1],
      ['/roles', false, 1],
      ['/users', false, 1],
      ['/users/:id', true, 1],
      ['/inside', true, 1],
    ]);
  });

  it('the sidebar hides hidden entries and empty groups', () => {
    expect(visibleMenu(MENU).map(({ name }) => name)).toEqual(['docs', 'management']);
  });

  it('the home page is the first page that can be opened directly', () => {
    expect(firstPage(MENU)).toBe('/roles');
  });

  it('a driver, who does not see the list of waybills, begins with the trips', () => {
    const list = entry('waybill-list', { path: 'waybill/list' });
    const trips = entry('waybill-trips', { path: 'waybill/trips' });
    expect(firstPage([...MENU, entry('waybill', { children: [list, trips] })])).toBe('/roles');
    expect(firstPage([...MENU, entry('waybill', { children: [trips] })])).toBe('/waybill/trips');
  });

  it('new titles, another order or external links do not change the addresses of the menu; new pages, paths or groups do', () => {
    const [docs, secret, management, empty] = MENU as [RouteObject, RouteObject, RouteObject, RouteObject];
    const titled = { ...management, meta: { ...management.meta, titles: { en: 'People' } } };
    expect(addressesOf([empty, titled, secret])).toBe(addressesOf(MENU));
    for (const other of [
      [docs, secret, management],
      [...MENU, entry('more')],
      [docs, secret, { ...management, path: 'people' }, empty],
    ])
      expect(addressesOf(other)).not.toBe(addressesOf(MENU));
  });

  it('the address of a group redirects to its `redirect` page, otherwise to its first page', () => {
    expect(groupRedirects(MENU)).toEqual([
      { path: '/secret', target: '/below' },
      { path: '/management', target: '/users' },
    ]);
  });
});

describe('the return address of a logout', () => {
  it.each([
    ['users', '/users?page=2', '/users?page=2'],
    ['user', '/users/7', '/'],
    ['below', '/below', '/'],
    [undefined, '/404', '/'],
  ])('a logout from the route %s at %s leads to %s', (name, address, target) => {
    expect(logoutTarget(MENU, name, address)).toBe(target);
  });
});

describe('menu titles in four languages', () => {
  const text = (id: string) => ({ 'menu.users': 'Users' })[id] ?? id;
  it("the operator's title has priority, then the catalogue title, then the name", () => {
    const named = entry('users', {
      meta: { title: 'menu.users', titles: { es: 'Personas' }, affix: false, noCache: false },
    });
    expect(menuTitle(named, text, 'es')).toBe('Personas');
    expect(menuTitle(named, text, 'en')).toBe('Users');
    expect(menuTitle(entry('custom'), text, 'en')).toBe('custom');
    const catalogue = { 'menu.users': 'Users' };
    expect(titlesOf(named, { en: catalogue, es: catalogue, 'zh-CN': {}, 'zh-TW': {} })).toEqual([
      'Users',
      'Personas',
    ]);
  });
});
