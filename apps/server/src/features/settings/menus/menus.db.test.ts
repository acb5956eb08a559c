import type { Menu } from '@isotherm/contracts/menus';
import type { RouteObject } from '@isotherm/contracts/settings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../../platform/db/pool.ts';
import { type Asking, asking } from '../../../testing/asking.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { seedMenus } from './menus.service.ts';

let server: TestServer;
let keeper: Session;
let platform: Session;
let ask: Asking['ask'];
let refusal: Asking['refusal'];
let audited: Asking['audited'];

beforeAll(async () => {
  server = await startTestServer();
  platform = await server.logIn('demo.platform');
  ({ ask, refusal, audited } = asking(server, platform));
  keeper = await server.logIn('demo.keeper');
});
afterAll(() => server.stop());

describe('menus', () => {
  const list = () => ask<Menu[]>({ path: '/api/menu' });
  const routes = (session: Session, query?: Record<string, string>) =>
    ask<RouteObject[]>({ path: '/api/menu/routerinfo', session, ...(query ? { query } : {}) });
  const ENTRY = {
    parentId: null,
    name: 'handbook',
    titles: { en: 'Handbook', 'zh-CN': '手册' },
    path: 'https://example.org/handbook',
    component: '/link',
  };
  const names = (entries: RouteObject[]): string[] =>
    entries.flatMap((entry) => [entry.name, ...names(entry.children ?? [])]);

  it('menus are initialised from the catalogue, parents before children', async () => {
    const menus = await list();
    expect(menus.length).toBeGreaterThan(15);
    for (const [i, menu] of menus.entries()) {
      expect(menu.system).toBe(true);
      if (menu.parentId !== null)
        expect(menus.findIndex((candidate) => candidate.id === menu.parentId)).toBeLessThan(i);
    }
  });

  it('pages that are missing at a start are added after their siblings in the order of the catalogue, and edits of others stay', async () => {
    const before = await list();
    const missing = ['map-replay', 'map-geofences'];
    await server.pool.query(
      'delete from operation where menu_id in (select id from menu where name = any($1))',
      [missing],
    );
    await server.pool.query('delete from menu where name = any($1)', [missing]);
    await server.pool.query(`update menu set hidden = true, path = 'elsewhere' where name = 'map-overview'`);
    await transaction(server.pool, seedMenus);
    const after = await list();
    const siblings = (menus: readonly Menu[]) => {
      const parent = menus.find(({ name }) => name === 'map-overview')?.parentId;
      return menus.filter(({ parentId }) => parentId === parent).map(({ name }) => name);
    };
    expect(siblings(after)).toEqual([
      ...siblings(before).filter((name) => !missing.includes(name)),
      ...siblings(before).filter((name) => missing.includes(name)),
    ]);
    const pathOf = (menus: readonly Menu[]) => menus.find(({ name }) => name === 'map-overview')?.path;
    expect(pathOf(after)).toBe(pathOf(before));
    expect(after.find(({ name }) => name === 'map-overview')?.hidden).toBe(true);
    await server.pool.query(`update menu set hidden = false where name = 'map-overview'`);
    const { rows } = await server.pool.query<{ count: number; positions: number }>(
      `select count(*)::int as count, count(distinct position)::int as positions from menu
        where parent_id = (select parent_id from menu where name = 'map-overview')`,
    );
    expect(rows[0]?.positions).toBe(rows[0]?.count);
  });

  it('menus are filtered by the server per user after login', async () => {
    const all = names(await routes(platform));
    const some = names(await routes(keeper));
    expect(all).toContain('management-menus');
    expect(some).toContain('monitor');
    expect(some).not.toContain('management-menus');
    expect(some).not.toContain('management');
    expect(all).not.toContain('mailbox');
  });

  it('hidden menu entries are omitted unless all are requested', async () => {
    expect(names(await routes(keeper, { showall: 'true' }))).toContain('asset');
    expect(names(await routes(keeper, { showall: 'false' }))).not.toContain('asset');
  });

  it.each([
    ['a route path must not start with a slash', { path: '/handbook' }, 'path'],
    ['a component must start with a slash', { component: 'link' }, 'component'],
    ['a target must not be a script', { path: 'javascript:alert(1)' }, 'path'],
    ['an icon must not contain control characters', { icon: '\u0000' }, 'icon'],
    ['an unknown field is not accepted', { permission: 'monitor:view' }, 'permission'],
  ])('an invalid menu entry is refused: %s', async (_name, over, field) => {
    const answer = await server.call({
      method: 'POST',
      path: '/api/menu',
      json: { ...ENTRY, name: 'bad-entry', ...over },
      session: platform,
    });
    expect(answer.status).toBe('request.invalid');
    expect(JSON.stringify(answer)).toContain(`"${field}"`);
  });

  it('an external link is accepted, shown in four languages, and logged', async () => {
    const made = await ask<Menu>({ method: 'POST', path: '/api/menu', json: ENTRY });
    expect(made).toMatchObject({ name: 'handbook', system: false, breadcrumb: true });
    const link = (await routes(keeper)).find((entry) => entry.name === 'handbook');
    expect(link).toMatchObject({
      path: 'https://example.org/handbook',
      meta: { titles: { en: 'Handbook', es: 'Handbook', 'zh-CN': '手册', 'zh-TW': 'Handbook' } },
    });
    expect(await refusal({ method: 'POST', path: '/api/menu', json: ENTRY })).toBe('menu.name_taken');
    const edited = { ...ENTRY, titles: { en: 'Manual' }, hidden: true };
    await ask({ method: 'PUT', path: `/api/menu/${made.id}`, json: edited });
    expect(await audited('menu', made.id)).toMatchObject([
      { action: 'create', before: null, after: { name: 'handbook' } },
      {
        action: 'change',
        before: { titles: ENTRY.titles, hidden: false },
        after: { titles: { en: 'Manual' }, hidden: true },
      },
    ]);
    await ask({ method: 'DELETE', path: `/api/menu/${made.id}` });
    expect(await refusal({ method: 'DELETE', path: `/api/menu/${made.id}` })).toBe('menu.not_found');
  });

  it('built-in pages keep their address, but accept other titles and another order', async () => {
    const before = (await list()).find((menu) => menu.name === 'management-users') as Menu;
    const { id, system, position, operations, ...form } = before;
    const change = (over: object) => ({
      method: 'PUT',
      path: `/api/menu/${id}`,
      json: { ...form, ...over },
    });
    expect(await refusal(change({ path: 'somewhere' }))).toBe('menu.system');
    expect(await refusal(change({ component: '/other' }))).toBe('menu.system');
    expect(await refusal(change({ name: 'other' }))).toBe('menu.system');
    expect(await refusal({ method: 'DELETE', path: `/api/menu/${id}` })).toBe('menu.system');
    expect(await ask(change({ titles: { en: 'People' }, icon: 'users' }))).toMatchObject({
      titles: { en: 'People' },
      icon: 'users',
    });
    const group = (await routes(platform)).find((entry) => entry.name === 'management');
    expect(group?.children?.find((entry) => entry.name === 'management-users')?.meta.titles).toEqual({
      en: 'People',
    });
    await ask(change({}));
  });

  it('an entry can be moved to another position and parent, but not below itself', async () => {
    const menus = await list();
    const idOf = (name: string) => menus.find((menu) => menu.name === name)?.id as number;
    const move = (name: string, parentId: number | null, position: number) => ({
      method: 'PUT',
      path: `/api/menu/${idOf(name)}/position`,
      json: { parentId, position },
    });
    const after = await ask<Menu[]>(move('recharge-reminders', idOf('monitoring'), 0));
    const below = after.filter((menu) => menu.parentId === idOf('monitoring'));
    expect(below.map((menu) => [menu.name, menu.position])).toEqual([
      ['recharge-reminders', 0],
      ['dashboard', 1],
      ['monitor', 2],
      ['monitor-records', 3],
      ['screen', 4],
      ['screen-detail', 5],
      ['asset', 6],
    ]);
    // The group from which the entry was moved is empty, and therefore hidden.
    expect(names(await routes(keeper))).not.toContain('recharge');
    expect(await refusal(move('monitoring', idOf('monitoring'), 0))).toBe('menu.circle');
    expect(await refusal(move('monitoring', idOf('monitor'), 0))).toBe('menu.circle');
    expect(await refusal(move('monitoring', 999_999, 0))).toBe('menu.not_found');
    await ask(move('recharge-reminders', idOf('recharge'), 0));
  });

  it('menu entries have one consistent order after parallel moves', async () => {
    const menus = await list();
    const management = menus.find((menu) => menu.name === 'management')?.id as number;
    const children = menus.filter((menu) => menu.parentId === management);
    await Promise.all(
      children.map((menu, i) =>
        ask({
          method: 'PUT',
          path: `/api/menu/${menu.id}/position`,
          json: { parentId: management, position: (i * 3) % children.length },
        }),
      ),
    );
    const positions = (await list())
      .filter((menu) => menu.parentId === management)
      .map((menu) => menu.position);
    expect(positions).toEqual(children.map((_, i) => i));
  });

  it('a group cannot be deleted while it contains entries', async () => {
    const group = { ...ENTRY, name: 'links', path: 'links', component: '/layout' };
    const { id } = await ask<Menu>({ method: 'POST', path: '/api/menu', json: group });
    const child = await ask<Menu>({ method: 'POST', path: '/api/menu', json: { ...ENTRY, parentId: id } });
    expect(await refusal({ method: 'DELETE', path: `/api/menu/${id}` })).toBe('menu.has_children');
    await ask({ method: 'DELETE', path: `/api/menu/${child.id}` });
    await ask({ method: 'DELETE', path: `/api/menu/${id}` });
  });
});

describe('permissions per page', () => {
  it('the server returns the permissions for a page name', async () => {
    const onPage = (menuname: string, session: Session) =>
      ask({ path: '/api/operation/permission', query: { menuname }, session });
    expect(await onPage('alarm-current', keeper)).toEqual({
      permissions: ['alarm-current:acknowledge', 'alarm-current:view'],
      unreadAnnouncements: 0,
    });
    expect(await onPage('management-menus', keeper)).toMatchObject({ permissions: [] });
    expect(await onPage('alarm', keeper)).toMatchObject({ permissions: [] });
  });
});
