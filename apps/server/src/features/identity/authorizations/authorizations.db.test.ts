import type { Authorization } from '@isotherm/contracts/authorizations';
import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { PERSONAL_PERMISSIONS } from '@isotherm/domain/access/permissions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const clock = { offset: 0, now: () => Date.now() + clock.offset };
const DAY = 86_400_000;
let server: TestServer;
let manager: Session;
let known: People;
let demo: number;

beforeAll(async () => {
  server = await startTestServer({ clock });
  const platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  known = people(server, platform);
  demo = await known.organizationId('DEMO');
  await known.organization('KEY-SIBLING', 'PLATFORM', 'org');
  await known.account('key.sibling', 'enterprise-administrator', 'KEY-SIBLING');
});
afterAll(() => server.stop());

interface Made {
  authorization: { id: number; state: string; keyPrefix: string };
  secret: string;
}
const make = (over: object = {}, session = manager) =>
  server.call<Made>({
    method: 'POST',
    path: '/api/authorization',
    session,
    json: { name: 'ERP', organizationId: demo, permissions: ['monitor:view'], kind: 'key', ...over },
  });
const asMachine = async (key: string, path: string, options: RequestInit = {}) => {
  const response = await fetch(`${server.url}/api${path}`, {
    ...options,
    headers: { authorization: `Bearer ${key}` },
  });
  return { httpStatus: response.status, ...((await response.json()) as { status: string; data: unknown }) };
};
const revoke = (id: number, session = manager) =>
  server.call({ method: 'POST', path: `/api/authorization/${id}/revoke`, session, json: { reason: 'Lost' } });

describe('API keys', () => {
  it('an API key can call the routes it has permissions for, within its organisation, without a signature', async () => {
    const { secret, authorization } = expectDone(await make());
    expect(secret).toMatch(/^iso_[\w-]{32}$/);
    expect(authorization).toMatchObject({ state: 'active', keyPrefix: secret.slice(0, 10) });
    expect(await asMachine(secret, '/authorization/self')).toMatchObject({
      data: { kind: 'machine', name: 'ERP', organizationId: demo, permissions: ['monitor:view'] },
    });
    expect(await asMachine(secret, '/monitor/cards')).toMatchObject({ status: '1' });
    expect(await asMachine(secret, '/user')).toMatchObject({ httpStatus: 403, status: 'permission.denied' });
  });

  it('an API key is not a user account, so routes for the caller’s own account refuse it', async () => {
    const { secret } = expectDone(await make());
    for (const path of ['/account', '/auth/info', '/auth/token', '/menu/routerinfo', '/renewalnotice/web'])
      expect(await asMachine(secret, path), path).toMatchObject({ httpStatus: 403 });
  });

  it('an API key has no name of a user, in any case', async () => {
    expect(await make({ name: 'Demo.Manager' })).toMatchObject({ status: 'authorization.username' });
  });

  it('a user has no name of an API key, in any case', async () => {
    expectDone(await make({ name: 'Night.Import' }));
    await expect(known.account('night.import', 'enterprise-administrator', 'KEY-SIBLING')).rejects.toThrow(
      'user.username_taken',
    );
  });

  it('an API key has no permission that only a person may have, and calls no route that needs one', async () => {
    for (const permission of PERSONAL_PERMISSIONS)
      expect(await make({ permissions: ['monitor:view', permission] })).toMatchObject({
        status: 'role.escalation',
      });
    const { secret, authorization } = expectDone(await make());
    // A key that an earlier release made.
    await server.pool.query('update machine_authorization set permissions = $2 where id = $1', [
      authorization.id,
      PERSONAL_PERMISSIONS,
    ]);
    const routes = ALL_ROUTES.filter(({ access }) => PERSONAL_PERMISSIONS.some((each) => each === access));
    expect(new Set(routes.map(({ access }) => access)).size).toBe(PERSONAL_PERMISSIONS.length);
    for (const { method, path } of routes)
      expect(await asMachine(secret, path.replace(/:\w+/g, '1'), { method })).toMatchObject({
        httpStatus: 403,
      });
  });

  it('an API key is shown once and not stored', async () => {
    const { secret } = expectDone(await make());
    const list = await server.call({ path: '/api/authorization', session: manager });
    expect(JSON.stringify(list.data)).not.toContain(secret);
    const { rows } = await server.pool.query(
      `select (select string_agg(m::text, '') from machine_authorization m) || (select string_agg(e::text, '') from audit_entry e) as text`,
    );
    expect(rows[0].text).not.toContain(secret.slice(12));
  });

  it('an API key has no more rights than its creator has now, and none after the creator is deleted', async () => {
    const maker = await known.account('key.maker', 'enterprise-administrator', 'DEMO');
    const { secret } = expectDone(
      await make({ permissions: ['monitor:view', 'management-users:view'] }, maker),
    );
    expect(await asMachine(secret, '/user')).toMatchObject({ status: '1' });
    const makerId = await known.userId('key.maker');
    await server.pool.query('update account_role set role_id = $2 where account_id = $1', [
      makerId,
      await known.roleId('operator'),
    ]);
    expect(await asMachine(secret, '/user')).toMatchObject({ httpStatus: 403 });
    expect(await asMachine(secret, '/monitor/cards')).toMatchObject({ status: '1' });
    const disabled = await server.call({
      method: 'POST',
      path: '/api/user/disable',
      session: manager,
      json: { ids: [makerId], reason: 'Left' },
    });
    expect(disabled.status).toBe('1');
    expect(await asMachine(secret, '/monitor/cards')).toMatchObject({ httpStatus: 401 });
  });

  it('an API key is shown as ended, with the reason, while its creator is disabled, deleted or moved away', async () => {
    const maker = await known.account('key.ended', 'enterprise-administrator', 'DEMO');
    const { authorization } = expectDone(await make({}, maker));
    const shown = async (state = 'ended') => {
      const { data } = await server.call<{ items: Authorization[] }>({
        path: '/api/authorization',
        query: { state, pageSize: '100' },
        session: manager,
      });
      return data.items.find(({ id }) => id === authorization.id)?.endReason;
    };
    const id = await known.userId('key.ended');
    const set = (text: string) => server.pool.query(`update account set ${text} where id = $1`, [id]);
    expect(await shown('active')).toBeNull();
    await set('disabled_at = now()');
    expect(await shown()).toBe('maker-disabled');
    await set(
      `disabled_at = null, organization_id = (select id from organization where code = 'DEMO-HOSPITAL')`,
    );
    expect(await shown()).toBe('maker-moved');
    await server.pool.query('update machine_authorization set maker_id = null where id = $1', [
      authorization.id,
    ]);
    expect(await shown()).toBe('maker-gone');
    expect(await shown('active')).toBeUndefined();
  });

  it('an API key ends with its creator, even if another user gets the same user name', async () => {
    const maker = await known.account('key.namesake', 'enterprise-administrator', 'DEMO');
    const { secret } = expectDone(await make({}, maker));
    expect(await asMachine(secret, '/monitor/cards')).toMatchObject({ status: '1' });
    const deleted = await server.call({
      method: 'DELETE',
      path: `/api/user/${await known.userId('key.namesake')}`,
      session: manager,
      json: { reason: 'Left' },
    });
    expect(deleted.status).toBe('1');
    await known.account('key.namesake', 'enterprise-administrator', 'KEY-SIBLING');
    expect(await asMachine(secret, '/monitor/cards')).toMatchObject({
      httpStatus: 401,
      status: 'authorization.wrong',
    });
  });

  it("an API key is refused while its organisation is outside its creator's scope", async () => {
    const maker = await known.account('key.mover', 'enterprise-administrator', 'DEMO');
    const { secret } = expectDone(await make({}, maker));
    const moveTo = async (code: string) =>
      server.pool.query('update account set organization_id = $2 where id = $1', [
        await known.userId('key.mover'),
        await known.organizationId(code),
      ]);
    await moveTo('DEMO-HOSPITAL');
    expect(await asMachine(secret, '/monitor/cards')).toMatchObject({ httpStatus: 401 });
    await moveTo('KEY-SIBLING');
    expect(await asMachine(secret, '/monitor/cards')).toMatchObject({ httpStatus: 401 });
    await moveTo('DEMO');
    expect(await asMachine(secret, '/monitor/cards')).toMatchObject({ status: '1' });
  });

  it("an API key that was created by the previous release belongs to its creator's account", async () => {
    const maker = await known.account('key.older', 'enterprise-administrator', 'DEMO');
    const { secret } = expectDone(await make({}, maker));
    const { rows } = await server.pool.query<{ id: number }>(
      `insert into machine_authorization (organization_id, name, permissions, key_hash, created_by, created_at)
       select organization_id, name, permissions, sha256(key_hash), created_by, created_at
         from machine_authorization where key_prefix = $1 returning maker_id as id`,
      [secret.slice(0, 10)],
    );
    expect(rows[0]?.id).toBe(await known.userId('key.older'));
  });

  it.each(['iso_wrong', 'nonsense', `iso_${'A'.repeat(32)}`])('an API key is refused: %s', async (key) => {
    expect(await asMachine(key, '/monitor/cards')).toMatchObject({
      httpStatus: 401,
      status: 'authorization.wrong',
    });
  });

  it('an API key ends when it is revoked or expires', async () => {
    const revoked = expectDone(await make());
    expect(await revoke(revoked.authorization.id)).toMatchObject({ data: { state: 'revoked' } });
    expect(await revoke(revoked.authorization.id)).toMatchObject({ status: 'authorization.ended' });
    expect(await asMachine(revoked.secret, '/monitor/cards')).toMatchObject({ httpStatus: 401 });
    const short = expectDone(await make({ validDays: 1 }));
    clock.offset += DAY + 1000;
    expect(await asMachine(short.secret, '/monitor/cards')).toMatchObject({ httpStatus: 401 });
    manager = await server.logIn('demo.manager');
  });

  it('an active API key is renewed by its original period by a user who has its permissions', async () => {
    const renew = (id: number, session = manager) =>
      server.call<Authorization>({ method: 'POST', path: `/api/authorization/${id}/renew`, session });
    const { secret, authorization } = expectDone(await make({ validDays: 10 }));
    await server.pool.query('update machine_authorization set expires_at = $2 where id = $1', [
      authorization.id,
      new Date(clock.now() + DAY),
    ]);
    const renewed = expectDone(await renew(authorization.id));
    expect(Math.round((Date.parse(renewed.expiresAt as string) - clock.now()) / DAY)).toBe(10);
    expect(await asMachine(secret, '/monitor/cards')).toMatchObject({ status: '1' });
    const { rows } = await server.pool.query(
      `select before, after from audit_entry
        where object_kind = 'authorization' and object_id = $1 and action = 'change'`,
      [String(authorization.id)],
    );
    expect(rows).toEqual([
      { before: { expiresAt: expect.any(String) }, after: { expiresAt: renewed.expiresAt } },
    ]);
    const sibling = await server.logIn('key.sibling');
    expect(await renew(authorization.id, sibling)).toMatchObject({ httpStatus: 404 });
    const unlimited = expectDone(await make({ validDays: null }));
    expect(await renew(unlimited.authorization.id)).toMatchObject({ status: 'authorization.not_renewable' });
    await revoke(authorization.id);
    expect(await renew(authorization.id)).toMatchObject({ status: 'authorization.not_renewable' });
    await server.pool.query(
      `update machine_authorization set permissions = '{management-menus:edit}' where id = $1`,
      [unlimited.authorization.id],
    );
    expect(await renew(unlimited.authorization.id)).toMatchObject({ status: 'role.escalation' });
  });

  it('nobody can grant an API key permissions that they lack, or that only users may have', async () => {
    expect(await make({ permissions: ['management-menus:edit'] })).toMatchObject({
      status: 'role.escalation',
    });
    expect(await make({ permissions: ['alarm-current:acknowledge'] })).toMatchObject({
      status: 'role.escalation',
    });
    const outside = await known.organizationId('PLATFORM');
    expect(await make({ organizationId: outside })).toMatchObject({ status: 'organization.not_found' });
  });

  it('a sibling organisation can neither see nor revoke an API key', async () => {
    const { authorization } = expectDone(await make());
    const sibling = await server.logIn('key.sibling');
    const list = await server.call<{ total: number }>({ path: '/api/authorization', session: sibling });
    expect(list.data.total).toBe(0);
    expect(await revoke(authorization.id, sibling)).toMatchObject({ httpStatus: 404 });
  });
});

describe('authorization codes', () => {
  const redeem = (code: string) =>
    server.call<{ key: string }>({ method: 'POST', path: '/api/authorization/redeem', json: { code } });

  it('an authorization code is exchanged once for the API key, with dashes or spaces, in upper or lower case', async () => {
    const { secret, authorization } = expectDone(await make({ kind: 'code' }));
    expect(secret).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}-[A-Z0-9]{4}$/);
    expect(authorization.state).toBe('waiting');
    const typed = secret.toLowerCase().replaceAll('-', ' ');
    const answers = await Promise.all([redeem(typed), redeem(secret)]);
    expect(answers.map((answer) => answer.status).sort()).toEqual(['1', 'authorization.code']);
    const key = answers.find((answer) => answer.status === '1')?.data.key ?? '';
    expect(await asMachine(key, '/monitor/cards')).toMatchObject({ status: '1' });
  });

  it('an authorization code expires after a day', async () => {
    const { secret } = expectDone(await make({ kind: 'code' }));
    clock.offset += DAY + 1000;
    expect(await redeem(secret)).toMatchObject({ status: 'authorization.code' });
    manager = await server.logIn('demo.manager');
  });

  it('an authorization code cannot be guessed', async () => {
    const statuses = [];
    for (let i = 0; i < 25; i++) statuses.push((await redeem(`AAAA-BBBB-${1000 + i}`)).status);
    expect(statuses.at(-1)).toBe('request.too_many');
  });
});
