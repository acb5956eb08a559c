import * as xlsx from '@e965/xlsx';
import type { UserDetail } from '@isotherm/contracts/users';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import {
  DEMO_PASSWORD,
  type Session,
  startTestServer,
  type TestServer,
} from '../../../testing/test-server.ts';

let server: TestServer;
let platform: Session;
let manager: Session;
let known: People;
let demo: number;
let operator: number;

beforeAll(async () => {
  server = await startTestServer();
  platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  known = people(server, platform);
  demo = await known.organizationId('DEMO');
  operator = await known.roleId('operator');
});
afterAll(() => server.stop());

const form = (over: object = {}) => ({
  realname: 'Wang Fang',
  organizationId: demo,
  accountType: 'staff',
  roleIds: [operator],
  ...over,
});
const make = (session: Session, over: object) =>
  server.call<{ id: number }>({ method: 'POST', path: '/api/user', session, json: form(over) });
const post = <T = unknown>(session: Session, path: string, json: object = {}) =>
  server.call<T>({ method: 'POST', path: `/api/user/${path}`, session, json });

describe('creating accounts', () => {
  it('the initial password equals the login account, is valid for one login and must be changed', async () => {
    expectDone(await make(manager, { username: 'wang.fang' }));
    const first = await server.logIn('wang.fang', 'wang.fang');
    expect(await server.call({ path: '/api/monitor/cards', session: first })).toMatchObject({
      status: 'session.password_change_due',
    });
    const session = await server.changePassword(first, 'wang.fang', DEMO_PASSWORD);
    expect(await server.call({ path: '/api/monitor/cards', session })).toMatchObject({ status: '1' });
    await expect(server.logIn('wang.fang', 'wang.fang')).rejects.toThrow('login.wrong');
  });

  it.each([
    ['"Login account: no whitespace"', { username: 'wang fang' }, 'username', 'Spaces are not allowed.'],
    ['"at least 8 characters"', { username: 'wang' }, 'username', 'At least 8 characters.'],
    [
      '"Full name: letters and spaces"',
      { username: 'user.bad', realname: '<img>' },
      'realname',
      /^Use letters/,
    ],
    ['"Mobile check"', { username: 'user.bad', mobile: '12' }, 'mobile', /^Enter 11 digits/],
    ['"E-mail pattern"', { username: 'user.bad', email: 'x' }, 'email', 'Enter a valid e-mail address.'],
    ['extra fields', { username: 'user.bad', isAdmin: 1 }, 'isAdmin', 'Unknown field.'],
    ['a missing role', { username: 'user.bad', roleIds: [] }, 'roleIds', 'At least one is needed.'],
  ])('an invalid account is refused with the name of the field: %s', async (_name, over, field, message) => {
    const answer = await make(manager, over);
    expect(answer).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
    expect(answer.data).toMatchObject({
      fields: [{ field, message: expect.stringMatching(message) }],
    });
  });

  it('errors are in the language of the caller', async () => {
    const answer = await server.call({
      method: 'POST',
      path: '/api/user',
      session: manager,
      json: form({ username: 'wang' }),
      headers: { 'x-language': 'zh-CN' },
    });
    expect(answer.message).toBe('username：至少 8 个字符。');
  });

  it.each([
    ['a name that is taken', { username: 'demo.manager' }, 'user.username_taken'],
    ['a role with more permissions', { roles: 'platform-administrator' }, 'role.escalation'],
    ['a superior organisation', { organization: 'PLATFORM' }, 'organization.not_found'],
    ['an administrator', { accountType: 'administrator' }, 'user.type'],
    ['a top agent', { accountType: 'top-agent' }, 'user.type'],
    ['a role that does not exist', { roleIds: [999_999] }, 'role.not_found'],
  ])('creating an account is refused: %s', async (_name, over: Record<string, unknown>, status) => {
    const { roles, organization, ...rest } = over;
    const answer = await make(manager, {
      username: 'user.more',
      ...(roles ? { roleIds: [await known.roleId(String(roles))] } : {}),
      ...(organization ? { organizationId: await known.organizationId(String(organization)) } : {}),
      ...rest,
    });
    expect(answer.status).toBe(status);
  });
});

describe('list of accounts', () => {
  it('own and subordinate accounts are paged, filtered, sorted and searched', async () => {
    for (const i of [1, 2, 3]) await make(manager, { username: `list.user${i}`, mobile: `1380013800${i}` });
    const list = (query: Record<string, string>, session = manager) =>
      server.call<{ items: { username: string }[]; total: number; counts: object }>({
        path: '/api/user',
        query,
        session,
      });
    const page = await list({ search: 'list.user', pageSize: '2', sort: 'username', order: 'desc' });
    expect(page.data.items.map((item) => item.username)).toEqual(['list.user3', 'list.user2']);
    expect(page.data).toMatchObject({ total: 3, counts: { active: expect.any(Number) } });
    expect((await list({ search: '13800138002' })).data.items.map((item) => item.username)).toEqual([
      'list.user2',
    ]);
    expect((await list({ search: '%' })).data.total).toBe(0);
    expect((await list({ search: 'demo.platform' })).data.total).toBe(0);
    const warehouse = String(await known.organizationId('DEMO-WAREHOUSE'));
    expect((await list({ organizationId: warehouse })).data.total).toBe(0);
    expect((await list({ roleId: String(operator), search: 'list.user' })).data.total).toBe(3);
    expect((await list({ state: 'disabled' })).data.total).toBe(0);
    expect((await list({ accountType: 'administrator' })).data.total).toBe(0);
    for (const sort of ['realname', 'organization', 'lastLoginAt', 'createdAt'])
      expect((await list({ sort })).status).toBe('1');
  });
});

describe('actions on another account', () => {
  it('disabling an account ends its sessions immediately, enabling restores it, and batches report failures by name', async () => {
    const session = await known.account('dis.abled', 'operator', 'DEMO');
    const id = await known.userId('dis.abled');
    const own = await known.userId('demo.manager');
    const answer = await post(manager, 'disable', { ids: [id, own, 999_999], reason: 'Left' });
    expect(answer.data).toEqual({
      success: 1,
      fail: 2,
      failures: [
        { id: own, name: 'demo.manager', message: 'You cannot do this to your own account.' },
        {
          id: 999_999,
          name: '999999',
          message: 'This account does not exist or belongs to another organisation.',
        },
      ],
    });
    expect(await server.call({ path: '/api/auth/info', session })).toMatchObject({ httpStatus: 401 });
    await expect(server.logIn('dis.abled')).rejects.toThrow('login.disabled');
    expect((await post(manager, 'enable', { ids: [id] })).data).toMatchObject({ success: 1 });
    await server.logIn('dis.abled');
  });

  it('resetting a password shows a random one-time password once and ends the sessions', async () => {
    const session = await known.account('reset.me', 'operator', 'DEMO');
    const id = await known.userId('reset.me');
    const { password } = expectDone(await post<{ password: string }>(manager, `${id}/reset-password`));
    expect(password).toMatch(/^[a-zA-Z2-9]{12}$/);
    expect(await server.call({ path: '/api/auth/info', session })).toMatchObject({ httpStatus: 401 });
    await expect(server.logIn('reset.me')).rejects.toThrow('login.wrong');
    const fresh = await server.logIn('reset.me', password);
    expect(await server.call({ path: '/api/monitor/cards', session: fresh })).toMatchObject({
      status: 'session.password_change_due',
    });
    const { rows } = await server.pool.query(
      `select action, after from audit_entry where action = 'password-reset' and object_id = $1`,
      [String(id)],
    );
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(password);
  });

  it('unlocking an account clears its failed logins', async () => {
    await known.account('lock.edout', 'operator', 'DEMO');
    const id = await known.userId('lock.edout');
    await server.pool.query(
      `insert into login_failure values ('account:lock.edout', 20, now()) on conflict (subject) do update set failures = 20, since = now()`,
    );
    await expect(server.logIn('lock.edout')).rejects.toThrow('login.locked');
    expect((await server.call({ path: `/api/user/${id}`, session: manager })).data).toMatchObject({
      state: 'locked',
      lockedUntil: expect.any(String),
    });
    expect((await post(manager, `${id}/unlock`)).data).toMatchObject({ state: 'active', lockedUntil: null });
    await server.logIn('lock.edout');
  });

  it('deleting an account removes it, and the audit log keeps its name', async () => {
    await known.account('delete.me', 'operator', 'DEMO');
    const id = await known.userId('delete.me');
    const answer = await server.call({
      method: 'DELETE',
      path: `/api/user/${id}`,
      session: manager,
      json: { reason: 'Left' },
    });
    expect(answer.status).toBe('1');
    await expect(server.logIn('delete.me')).rejects.toThrow('login.wrong');
    const { rows } = await server.pool.query(
      `select object_name, reason, before from audit_entry where action = 'delete' and object_id = $1`,
      [String(id)],
    );
    expect(rows).toMatchObject([{ object_name: 'delete.me', reason: 'Left' }]);
  });

  it('the sessions of an account are listed, and can all be ended', async () => {
    const session = await known.account('many.places', 'operator', 'DEMO');
    await server.logIn('many.places');
    const id = await known.userId('many.places');
    const list = await server.call<{ current: boolean }[]>({
      path: `/api/user/${id}/session`,
      session: manager,
    });
    expect(list.data.length).toBeGreaterThanOrEqual(2);
    expect(list.data.some((each) => each.current)).toBe(false);
    await server.call({ method: 'DELETE', path: `/api/user/${id}/session`, session: manager });
    expect(await server.call({ path: '/api/auth/info', session })).toMatchObject({ httpStatus: 401 });
  });

  it('nobody can act on an account that has permissions they lack, since resetting its password would give them these permissions', async () => {
    const limited = await known.account('limited.admin', 'quality-manager', 'DEMO');
    const role = expectDone(
      await server.call<{ id: number }>({
        method: 'POST',
        path: '/api/role',
        session: platform,
        json: {
          name: 'Resetter',
          organizationId: demo,
          pagePermissions: ['management-users:view', 'management-users:reset', 'management-users:edit'],
        },
      }),
    );
    const id = await known.userId('limited.admin');
    const edited = form({ realname: 'Limited', roleIds: [role.id] });
    await server.call({ method: 'PUT', path: `/api/user/${id}`, session: platform, json: edited });
    const target = await known.userId('demo.manager');
    expect(await post(limited, `${target}/reset-password`)).toMatchObject({
      httpStatus: 403,
      status: 'role.escalation',
    });
    expect(
      await server.call({ method: 'PUT', path: `/api/user/${target}`, session: limited, json: form() }),
    ).toMatchObject({ status: 'role.escalation' });
  });

  it('a mobile number, which is used to reset a forgotten password, is changed only by users who may reset passwords', async () => {
    const editor = await known.account('edit.or01', 'driver', 'DEMO', {
      roleIds: [
        expectDone(
          await server.call<{ id: number }>({
            method: 'POST',
            path: '/api/role',
            session: platform,
            json: {
              name: 'Editor',
              organizationId: demo,
              pagePermissions: [
                'management-users:view',
                'management-users:edit',
                'monitor:view',
                'asset:view',
              ],
            },
          }),
        ).id,
      ],
    });
    const role = expectDone(
      await server.call<{ id: number }>({
        method: 'POST',
        path: '/api/role',
        session: platform,
        json: { name: 'Looker', organizationId: demo, pagePermissions: ['monitor:view'] },
      }),
    );
    await known.account('look.er01', 'driver', 'DEMO', { roleIds: [role.id] });
    const path = `/api/user/${await known.userId('look.er01')}`;
    const put = (session: Session, over: object) =>
      server.call({ method: 'PUT', path, session, json: form({ roleIds: [role.id], ...over }) });
    expect(await put(editor, { realname: 'Another Name' })).toMatchObject({ status: '1' });
    expect(await put(editor, { mobile: '13800138999' })).toMatchObject({ status: 'permission.denied' });
    expect(await put(manager, { mobile: '13800138999' })).toMatchObject({ status: '1' });
  });

  it('nobody can act on an account of a type that they could not grant', async () => {
    await known.account('admin.kind1', 'operator', 'DEMO', { accountType: 'administrator' });
    const id = await known.userId('admin.kind1');
    expect(await post(manager, `${id}/reset-password`)).toMatchObject({ status: 'user.type' });
  });

  it('nobody can change their own roles, type or organisation', async () => {
    const id = await known.userId('demo.manager');
    const roles = [await known.roleId('enterprise-administrator')];
    const put = (over: object) =>
      server.call({ method: 'PUT', path: `/api/user/${id}`, session: manager, json: form(over) });
    expect(await put({ roleIds: [...roles, operator] })).toMatchObject({ status: 'user.self' });
    expect(await put({ roleIds: roles, accountType: 'enterprise' })).toMatchObject({ status: 'user.self' });
    expect(await put({ realname: 'Lin Yue', roleIds: roles })).toMatchObject({ status: '1' });
  });

  it('accounts of a sibling organisation are reported as unknown', async () => {
    const below = await known.account('below.keeper', 'enterprise-administrator', 'DEMO-WAREHOUSE');
    await known.account('sib.ling1', 'operator', 'DEMO-HOSPITAL');
    const id = await known.userId('sib.ling1');
    expect(await server.call({ path: `/api/user/${id}`, session: below })).toMatchObject({ httpStatus: 404 });
    expect(await post(below, `${id}/reset-password`)).toMatchObject({ httpStatus: 404 });
    expect((await post(below, 'disable', { ids: [id], reason: 'x' })).data).toMatchObject({ fail: 1 });
  });
});

it('a new account gets the time zone of its organisation, and an edit without a time zone keeps the stored one', async () => {
  await server.pool.query(`update organization set time_zone = 'Asia/Kolkata' where code = 'DEMO'`);
  const made = expectDone(await make(manager, { username: 'zone.less1' })) as UserDetail;
  expect(made.timeZone).toBe('Asia/Kolkata');
  const put = async (over: object = {}) =>
    server.call<UserDetail>({
      method: 'PUT',
      path: `/api/user/${made.id}`,
      session: manager,
      json: form(over),
    });
  expect((await put({ timeZone: 'Asia/Calcutta' })).data.timeZone).toBe('Asia/Calcutta');
  expect((await put()).data.timeZone).toBe('Asia/Calcutta');
  await server.pool.query(`update organization set time_zone = 'UTC' where code = 'DEMO'`);
});

describe('spreadsheets of accounts', () => {
  const sheet = (rows: unknown[][]) => {
    const book = xlsx.utils.book_new();
    xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet(rows), 'Users');
    return xlsx.write(book, { type: 'buffer', bookType: 'xlsx' }) as Uint8Array;
  };
  const upload = (rows: unknown[][], dryRun: boolean, session = manager) =>
    server.call<{
      success: number;
      fail: number;
      failures: { row: number; column: string }[];
      written: boolean;
    }>({
      method: 'POST',
      path: '/api/user/import',
      session,
      fields: { file: { name: 'users.xlsx', bytes: sheet(rows) }, dryRun: String(dryRun) },
    });
  const HEAD = ['Account *', '姓名', 'Organisation', 'Roles', 'Mobile', 'E-mail'];
  const ROWS = [
    HEAD,
    ['import.one', 'One', 'DEMO-HOSPITAL', 'Operator', '13800138000', ''],
    ['import.two', 'Two', 'DEMO-HOSPITAL', '操作员; driver', '', 'two@example.org'],
    ['short', 'Three', 'DEMO-HOSPITAL', 'Operator', '', ''],
    ['import.four', 'Four', 'PLATFORM', 'Operator', '', ''],
    ['import.five', 'Five', 'DEMO', 'Emperor', '', ''],
    ['import.one', 'Six', 'DEMO', 'Operator', '', ''],
    ['demo.manager', 'Seven', 'DEMO', 'Operator', '', ''],
    ['import.eight', 'Eight', 'DEMO', 'platform-administrator', '12', ''],
    ['import.nine', 'Nine', 'DEMO', 'platform-administrator', '', ''],
  ];
  const FAULTS = [
    [4, 'Account', 'At least 8 characters.'],
    [5, 'Organisation', expect.stringMatching(/^No organisation has this code/)],
    [6, 'Roles', 'No role has this name: Emperor.'],
    [7, 'Account', 'Duplicate of row 2.'],
    [8, 'Account', 'The account demo.manager already exists.'],
    [9, 'Mobile', expect.stringMatching(/^Enter 11 digits/)],
    [
      10,
      'Roles',
      expect.stringMatching(/^You can only grant permissions that you have\. Missing: .*Menus: Edit/),
    ],
  ].map(([row, column, message]) => ({ row, column, message, value: expect.any(String) }));

  it('a dry run reports errors row by row and stores nothing', async () => {
    const { data } = await upload(ROWS, true);
    expect(data).toMatchObject({ rows: 9, success: 2, fail: 7, written: false, failures: FAULTS });
    await expect(known.userId('import.one')).rejects.toThrow();
  });

  it('the import stores the valid rows, reports the others, and is logged', async () => {
    const { data } = await upload(ROWS, false);
    expect(data).toMatchObject({ success: 2, fail: 7, written: true, failures: FAULTS });
    await server.logIn('import.two', 'import.two');
    const { rows } = await server.pool.query(
      `select after from audit_entry where action = 'import' order by seq desc limit 1`,
    );
    expect(rows[0].after).toMatchObject({ rows: 9, success: 2, fail: 7 });
  });

  it('missing columns are reported by name', async () => {
    expect(await upload([['Account'], ['x']], true)).toMatchObject({
      status: 'import.columns',
      message: 'Missing columns: Full name, Organisation, Roles. Start from the template.',
    });
  });

  it('a file that is not a spreadsheet is refused', async () => {
    const answer = await server.call({
      method: 'POST',
      path: '/api/user/import',
      session: manager,
      fields: { file: { name: '../../etc/passwd', bytes: Buffer.from('x') }, dryRun: 'true' },
    });
    expect(answer).toMatchObject({
      status: 'import.format',
      message: 'Upload format must be xls or xlsx.',
    });
  });

  it('the template can be filled in and imported; the export contains the filtered list', async () => {
    const template = await server.call<{ content: string }>({ path: '/api/user/template', session: manager });
    const book = xlsx.read(Buffer.from(template.data.content, 'base64'));
    const rows = xlsx.utils.sheet_to_json<string[]>(
      book.Sheets[book.SheetNames[0] as string] as xlsx.WorkSheet,
      {
        header: 1,
      },
    );
    const [head = [], ...below] = rows;
    expect(below).toEqual([]);
    const notes = xlsx.utils.sheet_to_json<string[]>(
      book.Sheets[book.SheetNames[1] as string] as xlsx.WorkSheet,
      { header: 1 },
    );
    expect(notes[0]).toEqual(['Column', 'Example']);
    const example = notes.slice(1).map(([, value]) => value ?? '');
    expect((await upload([head, ['from.template', ...example.slice(1)]], true)).data).toMatchObject({
      success: 1,
      fail: 0,
    });
    const exported = await server.call<{ content: string; rows: number }>({
      path: '/api/user/export',
      query: { search: 'import.' },
      session: manager,
    });
    expect(exported.data.rows).toBe(2);
    const sheetOut = xlsx.read(Buffer.from(exported.data.content, 'base64'));
    expect(JSON.stringify(sheetOut)).toContain('import.one');
  });
});

it('the list of agents to choose from is returned', async () => {
  expectDone(
    await server.call({
      method: 'POST',
      path: '/api/user',
      session: platform,
      json: {
        ...form({ username: 'agent.one', accountType: 'agent', roleIds: [await known.roleId('agent')] }),
      },
    }),
  );
  const agents = await server.call<{ id: number }[]>({ path: '/api/user/agents', session: manager });
  const [agent] = agents.data;
  expectDone(await make(manager, { username: 'has.agent', agentId: agent?.id }));
  expect((await make(manager, { username: 'no.agent1', agentId: operator + 100_000 })).status).toBe(
    'user.not_found',
  );
});
