import { generateSync } from 'otplib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeSentTo } from '../../../testing/codes.ts';
import { expectDone, type People, people } from '../../../testing/people.ts';
import {
  DEMO_PASSWORD,
  type Session,
  startTestServer,
  type TestServer,
} from '../../../testing/test-server.ts';

const clock = { offset: 0, now: () => Date.now() + clock.offset };
let server: TestServer;
let platform: Session;
let keeper: Session;
let known: People;

beforeAll(async () => {
  server = await startTestServer({ clock, environment: { ISOTHERM_ENVIRONMENT: 'sandbox' } });
  platform = await server.logIn('demo.platform');
  known = people(server, platform);
  keeper = await known.account('own.account', 'operator', 'DEMO');
});
afterAll(() => server.stop());

const put = (path: string, fields: Record<string, string>, session = keeper) =>
  server.call<Record<string, unknown>>({ method: 'PUT', path: `/api/account${path}`, session, fields });
const CONTACTS = {
  realname: 'Test Person',
  mobile: '',
  landline: '',
  email: '',
  address: '',
  description: '',
};

const logIn = (username: string, more: Record<string, string> = {}) =>
  server.tryLogIn(username, DEMO_PASSWORD, more);

describe('own profile', () => {
  it('changes of name and contacts are logged with old and new values', async () => {
    const answer = await put('', { ...CONTACTS, realname: 'Wang Fang', email: 'wang@example.org' });
    expect(answer.data).toMatchObject({ realname: 'Wang Fang', email: 'wang@example.org' });
    const { rows } = await server.pool.query(
      `select before, after from audit_entry where action = 'change' and object_name = 'own.account' order by seq desc limit 1`,
    );
    expect(rows[0]).toMatchObject({ before: { realname: 'Test Person' }, after: { realname: 'Wang Fang' } });
  });
  it('the rules of the profile form are enforced by the server', async () => {
    expect(await put('', { ...CONTACTS, landline: '12345' })).toMatchObject({
      status: 'request.invalid',
      data: { fields: [{ field: 'landline' }] },
    });
  });
  it('quiet hours need a weekday and valid times, and can be ended', async () => {
    const quietHours = { days: [1, 7], from: '22:00', until: '07:00' };
    const set = (body: object) =>
      server.call({ method: 'PUT', path: '/api/account/quiet-hours', session: keeper, json: body });
    for (const wrong of [{ days: [] }, { from: '24:00' }, { until: 'soon' }, { days: [8] }])
      expect(await set({ quietHours: { ...quietHours, ...wrong } })).toMatchObject({
        status: 'request.invalid',
      });
    const own = async () =>
      (await server.call<{ quietHours: unknown }>({ path: '/api/account', session: keeper })).data.quietHours;
    expectDone(await set({ quietHours }));
    expect(await own()).toEqual(quietHours);
    expectDone(await set({ quietHours: null }));
    expect(await own()).toBeNull();
    const { rows } = await server.pool.query(
      `select before ->> 'quietHours' as before, after ->> 'quietHours' as after from audit_entry
        where action = 'change' and object_name = 'own.account' order by seq desc limit 2`,
    );
    expect(rows).toEqual([
      { before: '1,7 22:00–07:00', after: '' },
      { before: '', after: '1,7 22:00–07:00' },
    ]);
  });
  it('settings of pages appear in the profile, are logged, and only known intervals are taken', async () => {
    const profile = async () =>
      (await server.call<Record<string, unknown>>({ path: '/api/auth/info', session: keeper })).data;
    const set = (json: object) =>
      server.call({ method: 'PUT', path: '/api/account/pages', session: keeper, json });
    expect(await profile()).toMatchObject({ pageRefreshInterval: 300, ShowReportWarningInfo: false });
    expect(await set({ pageRefreshInterval: 1, ShowReportWarningInfo: true })).toMatchObject({
      status: 'request.invalid',
      data: { fields: [{ field: 'pageRefreshInterval' }] },
    });
    const settings = { pageRefreshInterval: 0, ShowReportWarningInfo: true };
    expectDone(await set(settings));
    expect(await profile()).toMatchObject(settings);
    const { rows } = await server.pool.query(
      `select before, after from audit_entry where action = 'change' and object_name = 'own.account' order by seq desc limit 1`,
    );
    expect(rows[0]).toMatchObject({ before: { pageRefreshInterval: 300 }, after: settings });
  });
  it('a time zone that does not exist is refused', async () => {
    expect(await put('/timezone', { code: 'Europe/Madrid' })).toMatchObject({
      data: { code: 'Europe/Madrid' },
    });
    expect(await put('/timezone', { code: 'Mars/Olympus' })).toMatchObject({ status: 'request.invalid' });
    const { data } = await server.call<{ code: string; zones: { code: string }[] }>({
      path: '/api/account/timezone',
      session: keeper,
    });
    expect(data.code).toBe('Europe/Madrid');
    expect(data.zones.length).toBeGreaterThan(300);
    expect(data.zones).toContainEqual({ code: 'Asia/Shanghai', offset: 480 });
  });
});

describe('own avatar', () => {
  const upload = (bytes: Uint8Array, name = 'me.png') =>
    server.call<string>({
      method: 'POST',
      path: '/api/fileupload/avatar',
      session: keeper,
      fields: { image: { name, bytes } },
    });
  it('an uploaded avatar is encoded again and served without a session', async () => {
    const png = await sharp({ create: { width: 600, height: 400, channels: 3, background: '#0B5F82' } })
      .png()
      .toBuffer();
    const answer = await upload(png);
    expect(answer).toMatchObject({
      status: '1',
      data: expect.stringMatching(/^\/files\/images\/[0-9a-f]{32}$/),
    });
    const image = await fetch(server.url + answer.data);
    expect(image.headers.get('content-type')).toBe('image/webp');
    expect(image.headers.get('x-content-type-options')).toBe('nosniff');
    const bytes = Buffer.from(await image.arrayBuffer()).toString('latin1');
    expect(bytes).toMatch(/^RIFF.{4}WEBP/s);
  });
  it('a file that is not an image is refused as an avatar', async () => {
    expect(await upload(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'a.png')).toMatchObject({
      status: 'upload.format',
    });
  });
  it('an avatar of more than 5 MB is refused before it is read', async () => {
    const answer = await upload(Buffer.alloc(5 * 1024 * 1024 + 1, 1));
    expect(answer).toMatchObject({ httpStatus: 413, status: 'upload.too_large' });
    expect(answer.message).toContain('5 MB');
  });
  it('an avatar is refused if the signature of the request does not cover its bytes', async () => {
    const form = new FormData();
    form.append('image', new Blob([new Uint8Array(4)]), 'a.png');
    const { requestSignature, sessionProof } = await import('@isotherm/contracts/signing');
    const at = clock.now();
    const path = '/api/fileupload/avatar';
    const signature = requestSignature('test-salt', 'POST', path, { query: [], json: '', fields: [] }, at);
    const answer = await fetch(server.url + path, {
      method: 'POST',
      body: form,
      headers: {
        'x-timestamp': String(at),
        'x-username': keeper.username,
        'x-signature': signature,
        'x-session': sessionProof(keeper.token, path, keeper.username, at, signature),
      },
    });
    expect(await answer.json()).toMatchObject({ status: 'signature.wrong' });
  });
});

describe('own mobile number', () => {
  const send = (newPhone: string, oldPhone = '', session = keeper) =>
    server.call<{ resendAfter: number }>({
      method: 'POST',
      path: '/api/sms/codewithauth',
      session,
      fields: { oldPhone, newPhone, actiontype: 'changephone' },
    });
  it('a new mobile number that equals the old one is refused', async () => {
    expect(await send('13900139000', '13900139000')).toMatchObject({ status: 'request.invalid' });
  });
  it('the mobile number changes once, with the code that was sent to the new number', async () => {
    expect((await send('13900139001')).data).toEqual({ resendAfter: 60 });
    expect(await send('13900139001')).toMatchObject({ httpStatus: 429, status: 'code.too_soon' });
    const code = await codeSentTo(server, platform, '13900139001');
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
    const change = (typed: string) =>
      put('/telephone', { oldPhone: '', newPhone: '13900139001', code: typed });
    expect(await change(wrong)).toMatchObject({ status: 'code.wrong' });
    expect(await change(code)).toMatchObject({ status: '1', data: { mobile: '13900139001' } });
    expect(await put('/telephone', { oldPhone: '13900139001', newPhone: '13900139001', code })).toMatchObject(
      {
        status: 'request.invalid',
      },
    );
  });
  it('the mobile number cannot be changed without the code', async () => {
    expect(await put('', { ...CONTACTS, mobile: '13900139009' })).toMatchObject({
      status: 'account.mobile_needs_code',
    });
  });
});

describe('own sessions', () => {
  it('"sign out elsewhere" ends the other sessions and keeps this one', async () => {
    const elsewhere = await server.logIn('own.account');
    const list = await server.call<{ current: boolean; client: string }[]>({
      path: '/api/account/session',
      session: keeper,
    });
    expect(list.data.filter((each) => each.current)).toHaveLength(1);
    const answer = await server.call<{ ended: number }>({
      method: 'DELETE',
      path: '/api/account/session',
      session: keeper,
    });
    expect(answer.data.ended).toBeGreaterThanOrEqual(1);
    expect(await server.call({ path: '/api/auth/info', session: elsewhere })).toMatchObject({
      httpStatus: 401,
    });
    expect(await server.call({ path: '/api/auth/info', session: keeper })).toMatchObject({ status: '1' });
  });
});

describe('second factor', () => {
  const STEP_MS = 30_000;
  const codeAt = (secret: string) => generateSync({ secret, epoch: Math.floor(clock.now() / 1000) });
  const withPassword = async <T = { recoveryCodes: string[] }>(
    method: 'POST' | 'DELETE',
    path: string,
    session: Session,
    password = DEMO_PASSWORD,
  ) => {
    const { nonce, ciphers } = await server.encrypt(password);
    return server.call<T>({
      method,
      path: `/api/account/second-factor${path}`,
      session,
      json: { password: ciphers[0], serviceloginkey: nonce },
    });
  };
  let session: Session;
  let secret: string;
  let recoveryCodes: string[];

  it('the second factor is enabled after one correct code of the authenticator', async () => {
    session = await known.account('two.factors', 'operator', 'DEMO');
    expect((await withPassword('POST', '', session, 'not the password')).status).toBe('password.wrong');
    const begun = await withPassword<{ secret: string; uri: string }>('POST', '', session);
    secret = begun.data.secret;
    expect(begun.data.uri).toMatch(/^otpauth:\/\/totp\/Isotherm:two\.factors\?secret=/);
    expect((await logIn('two.factors')).status).toBe('1');
    const confirm = (code: string) =>
      server.call<{ recoveryCodes: string[] }>({
        method: 'PUT',
        path: '/api/account/second-factor',
        session,
        json: { code },
      });
    expect(await confirm('000000')).toMatchObject({ status: 'login.second_factor_wrong' });
    const confirmed = await confirm(codeAt(secret));
    recoveryCodes = expectDone(confirmed).recoveryCodes;
    expect(recoveryCodes).toHaveLength(10);
  });

  it('a login requires a code once the second factor is enabled, and each code is accepted once', async () => {
    clock.offset += 2 * STEP_MS;
    expect((await logIn('two.factors')).status).toBe('login.second_factor');
    expect((await logIn('two.factors', { secondFactor: '000000' })).status).toBe('login.second_factor_wrong');
    const { rows: refused } = await server.pool.query(
      `select after->>'refused' as why from audit_entry
        where action = 'login-failed' and username = 'two.factors' order by seq`,
    );
    expect(refused.map(({ why }) => why)).toEqual(['second-factor-missing', 'second-factor-wrong']);
    const code = codeAt(secret);
    expect((await logIn('two.factors', { secondFactor: code })).status).toBe('1');
    expect((await logIn('two.factors', { secondFactor: code })).status).toBe('login.second_factor_wrong');
  });

  it('a recovery code is valid only once', async () => {
    const [code = ''] = recoveryCodes;
    expect((await logIn('two.factors', { secondFactor: code })).status).toBe('1');
    expect((await logIn('two.factors', { secondFactor: code })).status).toBe('login.second_factor_wrong');
    const account = await server.call({ path: '/api/account', session });
    expect(account.data).toMatchObject({ secondFactor: true, recoveryCodesLeft: 9 });
  });

  it('wrong codes of the second factor are counted', async () => {
    const statuses = [];
    for (let i = 0; i < 25; i++)
      statuses.push((await logIn('two.factors', { secondFactor: '000000' })).status);
    expect(statuses.at(-1)).toBe('request.too_many');
    clock.offset += 16 * 60_000;
  });

  it('neither the secret nor the codes of the second factor are readable in the log or the database', async () => {
    const { rows } = await server.pool.query(
      `select (select string_agg(e::text, '') from audit_entry e) as log, (select string_agg(a::text, '') from account a) as accounts,
              (select string_agg(r::text, '') from recovery_code r) as codes`,
    );
    const everything = JSON.stringify(rows);
    for (const text of [secret, ...recoveryCodes, ...recoveryCodes.map((code) => code.replace('-', ''))])
      expect(everything).not.toContain(text);
  });

  it('recovery codes are renewed and the second factor is disabled with the password', async () => {
    const renewed = expectDone(await withPassword('POST', '/recovery-codes', session));
    expect(renewed.recoveryCodes).not.toEqual(recoveryCodes);
    expect((await withPassword('DELETE', '', session)).status).toBe('1');
    expect((await logIn('two.factors')).status).toBe('1');
  });
});
