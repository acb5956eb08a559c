import type { AddressInfo } from 'node:net';
import type { LinkedAlarmView, OpenAlarmLink } from '@isotherm/contracts/acknowledge-links';
import type { Alarm, getAlarmCourse } from '@isotherm/contracts/alarms';
import type { ResponseOf } from '@isotherm/contracts/route';
import { SMTPServer } from 'smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asking, asking } from '../../../testing/asking.ts';
import { countGuesses, GUESS, MOST_GUESSES } from '../../../testing/link-guesses.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

let smtp: SMTPServer;
const mails: string[] = [];
let server: TestServer;
let manager: Session;
let asked: Asking;
let numbers = 39_000_000;

beforeAll(async () => {
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _, done) {
      const pieces: Buffer[] = [];
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => {
        mails.push(Buffer.concat(pieces).toString('utf8'));
        done();
      });
    },
  });
  await new Promise<void>((ready) => smtp.listen(0, '127.0.0.1', ready));
  server = await startTestServer({
    environment: {
      ISOTHERM_SMTP_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
      ISOTHERM_MAIL_FROM: 'alarms@example.com',
      ISOTHERM_PUBLIC_URL: 'https://console.example',
    },
  });
  manager = await server.logIn('demo.manager');
  asked = asking(server, manager);
});
afterAll(async () => {
  await server.stop();
  await new Promise<void>((closed) => smtp.close(closed));
});

const post = <T>(path: string, json: unknown, method = 'POST', session: Session | undefined = manager) =>
  server.call<T>({ method, path: `/api${path}`, json, ...(session ? { session } : {}) });
const anonymous = <T>(path: string, json: unknown) =>
  server.call<T>({ method: 'POST', path: `/api${path}`, json });

/** Raises an alarm that is e-mailed to a receiver; returns its id and the text of the e-mail. */
async function raise(more: { level?: number; definition?: object; linkPin?: string } = {}) {
  const number = String(++numbers);
  await server.provision(manager, [fridge(number)]);
  const { rows } = await server.pool.query(
    'select asset_id::int as asset, organization_id::int as organization from device where number = $1',
    [number],
  );
  const organizationId = rows[0].organization;
  const receiver = await post<{ id: number }>('/receiver', {
    organizationId,
    name: `Ward nurse ${number}`,
    email: `nurse-${number}@example.com`,
    language: 'en',
    ...(more.linkPin ? { linkPin: more.linkPin } : {}),
  });
  expect(receiver).toMatchObject({ status: '1' });
  const level = more.level ?? 1;
  const policy = await post<{ id: number }>('/alarm/policy', {
    organizationId,
    name: `Linked ${number}`,
    definition: {
      conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
      steps: [
        {
          level,
          triggerAfterMs: level === 1 ? 0 : 1_000,
          recipients: [receiver.data.id],
          channels: ['email'],
        },
      ],
      ...more.definition,
    },
  });
  expect(policy).toMatchObject({ status: '1' });
  await post(`/alarm/policy/${policy.data.id}/assignment`, { kind: 'asset', id: rows[0].asset });
  await post(`/alarm/policy/of-asset/${rows[0].asset}/own-rules`, { reason: 'The policy instead' }, 'DELETE');
  // Only readings measured since the policy is in force are evaluated by it.
  const at = Date.now();
  await server.ingest(number, TEST_KEY, {
    readings: [0, 1_500].map((later) => ({ channel: 'temperature-1', at: at + later, value: 12 })),
  });
  const mailOf = () => mails.find((mail) => mail.includes(`nurse-${number}@`));
  await expect.poll(mailOf, { timeout: 15_000 }).toBeDefined();
  const found = await server.pool.query(
    `select a.id::float8 as id from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where d.number = $1`,
    [number],
  );
  const text = (mailOf() ?? '').replaceAll('=\r\n', '').replaceAll('=3D', '=');
  const [, token = ''] = /https:\/\/console\.example\/link\/([\w-]+)/.exec(text) ?? [];
  return {
    id: found.rows[0].id as number,
    token,
    name: `Ward nurse ${number}`,
    receiverId: receiver.data.id,
    organizationId,
  };
}

const look = (token: string) => anonymous<LinkedAlarmView>('/link/alarm', { token });
const acknowledge = (token: string, more: object = {}) =>
  anonymous<LinkedAlarmView>('/link/alarm/acknowledge', { token, level: 1, reason: 'door-open', ...more });
const get = (id: number) => asked.ask<Alarm>({ path: `/api/alarm/${id}` });

test('the link of an e-mail acknowledges once, without login, in the name of its recipient', async () => {
  const { id, token, name } = await raise();
  expect(token).toMatch(/^[\w-]{22}$/);
  const stored = await server.pool.query('select encode(token_hash, $1) as hash from public_link', ['hex']);
  expect(JSON.stringify(stored.rows)).not.toContain(token);

  // Looking at it, as mail servers do, changes nothing.
  for (let looks = 0; looks < 3; looks++)
    expect((await look(token)).data).toMatchObject({
      level: 1,
      recipient: name,
      fault: null,
      required: ['reason'],
    });
  const page = await fetch(`${server.url}/link/${token}`);
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect((await get(id)).acknowledgement).toBeNull();

  expect(await acknowledge(token, { reason: undefined })).toMatchObject({ status: 'request.invalid' });
  const answers = await Promise.all([acknowledge(token), acknowledge(token, { cause: 'Ajar' })]);
  expect(answers.map(({ status }) => status).sort()).toEqual(['1', 'link.refused']);
  expect((await get(id)).acknowledgement).toMatchObject({ by: name, byLink: true, reason: 'door-open' });
  const { steps } = await asked.ask<ResponseOf<typeof getAlarmCourse>>({ path: `/api/alarm/${id}/course` });
  expect(steps.filter(({ type }) => type === 'acknowledged')).toMatchObject([{ by: name, byLink: true }]);
  expect((await look(token)).data).toMatchObject({ fault: 'acknowledged', acknowledgedBy: name });
  expect((await asked.audited('alarm', id)).at(-1)).toMatchObject({
    action: 'acknowledge-alarm',
    after: { byLink: name },
  });
});

test('links are made up to the level of the policy only, and not for alarms that must be signed', async () => {
  expect((await raise({ level: 3 })).token).toBe('');
  expect((await raise({ definition: { linkLevel: 0 } })).token).toBe('');
  expect((await raise({ definition: { signatureFromLevel: 1 } })).token).toBe('');
  const { id, token } = await raise({ level: 3, definition: { linkLevel: 3 } });
  expect(await acknowledge(token)).toMatchObject({ status: 'alarm.climbed' });
  expect(await acknowledge(token, { level: 3 })).toMatchObject({ status: '1' });
  expect((await get(id)).acknowledgement).not.toBeNull();
});

test('an unknown, expired or revoked link, and that of a deleted receiver, show nothing', async () => {
  const { token } = await raise();
  expect(await look('A'.repeat(22))).toMatchObject({ status: 'link.not_found', data: null });
  const set = (column: string, value: string) =>
    server.pool.query(`update public_link set ${column} = ${value} where uses = 0`);
  await set('expires_at', 'now()');
  expect(await look(token)).toMatchObject({ status: 'link.not_found' });
  await set('expires_at', "now() + interval '1 day'");
  await set('revoked_at', 'now()');
  expect(await acknowledge(token)).toMatchObject({ status: 'link.not_found' });
  await set('revoked_at', 'null');
  await set('person_id', '0');
  expect(await look(token)).toMatchObject({ status: 'link.not_found' });
});

test('a receiver with a PIN must enter it, and the link is locked after five wrong ones, also of callers at once', async () => {
  const { id, token } = await raise({ linkPin: '4711' });
  const { rows } = await server.pool.query(
    'select link_pin_mac from alarm_receiver order by id desc limit 1',
  );
  expect(rows[0].link_pin_mac).toMatch(/^[0-9a-f]{64}$/);
  expect((await look(token)).data).toMatchObject({ needsPin: true, fault: null });
  expect(await acknowledge(token)).toMatchObject({ status: 'link.wrong_pin' });
  expect(await acknowledge(token, { pin: '4712' })).toMatchObject({
    status: 'link.wrong_pin',
    message: expect.stringContaining('3 more tries'),
  });
  const guesses = await Promise.all(
    ['0001', '0002', '0003', '0004', '0005', '0006'].map((pin) => acknowledge(token, { pin })),
  );
  expect(guesses.filter(({ status }) => status === 'link.wrong_pin')).toHaveLength(3);
  expect(guesses.filter(({ status }) => status === 'link.refused')).toHaveLength(3);
  expect(await acknowledge(token, { pin: '4711' })).toMatchObject({ status: 'link.refused' });
  expect((await look(token)).data).toMatchObject({ fault: 'locked' });
  expect((await get(id)).acknowledgement).toBeNull();
});

test('the right PIN acknowledges, forgets the wrong ones, and can be changed and removed', async () => {
  const { id, token, name, receiverId, organizationId } = await raise({ linkPin: '4711' });
  expect(await acknowledge(token, { pin: '1111' })).toMatchObject({ status: 'link.wrong_pin' });
  const edit = (more: object) =>
    post<{ hasLinkPin: boolean }>(
      `/receiver/${receiverId}`,
      { organizationId, name, email: `${receiverId}@example.com`, language: 'en', ...more },
      'PUT',
    );
  expect((await edit({})).data).toMatchObject({ hasLinkPin: true });
  expect((await edit({ linkPin: '12345678' })).data).toMatchObject({ hasLinkPin: true });
  expect(await edit({ linkPin: '123' })).toMatchObject({ status: 'request.invalid' });
  // What is required is missing, but the PIN is right.
  expect(await acknowledge(token, { pin: '12345678', reason: undefined })).toMatchObject({
    status: 'request.invalid',
  });
  expect((await edit({ linkPin: '' })).data).toMatchObject({ hasLinkPin: false });
  expect((await look(token)).data).toMatchObject({ needsPin: false });
  expect(await acknowledge(token)).toMatchObject({ status: '1' });
  expect((await get(id)).acknowledgement).toMatchObject({ by: name });
  const audited = JSON.stringify(await asked.audited('receiver', receiverId));
  expect(audited).toContain('linkPin');
  expect(audited).not.toContain('12345678');
});

test('people who may acknowledge see the links of an alarm that can be used, and revoke one', async () => {
  const { id, token, name } = await raise();
  const list = () => asked.ask<OpenAlarmLink[]>({ path: `/api/alarm/${id}/link` });
  const [link] = await list();
  expect(link).toMatchObject({ recipient: name, sentBy: 'email', isLocked: false });
  expect(JSON.stringify(link)).not.toContain(token);
  const revoke = () => post(`/alarm/${id}/link/${link?.id}`, undefined, 'DELETE');
  expect(await revoke()).toMatchObject({ status: '1', data: [] });
  expect(await revoke()).toMatchObject({ status: 'link.not_found' });
  expect(await look(token)).toMatchObject({ status: 'link.not_found' });
  expect((await asked.audited('alarm', id)).at(-1)).toMatchObject({
    action: 'revoke-link',
    before: { recipient: name },
  });
  const other = await raise();
  const [theirs] = await asked.ask<OpenAlarmLink[]>({ path: `/api/alarm/${other.id}/link` });
  // The link of another alarm is not found below this one.
  expect(await post(`/alarm/${id}/link/${theirs?.id}`, undefined, 'DELETE')).toMatchObject({
    status: 'link.not_found',
  });
  expect(await acknowledge(other.token)).toMatchObject({ status: '1' });
  expect(await asked.ask<OpenAlarmLink[]>({ path: `/api/alarm/${other.id}/link` })).toEqual([]);
});

test('too many wrong tokens from an address do not keep others at the same address from a right one', async () => {
  const { token } = await raise();
  await look(GUESS);
  await countGuesses(server.pool, MOST_GUESSES);
  expect((await look(GUESS)).status).toBe('request.too_many');
  expect((await look(token)).status).toBe('1');
  expect((await acknowledge(token)).status).toBe('1');
});
