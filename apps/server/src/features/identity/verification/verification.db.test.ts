import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type People, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';
import { useUp } from './verification.repo.ts';

const clock = { offset: 0, now: () => Date.now() + clock.offset };
const MINUTE = 60_000;
let server: TestServer;
let known: People;
let session: Session;
const PHONE = '13700137000';

beforeAll(async () => {
  server = await startTestServer({
    clock,
    environment: { ISOTHERM_ENVIRONMENT: 'sandbox', ISOTHERM_TRUST_PROXY: '1' },
  });
  const platform = await server.logIn('demo.platform');
  known = people(server, platform);
  session = await known.account('forget.ful', 'operator', 'DEMO', { mobile: PHONE });
});
beforeEach(() => server.pool.query('delete from verification_code'));
afterAll(() => server.stop());

const send = (over: Record<string, string> = {}, address = '10.0.0.1') =>
  server.call<{ resendAfter: number }>({
    method: 'POST',
    path: '/api/sms/code',
    fields: { username: 'forget.ful', phone: PHONE, actiontype: 'forgetpassword', ...over },
    headers: { 'x-forwarded-for': address },
  });

async function sentCodes(): Promise<string[]> {
  const platform = await server.logIn('demo.platform');
  for (let tries = 0; tries < 30; tries++) {
    const { data } = await server.call<{ items: { text: string; status: string }[] }>({
      path: '/api/mailbox',
      session: platform,
    });
    if (data.items.length > 0 && data.items.every((item) => item.status === 'sent'))
      return data.items.map((item) => /\d{6}/.exec(item.text)?.[0] ?? '');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return [];
}

async function forget(code: string, password = 'A-new-word-7', over: Record<string, string> = {}) {
  const { nonce, ciphers } = await server.encrypt(password);
  return server.call({
    method: 'POST',
    path: '/api/auth/forgetpassword',
    fields: {
      username: 'forget.ful',
      phone: PHONE,
      code,
      password: ciphers[0] as string,
      serviceloginkey: nonce,
      ...over,
    },
  });
}

describe('forgotten passwords', () => {
  it('a forgotten password is reset with the code, the sessions end, and the code cannot be used again', async () => {
    expect((await send()).data).toEqual({ resendAfter: 60 });
    const [code = ''] = await sentCodes();
    expect(await forget(code)).toMatchObject({ status: '1' });
    await server.logIn('forget.ful', 'A-new-word-7');
    expect(await server.call({ path: '/api/auth/info', session })).toMatchObject({ httpStatus: 401 });
    expect(await forget(code)).toMatchObject({ status: 'code.expired' });
  });

  it('a code is invalid after five wrong attempts', async () => {
    await send();
    const [code = ''] = await sentCodes();
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    const left = [];
    for (let i = 0; i < 5; i++) left.push((await forget(wrong)).message);
    expect(left).toEqual([
      'The code is wrong. 4 attempts left.',
      'The code is wrong. 3 attempts left.',
      'The code is wrong. 2 attempts left.',
      'The code is wrong. One attempt left.',
      'The code is wrong. Request a new one.',
    ]);
    expect(await forget(code)).toMatchObject({ status: 'code.expired' });
  });

  it('parallel guesses of a code are all counted', async () => {
    await send();
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => forget(String(100_000 + i))));
    expect(answers.filter((answer) => answer.status === 'code.wrong').length).toBeLessThanOrEqual(5);
  });

  it('a code expires after five minutes', async () => {
    await send();
    const [code = ''] = await sentCodes();
    clock.offset += 5 * MINUTE + 1000;
    expect(await forget(code)).toMatchObject({ status: 'code.expired' });
  });

  it('a code is valid for its purpose, account and number only', async () => {
    clock.offset += 2 * MINUTE;
    await send();
    const [code = ''] = await sentCodes();
    expect(await forget(code, 'A-new-word-8', { username: 'demo.manager' })).toMatchObject({
      status: 'code.expired',
    });
    expect(await forget(code, 'A-new-word-8', { phone: '13700137001' })).toMatchObject({
      status: 'code.expired',
    });
  });

  it.each([
    ['too short', '12345', 'At least 6 characters.'],
    ['common', 'password1', /^This password is too common/],
    ['equal to the account name', 'forget.ful', /^This password is too common/],
  ])('a new password that is %s is refused, and the code stays valid', async (_name, password, message) => {
    clock.offset += 2 * MINUTE;
    await send();
    const answer = await forget('000000', password);
    expect(answer).toMatchObject({ status: 'request.invalid' });
    expect(answer.data).toMatchObject({
      fields: [{ field: 'password', message: expect.stringMatching(message) }],
    });
  });
});

describe('sending of codes', () => {
  it('requesting a code returns the same for a number or an account that does not match, and sends nothing', async () => {
    const before = (await sentCodes()).length;
    expect(await send({ phone: '13700137999' }, '10.0.1.1')).toMatchObject({
      status: '1',
      data: { resendAfter: 60 },
    });
    expect(await send({ username: 'nobody.here', phone: '13700137998' }, '10.0.1.1')).toMatchObject({
      status: '1',
      data: { resendAfter: 60 },
    });
    expect((await sentCodes()).length).toBe(before);
    expect(await forget('000000', 'A-new-word-9', { phone: '13700137999' })).toMatchObject({
      status: 'code.wrong',
    });
  });

  it('a code can be requested again after 60 s', async () => {
    expect((await send()).status).toBe('1');
    expect(await send()).toMatchObject({ httpStatus: 429, status: 'code.too_soon' });
    clock.offset += MINUTE + 1000;
    expect((await send()).status).toBe('1');
  });

  it('codes are rate-limited by number', async () => {
    const statuses = [];
    for (let i = 0; i < 6; i++) {
      statuses.push((await send({}, `10.0.2.${i}`)).status);
      clock.offset += MINUTE + 1000;
    }
    expect(statuses).toEqual(['1', '1', '1', '1', '1', 'request.too_many']);
  });

  it('codes are rate-limited by address', async () => {
    const statuses = [];
    for (let i = 0; i < 21; i++)
      statuses.push(
        (await send({ username: `user.nr${i}`, phone: `1360013${6000 + i}` }, '10.0.3.1')).status,
      );
    expect(statuses.slice(0, 20).every((status) => status === '1')).toBe(true);
    expect(statuses.at(-1)).toBe('request.too_many');
  });

  it('only one code is sent for twenty simultaneous requests for one number', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => send({}, `10.0.4.${i}`)));
    expect(answers.filter((answer) => answer.status === '1')).toHaveLength(1);
  });

  it('codes are not readable in the database', async () => {
    await send();
    const [code = ''] = await sentCodes();
    const { rows } = await server.pool.query(
      `select string_agg(v::text, '') as codes from verification_code v`,
    );
    expect(rows[0].codes).not.toContain(code);
  });
});

it('a code is accepted only once, even if the clock of the second process is behind that of the first', async () => {
  const now = Date.now();
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into verification_code (purpose, subject, phone, hash, tries_left, created_at, expires_at, address)
     values ('forgetpassword', 'forget.ful', $1, '', 5, now(), now() + interval '5 minutes', '10.0.0.1') returning id`,
    [PHONE],
  );
  const { id } = rows[0] as { id: number };
  expect(await useUp(server.pool, id, new Date(now))).toBe(true);
  expect(await useUp(server.pool, id, new Date(now - 50))).toBe(false);
});
