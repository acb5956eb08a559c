import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NewMessage } from '../../platform/messages/messages.ts';
import { expectDone, people } from '../../testing/people.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';
import { createEndingKeysJob } from './index.ts';

const DAY_MS = 86_400_000;
let server: TestServer;
let hospitalId: number;
let keyId: number;
let now: number;
let letters: NewMessage[] = [];
let canDeliver = true;

const sql = (text: string, values: unknown[] = []) => server.pool.query(text, values);
const runAfter = async (days: number) => {
  letters = [];
  await createEndingKeysJob({
    pool: server.pool,
    clock: { now: () => now + days * DAY_MS },
    messages: {
      canDeliver: () => canDeliver,
      enqueue: async (_tx, message) => letters.push(message),
    },
  }).run();
  return letters.map(({ recipient, params }) => [recipient, params.days]);
};

beforeAll(async () => {
  server = await startTestServer();
  now = Date.now();
  const known = people(server, await server.logIn('demo.platform'));
  hospitalId = await known.organizationId('DEMO-HOSPITAL');
  const manager = await server.logIn('demo.manager');
  await known.account('key.deputy', 'enterprise-administrator', 'DEMO');
  await known.account('key.reader', 'operator', 'DEMO-HOSPITAL');
  await sql(`update account set email = username || '@example.com', language = 'zh-CN'
              where username in ('demo.manager', 'key.deputy', 'key.reader', 'demo.platform')`);
  const made = await server.call<{ authorization: { id: number } }>({
    method: 'POST',
    path: '/api/authorization',
    session: manager,
    json: {
      name: 'Network',
      organizationId: hospitalId,
      permissions: ['device-mappings:receive'],
      kind: 'key',
    },
  });
  keyId = expectDone(made).authorization.id;
});
afterAll(() => server.stop());

it('users who may renew an API key are reminded 30 and 7 days before its end, once each', async () => {
  expect(await runAfter(334)).toEqual([]);
  canDeliver = false;
  expect(await runAfter(335)).toEqual([]);
  canDeliver = true;
  // The reminder goes to the nearest organisation in which a user may renew; not to the platform above it,
  // and to no user without the permission.
  expect(await runAfter(335)).toEqual([
    ['demo.manager@example.com', 30],
    ['key.deputy@example.com', 30],
  ]);
  expect(letters[0]).toMatchObject({
    template: 'authorization-reminder',
    language: 'zh-CN',
    params: { name: 'Network', prefix: expect.stringMatching(/^iso_/) },
  });
  expect(await runAfter(336)).toEqual([]);
  expect(await runAfter(358)).toHaveLength(2);
  expect(await runAfter(360)).toEqual([]);
});

it('a renewed API key has a new end, before which reminders are sent again', async () => {
  await sql(`update machine_authorization set expires_at = expires_at + interval '365 days' where id = $1`, [
    keyId,
  ]);
  expect(await runAfter(360)).toEqual([]);
  expect(await runAfter(700)).toHaveLength(2);
});

it('users without the permissions of the API key are not reminded, since they cannot renew it', async () => {
  await sql(
    `update machine_authorization set permissions = '{management-menus:edit}', expires_at = $2 where id = $1`,
    [keyId, new Date(now + 20 * DAY_MS)],
  );
  expect(await runAfter(0)).toEqual([['demo.platform@example.com', 20]]);
});

it('no reminder is sent for a revoked API key', async () => {
  await sql('update machine_authorization set revoked_at = now(), expires_at = $2 where id = $1', [
    keyId,
    new Date(now + 5 * DAY_MS),
  ]);
  expect(await runAfter(0)).toEqual([]);
});
