import { get } from 'node:http';
import type { Brand } from '@isotherm/contracts/brands';
import type { Dictionary } from '@isotherm/contracts/dictionary';
import type { Menu } from '@isotherm/contracts/menus';
import type { Operation, OperationTree } from '@isotherm/contracts/operations';
import type { RouteObject, Site } from '@isotherm/contracts/settings';
import { PERMISSIONS } from '@isotherm/domain/access/permissions';
import { createTranslator } from '@isotherm/i18n/translator';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import { type Call, type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';
import { permissionHolders, seedRoles } from '../identity/index.ts';
import { createSettings } from './index.ts';

let server: TestServer;
let platform: Session;
let keeper: Session;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_ENVIRONMENT: 'scm' } });
  platform = await server.logIn('demo.platform');
  keeper = await server.logIn('demo.keeper');
});
afterAll(() => server.stop());

async function ask<T>(call: Call): Promise<T> {
  const answer = await server.call<T>({ session: platform, ...call });
  expect(answer).toMatchObject({ status: '1' });
  return answer.data;
}
const refusal = async (call: Call) => (await server.call({ session: platform, ...call })).status;

async function audited(objectKind: string, objectId: number) {
  const { rows } = await server.pool.query(
    `select action, username, before, after from audit_entry where object_kind = $1 and object_id = $2 order by seq`,
    [objectKind, String(objectId)],
  );
  return rows;
}

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

  it('begin as the catalogue has them, parents before children', async () => {
    const menus = await list();
    expect(menus.length).toBeGreaterThan(15);
    for (const [i, menu] of menus.entries()) {
      expect(menu.system).toBe(true);
      if (menu.parentId !== null)
        expect(menus.findIndex((candidate) => candidate.id === menu.parentId)).toBeLessThan(i);
    }
  });

  it('are filtered by the server per user after login', async () => {
    const all = names(await routes(platform));
    const some = names(await routes(keeper));
    expect(all).toContain('management-menus');
    expect(some).toContain('monitor');
    expect(some).not.toContain('management-menus');
    expect(some).not.toContain('management');
    expect(all).not.toContain('mailbox');
  });

  it('leave hidden entries out unless all are asked for', async () => {
    expect(names(await routes(keeper, { showall: 'true' }))).toContain('asset');
    expect(names(await routes(keeper, { showall: 'false' }))).not.toContain('asset');
  });

  it.each([
    ['a route path must not start with a slash', { path: '/handbook' }, 'path'],
    ['a component must start with one', { component: 'link' }, 'component'],
    ['no script as a target', { path: 'javascript:alert(1)' }, 'path'],
    ['no markup in an icon', { icon: '\u0000' }, 'icon'],
    ['no unknown field', { permission: 'monitor:view' }, 'permission'],
  ])('%s', async (_name, over, field) => {
    const answer = await server.call({
      method: 'POST',
      path: '/api/menu',
      json: { ...ENTRY, name: 'bad-entry', ...over },
      session: platform,
    });
    expect(answer.status).toBe('request.invalid');
    expect(JSON.stringify(answer)).toContain(`"${field}"`);
  });

  it('take an external link, show it in four languages, and log it', async () => {
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

  it('keep the address of what comes with the program, but take titles and order for it', async () => {
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

  it('are dragged into another order and below another parent, not below themselves', async () => {
    const menus = await list();
    const idOf = (name: string) => menus.find((menu) => menu.name === name)?.id as number;
    const move = (name: string, parentId: number | null, position: number) => ({
      method: 'PUT',
      path: `/api/menu/${idOf(name)}/position`,
      json: { parentId, position },
    });
    const after = await ask<Menu[]>(move('alarm-current', idOf('monitoring'), 0));
    const below = after.filter((menu) => menu.parentId === idOf('monitoring'));
    expect(below.map((menu) => [menu.name, menu.position])).toEqual([
      ['alarm-current', 0],
      ['monitor', 1],
      ['asset', 2],
    ]);
    // The group that it left is empty, so nobody sees it.
    expect(names(await routes(keeper))).not.toContain('alarms');
    expect(await refusal(move('monitoring', idOf('monitoring'), 0))).toBe('menu.circle');
    expect(await refusal(move('monitoring', idOf('monitor'), 0))).toBe('menu.circle');
    expect(await refusal(move('monitoring', 999_999, 0))).toBe('menu.not_found');
    await ask(move('alarm-current', idOf('alarms'), 0));
  });

  it('end in one order, however many are dragged at once', async () => {
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

  it('do not lose a group that still holds something', async () => {
    const group = { ...ENTRY, name: 'links', path: 'links', component: '/layout' };
    const { id } = await ask<Menu>({ method: 'POST', path: '/api/menu', json: group });
    const child = await ask<Menu>({ method: 'POST', path: '/api/menu', json: { ...ENTRY, parentId: id } });
    expect(await refusal({ method: 'DELETE', path: `/api/menu/${id}` })).toBe('menu.has_children');
    await ask({ method: 'DELETE', path: `/api/menu/${child.id}` });
    await ask({ method: 'DELETE', path: `/api/menu/${id}` });
  });
});

describe('permissions are per page', () => {
  it('the server returns a list for a page name', async () => {
    const onPage = (menuname: string, session: Session) =>
      ask({ path: '/api/operation/permission', query: { menuname }, session });
    expect(await onPage('alarm-current', keeper)).toEqual({
      permissions: ['alarm-current:handle', 'alarm-current:view'],
      unreadAnnouncements: 0,
    });
    expect(await onPage('management-menus', keeper)).toMatchObject({ permissions: [] });
    expect(await onPage('alarm', keeper)).toMatchObject({ permissions: [] });
  });
});

describe('operations', () => {
  const FORM = {
    code: 'management-users:audit',
    fullname: '稽核',
    nameEnglish: 'Audit',
    nameSpanish: 'Auditar',
    sortcode: '900',
    description: '',
  };
  const flat = (tree: OperationTree[]): OperationTree[] =>
    tree.flatMap((node) => [node, ...flat(node.children ?? [])]);
  const tree = async (roleId: number, session = platform) =>
    flat(await ask<OperationTree[]>({ path: `/api/operation/tree/${roleId}`, session }));
  async function pageId(name: string): Promise<number> {
    const { rows } = await server.pool.query('select id from menu where name = $1', [name]);
    return rows[0].id;
  }
  async function roleId(code: string): Promise<number> {
    const { rows } = await server.pool.query('select id from role where code = $1', [code]);
    return rows[0].id;
  }

  it('every permission of the catalogue stands in the tree, named', async () => {
    const nodes = await tree(0);
    const leaves = nodes.filter((node) => !node.children);
    expect(leaves.map((node) => node.key).sort()).toEqual([...PERMISSIONS].sort());
    for (const leaf of leaves) {
      expect(leaf.titles?.en).toMatch(/^[A-Z]/);
      expect(leaf).toMatchObject({ checked: false, grantable: true });
    }
  });

  it('the tree says what a role holds, and what the caller may give', async () => {
    const auditor = await tree(await roleId('auditor'));
    expect(auditor.find((node) => node.key === 'management-logs:export')).toMatchObject({ checked: true });
    expect(auditor.find((node) => node.key === 'management-menus:edit')).toMatchObject({ checked: false });
    const mine = await tree(0, keeper);
    expect(mine.find((node) => node.key === 'alarm-current:handle')?.grantable).toBe(true);
    expect(mine.find((node) => node.key === 'management-menus:edit')?.grantable).toBe(false);
  });

  it('what a role holds is shown to who may see roles', async () => {
    const path = `/api/operation/tree/${await roleId('auditor')}`;
    expect(await refusal({ path, session: keeper })).toBe('permission.denied');
    expect(await refusal({ path: '/api/operation/tree/999999' })).toBe('role.not_found');
  });

  it('one that is added is held by the platform administrator, renamed with its holders, and withdrawn', async () => {
    const page = await pageId('management-users');
    const made = await ask<Operation>({ method: 'POST', path: `/api/operation/${page}`, fields: FORM });
    expect(made).toMatchObject({ code: FORM.code, menuid: page, sortcode: 900, system: false });
    const holders = async (code: string) =>
      (
        await server.pool.query(
          'select r.code from role_permission p join role r on r.id = p.role_id where p.permission = $1',
          [code],
        )
      ).rows.map((row) => row.code);
    expect(await holders(FORM.code)).toEqual(['platform-administrator']);
    expect(await refusal({ method: 'POST', path: `/api/operation/${page}`, fields: FORM })).toBe(
      'operation.code_taken',
    );
    const renamed = { ...FORM, menuid: String(page), code: 'management-users:inspect' };
    await ask({ method: 'PUT', path: `/api/operation/${made.id}`, fields: renamed });
    expect(await holders(FORM.code)).toEqual([]);
    expect(await holders('management-users:inspect')).toEqual(['platform-administrator']);
    expect(await ask({ path: `/api/operation/info/${made.id}` })).toMatchObject({
      code: 'management-users:inspect',
    });
    await ask({ method: 'DELETE', path: `/api/operation/${made.id}` });
    expect(await holders('management-users:inspect')).toEqual([]);
    expect(await audited('operation', made.id)).toMatchObject([
      { action: 'create' },
      { action: 'change', before: { code: FORM.code }, after: { code: 'management-users:inspect' } },
      { action: 'delete' },
    ]);
  });

  it('one that comes with the program keeps its code, but takes other names', async () => {
    const page = await pageId('management-users');
    const operations = await ask<Operation[]>({ path: `/api/operation/list/${page}` });
    const view = operations.find((operation) => operation.code === 'management-users:view') as Operation;
    const form = {
      menuid: String(page),
      code: view.code,
      fullname: view.fullname,
      nameEnglish: 'Look',
      nameSpanish: view.nameSpanish,
      sortcode: String(view.sortcode),
      description: '',
    };
    const path = `/api/operation/${view.id}`;
    expect(await refusal({ method: 'PUT', path, fields: { ...form, code: 'management-users:peek' } })).toBe(
      'operation.system',
    );
    expect(await refusal({ method: 'DELETE', path })).toBe('operation.system');
    expect(await ask({ method: 'PUT', path, fields: form })).toMatchObject({ nameEnglish: 'Look' });
  });

  it('a code is page:action', async () => {
    const path = `/api/operation/${await pageId('management-users')}`;
    expect(await refusal({ method: 'POST', path, fields: { ...FORM, code: 'no colon' } })).toBe(
      'request.invalid',
    );
    expect(await refusal({ method: 'POST', path: '/api/operation/999999', fields: FORM })).toBe(
      'menu.not_found',
    );
  });
});

describe('the data dictionary', () => {
  const list = () => ask<Dictionary[]>({ path: '/api/dictionary' });
  const options = async (code: string, language: string) =>
    (
      await server.call<{ value: string; label: string }[]>({
        path: `/api/dictionary/${code}/options`,
        session: keeper,
        headers: { 'x-language': language },
      })
    ).data;

  it('brings its own choices in four languages', async () => {
    for (const { titles, items } of await list())
      for (const named of [{ titles }, ...items])
        expect(Object.keys(named.titles).sort()).toEqual(['en', 'es', 'zh-CN', 'zh-TW']);
  });

  it.each([
    ['en', 'Left the organisation'],
    ['es', 'Ya no trabaja en la organización'],
    ['zh-CN', '已离职'],
    ['zh-TW', '已離職'],
  ])('shows choices in the caller’s language: %s', async (language, label) => {
    expect((await options('disable-reason', language))[0]).toEqual({ value: 'left', label });
  });

  it('is made, changed item by item, and deleted', async () => {
    const made = await ask<Dictionary>({
      method: 'POST',
      path: '/api/dictionary',
      json: { code: 'colours', titles: { en: 'Colours' } },
    });
    const edit = (items: object[]) =>
      ask<Dictionary>({
        method: 'PUT',
        path: `/api/dictionary/${made.id}`,
        json: { titles: { en: 'Colours' }, items },
      });
    await edit([
      { value: 'red', titles: { en: 'Red' } },
      { value: 'green', titles: { en: 'Green' } },
    ]);
    const { items } = await edit([
      { value: 'blue', titles: { en: 'Blue', es: 'Azul' } },
      { value: 'red', titles: { en: 'Crimson' }, enabled: false },
    ]);
    expect(items.map((item) => [item.value, item.position, item.enabled])).toEqual([
      ['blue', 0, true],
      ['red', 1, false],
    ]);
    expect(await options('colours', 'es')).toEqual([{ value: 'blue', label: 'Azul' }]);
    expect(await options('colours', 'zh-TW')).toEqual([{ value: 'blue', label: 'Blue' }]);
    expect(
      await refusal({ method: 'POST', path: '/api/dictionary', json: { code: 'colours', titles: {} } }),
    ).toBe('dictionary.code_taken');
    await ask({ method: 'DELETE', path: `/api/dictionary/${made.id}` });
    expect((await audited('dictionary', made.id)).map((entry) => entry.action)).toEqual([
      'create',
      'change',
      'change',
      'delete',
    ]);
    expect(await refusal({ path: '/api/dictionary/colours/options' })).toBe('dictionary.not_found');
  });

  it('disables what the program brought instead of deleting it', async () => {
    const reasons = (await list()).find((each) => each.code === 'disable-reason') as Dictionary;
    const path = `/api/dictionary/${reasons.id}`;
    expect(await refusal({ method: 'DELETE', path })).toBe('dictionary.system');
    const kept = reasons.items.slice(1).map(({ value, titles, enabled }) => ({ value, titles, enabled }));
    const after = await ask<Dictionary>({
      method: 'PUT',
      path,
      json: { titles: reasons.titles, items: kept },
    });
    expect(after.items.find((item) => item.value === 'left')).toMatchObject({ enabled: false, system: true });
    expect((await options('disable-reason', 'en')).map((option) => option.value)).not.toContain('left');
  });

  it('refuses two items of one value', async () => {
    const { id, titles } = (await list())[0] as Dictionary;
    const item = { value: 'twice', titles: {} };
    expect(
      await refusal({ method: 'PUT', path: `/api/dictionary/${id}`, json: { titles, items: [item, item] } }),
    ).toBe('request.invalid');
  });
});

describe('white label', () => {
  const FORM = {
    environment: null,
    host: 'cold.example.org',
    title: 'Cold Example',
    collapsedTitle: 'CE',
    pageTitle: 'Cold </title><script>alert(1)</script>',
    copyrightEntity: 'Example Ltd',
  };
  async function site(host?: string): Promise<Site> {
    const url = new URL('/api/site', server.url);
    const answer = await new Promise<string>((resolve, reject) => {
      get(url, { headers: host ? { host } : {} }, (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve(body));
      }).on('error', reject);
    });
    return JSON.parse(answer).data;
  }
  const png = () =>
    sharp({ create: { width: 900, height: 300, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();

  it('begins with the requirements’ brands: default "Overseas Cloud", scm collapsed to "SCM"', async () => {
    const brands = await ask<Brand[]>({ path: '/api/setting/website' });
    expect(brands.map((brand) => [brand.environment, brand.title, brand.collapsedTitle])).toEqual([
      [null, 'Overseas Cloud', 'Overseas Cloud'],
      ['scm', 'Overseas Cloud', 'SCM'],
      ['zeek', 'Zeek', 'Zeek'],
      ['zkscool', 'Overseas Cloud', 'SCM'],
    ]);
    expect(await site()).toMatchObject({
      environment: 'scm',
      title: 'Overseas Cloud',
      collapsedTitle: 'SCM',
      copyright: `© ${new Date().getUTCFullYear()} Overseas Cloud`,
      showAppDownload: false,
      filing: '',
      registration: false,
    });
  });

  it('tells nothing but the brand before login', async () => {
    expect(JSON.stringify(await site())).not.toMatch(/secret|postgres|database/i);
  });

  it('is made for a host, with a logo that is re-encoded, and logged', async () => {
    const made = await ask<Brand>({ method: 'POST', path: '/api/setting/website', json: FORM });
    const logo = { name: 'logo.png', bytes: await png() };
    const { loginLogo } = await ask<Brand>({
      method: 'POST',
      path: `/api/setting/website/${made.id}/logo/login`,
      fields: { image: logo },
    });
    expect(loginLogo).toMatch(/^\/files\/images\/[0-9a-f]{32}$/);
    const image = await fetch(server.url + loginLogo);
    expect(image.headers.get('content-type')).toBe('image/webp');
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    const evil = { name: 'logo.png', bytes: Buffer.from('<svg onload="alert(1)"/>') };
    expect(
      await refusal({
        method: 'POST',
        path: `/api/setting/website/${made.id}/logo/menu`,
        fields: { image: evil },
      }),
    ).toBe('upload.format');
    await ask({ method: 'DELETE', path: `/api/setting/website/${made.id}/logo/login` });
    await ask({ method: 'PUT', path: `/api/setting/website/${made.id}`, json: { ...FORM, title: 'Colder' } });
    expect(await audited('brand', made.id)).toMatchObject([
      { action: 'create' },
      { action: 'change', before: { loginLogo: '' }, after: { loginLogo } },
      { action: 'change', before: { loginLogo }, after: { loginLogo: '' } },
      { action: 'change', before: { title: 'Cold Example' }, after: { title: 'Colder' } },
    ]);
    expect(await refusal({ method: 'POST', path: '/api/setting/website', json: FORM })).toBe('brand.taken');
  });

  it('is served to the host that it belongs to, and to no other', async () => {
    expect((await site('cold.example.org')).title).toBe('Colder');
    expect((await site('Cold.Example.org:8080')).title).toBe('Colder');
    expect((await site('cold.example.org.evil.test')).title).toBe('Overseas Cloud');
  });

  it('the one that fits everything stays', async () => {
    const [fallback] = await ask<Brand[]>({ path: '/api/setting/website' });
    const path = `/api/setting/website/${fallback?.id}`;
    expect(await refusal({ method: 'DELETE', path })).toBe('brand.fallback');
    expect(await refusal({ method: 'PUT', path, json: FORM })).toBe('brand.fallback');
  });

  it.each([
    ['a link that is none', { appDownloadUrl: 'javascript:alert(1)' }],
    ['a host with a path', { host: 'example.org/path' }],
    ['an environment that is none', { environment: 'staging' }],
    ['mass assignment', { fallback: true }],
  ])('refuses %s', async (_name, over) => {
    const json = { ...FORM, host: 'other.example.org', ...over };
    expect(await refusal({ method: 'POST', path: '/api/setting/website', json })).toBe('request.invalid');
  });
});

it('a restart keeps what an operator changed', async () => {
  const page = (await ask<Menu[]>({ path: '/api/menu' })).find(
    (menu) => menu.name === 'management-users',
  ) as Menu;
  const { id, system: _system, position: _position, operations, ...form } = page;
  await ask({
    method: 'PUT',
    path: `/api/menu/${id}`,
    json: { ...form, titles: { en: 'People' }, hidden: true },
  });
  const added = { code: 'management-users:audit', fullname: 'x' };
  await ask({ method: 'POST', path: `/api/operation/${id}`, fields: added });
  await seedRoles(server.pool);
  await createSettings({
    pool: server.pool,
    audit: { record: async () => undefined, recordAlone: async () => undefined },
    images: { store: async () => '', mount: () => undefined, jobs: [] },
    clock: systemClock,
    translate: createTranslator(),
    holders: permissionHolders,
    forgetCallers: () => undefined,
    site: { environment: 'scm', salt: '', languagePicker: true },
    isTrial: false,
    databases: [],
  });
  expect((await ask<Menu[]>({ path: '/api/menu' })).find((menu) => menu.id === id)).toMatchObject({
    titles: { en: 'People' },
    hidden: true,
    operations: operations + 1,
  });
  expect(
    await ask({ path: '/api/operation/permission', query: { menuname: 'management-users' } }),
  ).toMatchObject({ permissions: expect.arrayContaining(['management-users:audit']) });
});
