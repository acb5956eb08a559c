import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let platform: Session;
let manager: Session;
let known: People;
let demo: number;

beforeAll(async () => {
  server = await startTestServer();
  platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  known = people(server, platform);
  demo = await known.organizationId('DEMO');
});
afterAll(() => server.stop());

interface RoleAnswer {
  id: number;
  code: string | null;
  name: string;
  pagePermissions: string[];
  grantable: boolean;
  editable: boolean;
  holders: number;
}

const make = (session: Session, over: object = {}) =>
  server.call<RoleAnswer>({
    method: 'POST',
    path: '/api/role',
    session,
    json: { name: 'Night watch', organizationId: demo, pagePermissions: ['monitor:view'], ...over },
  });
const edit = (session: Session, id: number, over: object) =>
  server.call<RoleAnswer>({
    method: 'PUT',
    path: `/api/role/${id}`,
    session,
    json: { name: 'Night watch', organizationId: demo, pagePermissions: ['monitor:view'], ...over },
  });
const remove = (session: Session, id: number) =>
  server.call({ method: 'DELETE', path: `/api/role/${id}`, session, json: { reason: 'Not needed' } });
const list = async (session: Session) =>
  expectDone(await server.call<RoleAnswer[]>({ path: '/api/role', session }));

it('system roles are visible to everybody, and granted only by users who have all of their permissions', async () => {
  const byManager = new Map((await list(manager)).map((role) => [role.code, role]));
  expect(byManager.get('operator')).toMatchObject({ grantable: true, editable: false });
  expect(byManager.get('platform-administrator')).toMatchObject({ grantable: false, editable: false });
  const byPlatform = new Map((await list(platform)).map((role) => [role.code, role]));
  expect(byPlatform.get('platform-administrator')).toMatchObject({ grantable: true });
});

describe('roles of an organisation', () => {
  it('a role is created, edited, assigned, and deleted when nobody has it', async () => {
    const role = expectDone(await make(manager, { name: 'Watch' }));
    expect(role).toMatchObject({
      code: null,
      name: 'Watch',
      pagePermissions: ['monitor:view'],
      editable: true,
    });
    const changed = expectDone(
      await edit(manager, role.id, { name: 'Watch', pagePermissions: ['monitor:view', 'asset:view'] }),
    );
    expect(changed.pagePermissions).toEqual(['asset:view', 'monitor:view']);
    await known.account('watch.keeper', 'driver', 'DEMO', { roleIds: [role.id] });
    expect((await list(manager)).find((each) => each.id === role.id)?.holders).toBe(1);
    const holders = await server.call({ path: `/api/role/${role.id}/holders`, session: manager });
    expect(holders.data).toMatchObject([{ username: 'watch.keeper' }]);
    expect(await remove(manager, role.id)).toMatchObject({
      status: 'role.in_use',
      message: 'One account has this role. Assign another role first.',
    });
    const spare = expectDone(await make(manager, { name: 'Spare' }));
    expect(await remove(manager, spare.id)).toMatchObject({ status: '1' });
  });

  it('a change of a role takes effect with the next request', async () => {
    const role = expectDone(
      await make(manager, { name: 'Audit log', pagePermissions: ['management-logs:view'] }),
    );
    const reader = await known.account('logs.reader', 'driver', 'DEMO', { roleIds: [role.id] });
    expect((await server.call({ path: '/api/log', session: reader })).status).toBe('1');
    await edit(manager, role.id, { name: 'Audit log', pagePermissions: ['monitor:view'] });
    expect(await server.call({ path: '/api/log', session: reader })).toMatchObject({ httpStatus: 403 });
  });

  it('a role has a unique name in its organisation, ignoring case', async () => {
    expectDone(await make(manager, { name: 'Once' }));
    expect(await make(manager, { name: 'ONCE' })).toMatchObject({ status: 'role.name_taken' });
  });
});

describe('role escalation', () => {
  it('nobody can add permissions to a role that they do not have', async () => {
    const answer = await make(manager, { name: 'More', pagePermissions: ['management-menus:edit'] });
    expect(answer).toMatchObject({ httpStatus: 403, status: 'role.escalation' });
    expect(answer.message).toContain('Menus: Edit');
    const role = expectDone(await make(manager, { name: 'Later' }));
    const later = { name: 'Later', pagePermissions: ['monitor:view', 'system:view'] };
    expect(await edit(manager, role.id, later)).toMatchObject({ status: 'role.escalation' });
  });

  it('nobody can change a role that they have themselves', async () => {
    const permissions = ['management-roles:view', 'management-roles:edit', 'management-roles:delete'];
    const role = expectDone(await make(manager, { name: 'Own', pagePermissions: permissions }));
    const holder = await known.account('own.holder', 'driver', 'DEMO', { roleIds: [role.id] });
    const over = { name: 'Own', pagePermissions: [...permissions] };
    expect(await edit(holder, role.id, over)).toMatchObject({ status: 'role.own' });
    expect(await remove(holder, role.id)).toMatchObject({ status: 'role.own' });
  });

  it('system roles cannot be changed', async () => {
    const id = await known.roleId('operator');
    expect(await edit(platform, id, { name: 'Operator' })).toMatchObject({ status: 'role.system' });
    expect(await remove(platform, id)).toMatchObject({ status: 'role.system' });
  });

  it('organisations below the owner of a role can use it but not change it, and a sibling organisation does not see it', async () => {
    const role = expectDone(await make(manager, { name: 'Above' }));
    const below = await known.account('below.admin', 'enterprise-administrator', 'DEMO-HOSPITAL');
    const hospital = await known.organizationId('DEMO-HOSPITAL');
    expect((await list(below)).find((each) => each.id === role.id)).toMatchObject({ editable: false });
    expect(await edit(below, role.id, { name: 'Above', organizationId: hospital })).toMatchObject({
      httpStatus: 404,
    });
    const own = expectDone(await make(below, { name: 'Ward', organizationId: hospital }));
    const sibling = await known.account('sibling.admin', 'enterprise-administrator', 'DEMO-WAREHOUSE');
    expect((await list(sibling)).find((each) => each.id === own.id)).toBeUndefined();
    expect(await edit(sibling, own.id, { name: 'Mine' })).toMatchObject({ httpStatus: 404 });
    expect(await make(below, { name: 'Outside', organizationId: demo })).toMatchObject({
      status: 'organization.not_found',
    });
  });
});

it('a role can only be assigned in its organisation and below, so that it never gives rights over superiors', async () => {
  const role = expectDone(await make(manager, { name: 'Low' }));
  const above = await server.call({
    method: 'POST',
    path: '/api/user',
    session: platform,
    json: {
      username: 'above.holder',
      realname: 'Above',
      accountType: 'staff',
      roleIds: [role.id],
      organizationId: await known.organizationId('PLATFORM'),
    },
  });
  expect(above.status).toBe('role.not_found');
  await known.account('low.holder', 'driver', 'DEMO', { roleIds: [role.id] });
  const hospital = await known.organizationId('DEMO-HOSPITAL');
  // The role cannot be moved to an organisation that does not include the accounts with this role.
  expect(await edit(manager, role.id, { name: 'Low', organizationId: hospital })).toMatchObject({
    status: 'role.in_use',
  });
});

it('nobody can change a role that has more permissions than they have', async () => {
  const strong = expectDone(
    await server.call<RoleAnswer>({
      method: 'POST',
      path: '/api/role',
      session: platform,
      json: { name: 'Strong', organizationId: demo, pagePermissions: ['system:view', 'monitor:view'] },
    }),
  );
  expect(await edit(manager, strong.id, { name: 'Strong', pagePermissions: [] })).toMatchObject({
    status: 'role.escalation',
  });
});

it('a role that requires a second factor blocks all other routes until it is set up', async () => {
  const role = expectDone(await make(manager, { name: 'Strict', requiresSecondFactor: true }));
  const strict = await known.account('strict.keeper', 'driver', 'DEMO', { roleIds: [role.id] });
  expect(await server.call({ path: '/api/monitor/cards', session: strict })).toMatchObject({
    httpStatus: 403,
    status: 'session.second_factor_due',
  });
  const profile = await server.call({ path: '/api/auth/info', session: strict });
  expect(profile.data).toMatchObject({ mustEnrolSecondFactor: true });
});

it('a change of permissions is logged with its own entry', async () => {
  const role = expectDone(await make(manager, { name: 'Audited' }));
  await edit(manager, role.id, { name: 'Audited', pagePermissions: ['asset:view'] });
  const { rows } = await server.pool.query(
    `select action, before, after from audit_entry where object_kind = 'role' and object_id = $1 order by seq`,
    [String(role.id)],
  );
  expect(rows.at(-1)).toMatchObject({
    action: 'permission-change',
    before: { permissions: ['monitor:view'] },
    after: { permissions: ['asset:view'] },
  });
});
