import type { Menu } from '@isotherm/contracts/menus';
import type { Operation, OperationTree } from '@isotherm/contracts/operations';
import { PERMISSIONS } from '@isotherm/domain/access/permissions';
import { createTranslator } from '@isotherm/i18n/translator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../platform/clock.ts';
import { type Asking, asking } from '../../../testing/asking.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { permissionHolders, seedRoles } from '../../identity/index.ts';
import { createSettings } from '../create-settings.ts';

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

describe('operations of pages', () => {
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

  it('every permission of the catalogue is in the operation tree, with a name', async () => {
    const nodes = await tree(0);
    const leaves = nodes.filter((node) => !node.children);
    expect(leaves.map((node) => node.key).sort()).toEqual([...PERMISSIONS].sort());
    for (const leaf of leaves) {
      expect(leaf.titles?.en).toMatch(/^[A-Z]/);
      expect(leaf).toMatchObject({ checked: false, grantable: true });
    }
  });

  it('the tree shows the permissions of a role, and those that the caller may grant', async () => {
    const auditor = await tree(await roleId('auditor'));
    expect(auditor.find((node) => node.key === 'management-logs:export')).toMatchObject({ checked: true });
    expect(auditor.find((node) => node.key === 'management-menus:edit')).toMatchObject({ checked: false });
    const mine = await tree(0, keeper);
    expect(mine.find((node) => node.key === 'alarm-current:acknowledge')?.grantable).toBe(true);
    expect(mine.find((node) => node.key === 'management-menus:edit')?.grantable).toBe(false);
  });

  it('permissions without a page are in groups of their own', async () => {
    const top = await ask<OperationTree[]>({ path: '/api/operation/tree/0' });
    const groups = top.filter(({ key }) => !/\d$/.test(key));
    expect(groups.map(({ title, children }) => [title, children?.map(({ key }) => key)])).toEqual([
      ['operations.group.system', ['system:view']],
    ]);
    expect((await tree(0)).filter(({ key }) => key === 'system:view')).toHaveLength(1);
  });

  it('the permissions of a role are visible to users who may see roles', async () => {
    const path = `/api/operation/tree/${await roleId('auditor')}`;
    expect(await refusal({ path, session: keeper })).toBe('permission.denied');
    expect(await refusal({ path: '/api/operation/tree/999999' })).toBe('role.not_found');
  });

  it('a new operation is granted to the platform administrator, renamed in all roles that have it, and removed from them', async () => {
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

  it('a built-in operation keeps its code, but accepts other names', async () => {
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

  it('a code of an operation has the form page:action', async () => {
    const path = `/api/operation/${await pageId('management-users')}`;
    expect(await refusal({ method: 'POST', path, fields: { ...FORM, code: 'no colon' } })).toBe(
      'request.invalid',
    );
    expect(await refusal({ method: 'POST', path: '/api/operation/999999', fields: FORM })).toBe(
      'menu.not_found',
    );
  });
});

it("a restart keeps an operator's changes", async () => {
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
    images: {
      encode: () => Promise.reject(new Error()),
      store: async () => '',
      mount: () => undefined,
      jobs: [],
    },
    clock: systemClock,
    translate: createTranslator(),
    holders: permissionHolders,
    forgetCallers: () => undefined,
    site: { environment: 'scm', salt: '', languagePicker: true, baseMap: null },
    unreadAnnouncements: async () => 0,
    isTrial: false,
    databases: [],
    reportPool: server.pool,
    resultJobs: { register: () => undefined, order: () => Promise.reject(new Error()) },
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
