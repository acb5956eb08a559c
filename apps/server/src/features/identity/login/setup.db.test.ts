import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_DEMO: '0' } });
});
afterAll(() => server.stop());

async function setUp(setupToken: string, username: string, password: string, timeZone = 'Asia/Shanghai') {
  const { nonce, ciphers } = await server.encrypt(password);
  return server.call({
    method: 'POST',
    path: '/api/setup',
    fields: {
      setupToken,
      username,
      organizationName: 'First Hospital',
      realname: 'First Administrator',
      password: ciphers[0] as string,
      serviceloginkey: nonce,
      timeZone,
    },
  });
}

test('an empty installation creates its first administrator once, through the setup link that it printed', async () => {
  const token = new URL(server.setupUrl as string).searchParams.get('token') as string;
  expect(await setUp('f'.repeat(32), 'first.admin', 'long enough')).toMatchObject({ status: 'setup.token' });
  expect(await setUp(token, 'has space', 'long enough')).toMatchObject({ status: 'request.invalid' });
  expect(await setUp(token, 'first.admin', 'long enough', 'Mars/Olympus')).toMatchObject({
    status: 'request.invalid',
  });
  expect(await setUp(token, 'first.admin', 'short')).toMatchObject({ status: 'request.invalid' });
  expect(await setUp(token, 'first.admin', 'long enough')).toMatchObject({ status: '1' });
  expect(await setUp(token, 'second.admin', 'long enough')).toMatchObject({
    httpStatus: 409,
    status: 'setup.closed',
  });
  const session = await server.logIn('first.admin', 'long enough');
  expect(await server.call({ path: '/api/monitor/cards', session })).toMatchObject({
    status: '1',
    data: { cards: [] },
  });
});

test('the audit log records who set up the installation', async () => {
  const { rows } = await server.pool.query(
    `select username, account_id, object_kind, object_name, after from audit_entry where action = 'setup'`,
  );
  expect(rows).toEqual([
    {
      username: 'first.admin',
      account_id: null,
      object_kind: 'organization',
      object_name: 'First Hospital',
      after: { username: 'first.admin', realname: 'First Administrator', timeZone: 'Asia/Shanghai' },
    },
  ]);
});
