import type { RouteContract } from '@isotherm/contracts/route';
import { ALL_ROUTES } from '@isotherm/contracts/routes';
import { PERMISSIONS, PUBLIC, SIGNED_IN } from '@isotherm/domain/access/permissions';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import {
  type Call,
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from './testing/test-server.ts';

/**
 * Every contract, walked: each route refuses a caller who is nobody, one without the permission, and one from
 * another organisation. A new route is walked without a line here, unless it needs a body to be reached.
 */
let server: TestServer;
let manager: Session;
let stranger: Session;
let nobody: Session;
let ids: { asset: number; alarm: number; channel: number };

const NUMBER = '40000001';

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge(NUMBER)]);
  const at = Date.now() - 600_000;
  await server.ingest(NUMBER, TEST_KEY, {
    readings: [9, 9, 9].map((value, i) => ({ channel: 'temperature-1', at: at + i * 60_000, value })),
  });
  // An organisation beside the demo's, with a manager of its own; and an account that may do nothing.
  await server.pool.query(`
    insert into organization (parent_id, code, name, level, path)
      select id, 'OTHER', 'Another hospital', 'org', path || '999/' from organization where code = 'PLATFORM';
    insert into account (organization_id, username, realname, password_hash, account_type)
      select o.id, 'other.manager', 'Other', a.password_hash, 'staff' from organization o, account a
       where o.code = 'OTHER' and a.username = 'demo.manager';
    insert into account (organization_id, username, realname, password_hash, account_type)
      select organization_id, 'demo.nobody', 'Nobody', password_hash, 'staff' from account where username = 'demo.manager';
    insert into account_role select a.id, r.id from account a, role r
      where a.username = 'other.manager' and r.code = 'platform-administrator'`);
  stranger = await server.logIn('other.manager');
  nobody = await server.logIn('demo.nobody');
  const { rows } = await server.pool.query(`select a.id as asset, al.id as alarm, al.channel_id as channel
    from asset a join alarm al on al.asset_id = a.id`);
  ids = rows[0];
});
afterAll(() => server.stop());

/** A call of the route that is right in every way but who makes it. */
function callOf(route: RouteContract): Call {
  const id = route.path.startsWith('/alarm/') ? ids.alarm : ids.asset;
  const queries: Record<string, Record<string, string>> = {
    getPagePermissions: { menuname: 'monitor' },
    listAlarmsSince: { recordedAfter: new Date(0).toISOString() },
    listSparklines: { assetIds: String(ids.asset) },
    getCurve: {
      channels: String(ids.channel),
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date().toISOString(),
    },
  };
  const bodies: Record<string, unknown> = {
    handleAlarm: { comment: 'Door seal cleared' },
    provisionDevices: { items: [fridge(NUMBER)] },
  };
  return {
    method: route.method,
    path: `/api${route.path.replace(':id', String(id))}`,
    ...(queries[route.name] ? { query: queries[route.name] } : {}),
    ...(bodies[route.name] ? { json: bodies[route.name] } : {}),
    ...(route.encoding === 'multipart' ? { fields: { v: '1' } } : {}),
  };
}

const closed = ALL_ROUTES.filter((route) => route.access !== PUBLIC);
const guarded = closed.filter((route) => route.access !== SIGNED_IN);

test('there are routes to walk, each named once, each with an access that exists', () => {
  expect(closed.length).toBeGreaterThan(10);
  expect(new Set(ALL_ROUTES.map((route) => route.name)).size).toBe(ALL_ROUTES.length);
  expect(new Set(ALL_ROUTES.map((route) => `${route.method} ${route.path}`)).size).toBe(ALL_ROUTES.length);
  for (const route of ALL_ROUTES) expect([PUBLIC, SIGNED_IN, ...PERMISSIONS]).toContain(route.access);
});

describe.each(closed.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_name, route) => {
    it('is there', async () => {
      const answer = await server.call({ ...callOf(route) });
      expect(answer.status).not.toBe('request.not_found');
    });
    it('refuses a caller without a session', async () => {
      expect(await server.call(callOf(route))).toMatchObject({
        httpStatus: 401,
        status: 'session.missing',
        data: null,
      });
    });
    it('refuses a caller without a signature', async () => {
      const answer = await server.call({
        ...callOf(route),
        session: manager,
        headers: { 'x-signature': '' },
      });
      expect(answer).toMatchObject({ httpStatus: 401, status: 'signature.missing' });
    });
  },
);

describe.each(guarded.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s',
  (_name, route) => {
    it('refuses a caller without the permission', async () => {
      const answer = await server.call({ ...callOf(route), session: nobody });
      expect(answer).toMatchObject({ httpStatus: 403, status: 'permission.denied', data: null });
      expect(answer.message).toContain(route.access);
    });
    it('shows a caller from another organisation nothing of this one', async () => {
      const answer = await server.call({ ...callOf(route), session: stranger });
      expect(JSON.stringify(answer.data ?? null)).not.toContain(NUMBER);
      if (route.path.includes(':id') || route.name === 'getCurve') expect(answer.httpStatus).toBe(404);
      if (route.name === 'provisionDevices') expect(answer.status).toBe('device.number_taken');
    });
  },
);

test('what is refused was not done', async () => {
  const { rows } = await server.pool.query('select handled_at from alarm');
  expect(rows).toEqual([{ handled_at: null }]);
});

test('the OpenAPI document holds every contract', async () => {
  const document = await (await fetch(`${server.url}/api/openapi.json`)).json();
  const operations = Object.values(
    document.paths as Record<string, Record<string, { operationId: string }>>,
  ).flatMap((path) => Object.values(path).map((operation) => operation.operationId));
  expect(operations.sort()).toEqual(ALL_ROUTES.map((route) => route.name).sort());
});
