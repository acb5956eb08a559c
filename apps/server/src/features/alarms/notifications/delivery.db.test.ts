import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const NUMBER = '31000071';

let smtp: SMTPServer;
let hook: Server;
let server: TestServer;
let manager: Session;
const mails: string[] = [];
const pushes: { body: string; timestamp: string; signature: string }[] = [];

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, done) {
      stream.resume().on('end', () => {
        mails.push(...session.envelope.rcptTo.map(({ address }) => address));
        done();
      });
    },
  });
  await new Promise<void>((ready) => smtp.listen(0, '127.0.0.1', ready));
  hook = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => {
      pushes.push({
        body,
        timestamp: String(request.headers['x-isotherm-timestamp']),
        signature: String(request.headers['x-isotherm-signature']),
      });
      response.end();
    });
  });
  await new Promise<void>((ready) => hook.listen(0, '127.0.0.1', ready));
  server = await startTestServer({
    environment: {
      ISOTHERM_SMTP_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
      ISOTHERM_MAIL_FROM: 'alarms@example.com',
      ISOTHERM_OUTGOING_ALLOW: '127.0.0.1',
    },
  });
  manager = await server.logIn('demo.manager');
});
afterAll(async () => {
  await server.stop();
  await new Promise<void>((closed) => smtp.close(closed));
  await new Promise((closed) => hook.close(closed));
});

const send = (value: number) =>
  server.ingest(NUMBER, TEST_KEY, { readings: [{ channel: 'temperature-1', at: Date.now(), value }] });

test('an alarm of a policy created in the console is sent to its receiver by e-mail and URL push within seconds', async () => {
  await server.provision(manager, [fridge(NUMBER)]);
  const { rows } = await server.pool.query<{ asset: number; organization: number }>(
    'select asset_id::int as asset, organization_id::int as organization from device where number = $1',
    [NUMBER],
  );
  const { asset = 0, organization: organizationId = 0 } = rows[0] ?? {};
  const post = <T>(path: string, json: unknown, method = 'POST') =>
    server.call<T>({ method, path: `/api${path}`, json, session: manager });
  const receiver = await post<{ id: number }>('/receiver', {
    organizationId,
    name: 'Ward nurse',
    email: 'nurse@example.com',
    language: 'es',
  });
  const url = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  const policy = await post<{ id: number }>('/alarm/policy', {
    organizationId,
    name: 'Told',
    definition: {
      conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
      steps: [
        {
          level: 1,
          triggerAfterMs: 0,
          recipients: [receiver.data.id],
          channels: ['email', 'url-push'],
          url,
        },
      ],
    },
  });
  expect(policy).toMatchObject({ status: '1' });
  await post(`/alarm/policy/${policy.data.id}/assignment`, { kind: 'asset', id: asset });
  await post(`/alarm/policy/of-asset/${asset}/own-rules`, { reason: 'The policy instead' }, 'DELETE');

  expect(await send(12)).toMatchObject({ data: { accepted: 1 } });
  await expect.poll(() => [mails.length, pushes.length], { timeout: 10_000 }).toEqual([1, 1]);
  expect(mails).toEqual(['nurse@example.com']);
  const [push] = pushes;
  expect(JSON.parse(push?.body ?? '')).toMatchObject({ event: '0003', eventField: 'temperature' });
  const { data } = await server.call<{ key: string }>({
    path: `/api/alarm/policy/${policy.data.id}/push-key`,
    session: manager,
  });
  const expected = createHmac('sha256', data.key).update(`${push?.timestamp}.${push?.body}`).digest('hex');
  expect(push?.signature).toBe(`sha256=${expected}`);
  await expect
    .poll(
      async () =>
        (await server.pool.query('select state, attempts from alarm_notification order by channel')).rows,
      { timeout: 10_000 },
    )
    .toEqual([
      { state: 'sent', attempts: 1 },
      { state: 'sent', attempts: 1 },
    ]);
});
