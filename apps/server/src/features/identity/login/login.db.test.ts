import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import WebSocket from 'ws';
import { findGap } from '../../../testing/puzzle-gap.ts';
import {
  DEMO_PASSWORD,
  type Session,
  startTestServer,
  type TestServer,
} from '../../../testing/test-server.ts';

const clock = { offset: 0, now: () => Date.now() + clock.offset };
let server: TestServer;
let manager: Session;
const HOUR = 3_600_000;

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

const tryLogIn = (username: string, password: string, more?: Record<string, string>) =>
  server.tryLogIn(username, password, more);

describe('signed requests', () => {
  const info = { path: '/api/auth/info' };

  it('a signed request returns the profile', async () => {
    const answer = await server.call({ ...info, session: manager });
    expect(answer).toMatchObject({
      httpStatus: 200,
      status: '1',
      data: {
        username: 'demo.manager',
        realname: 'Lin Yue',
        timeZoneCode: 'Asia/Shanghai',
        timeZoneOffset: 480,
      },
    });
    expect(JSON.stringify(answer.data)).not.toMatch(/hash|token|password_/i);
  });

  const refused: [string, object, number, string][] = [
    ['without a timestamp', { headers: { 'x-timestamp': '' } }, 401, 'signature.missing'],
    ['signed with another salt', { headers: { 'x-signature': 'A'.repeat(64) } }, 401, 'signature.wrong'],
    ['six minutes old', { timestamp: Date.now() - 6 * 60_000 }, 401, 'signature.skewed'],
    ['six minutes ahead', { timestamp: Date.now() + 6 * 60_000 }, 401, 'signature.skewed'],
    ['with a forged session', { headers: { 'x-session': 'f'.repeat(64) } }, 401, 'session.wrong'],
    ['in the name of another', { headers: { 'x-username': 'demo.platform' } }, 401, 'session.wrong'],
    ['in the name of nobody', { headers: { 'x-username': 'no.such.account' } }, 401, 'session.wrong'],
  ];
  test.each(refused)('a request is refused: %s', async (_name, forged, httpStatus, status) => {
    expect(await server.call({ ...info, session: manager, ...forged })).toMatchObject({
      httpStatus,
      status,
      data: null,
    });
  });

  it('a request with modified parameters is refused', async () => {
    const call = { path: '/api/operation/permission', query: { menuname: 'monitor' }, session: manager };
    const timestamp = String(clock.now());
    const { requestSignature } = await import('@isotherm/contracts/signing');
    const signature = requestSignature(
      'test-salt',
      'GET',
      call.path,
      { query: [['menuname', 'asset']], json: '', fields: [] },
      Number(timestamp),
    );
    const answer = await server.call({
      ...call,
      timestamp: Number(timestamp),
      headers: { 'x-signature': signature },
    });
    expect(answer.status).toBe('signature.wrong');
  });

  it('a request that changes something is executed once, however often it is sent', async () => {
    const timestamp = clock.now();
    const call = { method: 'POST', path: '/api/auth/socket-ticket', session: manager, timestamp };
    expect((await server.call(call)).status).toBe('1');
    expect(await server.call(call)).toMatchObject({ httpStatus: 409, status: 'signature.replayed' });
  });

  it('a request that refreshes the token is executed once, although it is a GET', async () => {
    const call = {
      path: '/api/auth/token',
      session: await server.logIn('demo.auditor'),
      timestamp: clock.now(),
    };
    expect((await server.call(call)).status).toBe('1');
    expect(await server.call(call)).toMatchObject({ httpStatus: 409, status: 'signature.replayed' });
  });

  it('a recorded request is not valid for another body', async () => {
    const { requestSignature, sessionProof } = await import('@isotherm/contracts/signing');
    const path = '/api/auth/socket-ticket';
    const timestamp = clock.now();
    const none = { query: [], json: '', fields: [] };
    const recorded = sessionProof(
      manager.token,
      path,
      manager.username,
      timestamp,
      requestSignature('test-salt', 'POST', path, none, timestamp),
    );
    const answer = await server.call({
      method: 'POST',
      path,
      json: { forged: true },
      session: manager,
      timestamp,
      headers: { 'x-session': recorded },
    });
    expect(answer.status).toBe('session.wrong');
  });

  it.each(['%', '%E0%A4%A', '%00', 'x'.repeat(5000)])(
    'a request with the user name %j is refused without a server error',
    async (name) => {
      const answer = await server.call({ ...info, session: manager, headers: { 'x-username': name } });
      expect(answer.httpStatus).toBeGreaterThanOrEqual(400);
      expect(answer.httpStatus).toBeLessThan(500);
    },
  );

  it('a request with a truncated form is rejected as malformed', async () => {
    const { url, headers } = server.signed({ method: 'POST', path: '/api/auth/login' });
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'multipart/form-data; boundary=b' },
      body: '--b\r\ncontent-disposition: form-data; name="username"\r\n\r\nhalf',
    });
    expect(response.status).toBe(400);
  });

  it('a request with truncated JSON is refused', async () => {
    const { url, headers } = server.signed({
      method: 'POST',
      path: '/api/device/provision',
      session: manager,
    });
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"items":[',
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ status: 'request.malformed' });
  });
});

describe('sessions', () => {
  it('a session is extended by use for two hours, then ends', async () => {
    const session = await server.logIn('demo.auditor');
    clock.offset += 1.5 * HOUR;
    expect((await server.call({ path: '/api/auth/info', session })).status).toBe('1');
    clock.offset += 1.5 * HOUR;
    expect((await server.call({ path: '/api/auth/info', session })).status).toBe('1');
    clock.offset += 2.1 * HOUR;
    expect(await server.call({ path: '/api/auth/info', session })).toMatchObject({ httpStatus: 401 });
    manager = await server.logIn('demo.manager');
  });

  it('a session is replaced by a refresh, and the old token ends a minute later', async () => {
    const session = await server.logIn('demo.auditor');
    const fresh = await server.call<{ token: string }>({ path: '/api/auth/token', session });
    expect(fresh.data.token).not.toBe(session.token);
    expect((await server.call({ path: '/api/auth/info', session })).status).toBe('1');
    clock.offset += 61_000;
    expect((await server.call({ path: '/api/auth/info', session })).httpStatus).toBe(401);
    const next = { ...session, token: fresh.data.token };
    expect((await server.call({ path: '/api/auth/info', session: next })).status).toBe('1');
  });

  it('a session ends with logout', async () => {
    const session = await server.logIn('demo.auditor');
    expect((await server.call({ method: 'POST', path: '/api/auth/logout', session })).status).toBe('1');
    expect((await server.call({ path: '/api/auth/info', session })).httpStatus).toBe(401);
  });

  it('a session ends when the account is disabled', async () => {
    const session = await server.logIn('demo.auditor');
    await server.pool.query(`update account set disabled_at = now() where username = 'demo.auditor'`);
    clock.offset += 3_000;
    expect((await server.call({ path: '/api/auth/info', session })).httpStatus).toBe(401);
    expect((await tryLogIn('demo.auditor', DEMO_PASSWORD)).status).toBe('login.disabled');
    await server.pool.query(`update account set disabled_at = null where username = 'demo.auditor'`);
  });
});

describe('logins', () => {
  it('a recorded login cannot be replayed', async () => {
    const { nonce, ciphers } = await server.encrypt(DEMO_PASSWORD);
    const fields = { username: 'demo.keeper', password: ciphers[0] as string, serviceloginkey: nonce };
    expect((await server.call({ method: 'POST', path: '/api/auth/login', fields })).status).toBe('1');
    const again = await server.call({
      method: 'POST',
      path: '/api/auth/login',
      fields,
      timestamp: clock.now() + 1,
    });
    expect(again).toMatchObject({ httpStatus: 400, status: 'login.nonce' });
  });

  it('a login with an unknown or expired nonce is refused', async () => {
    const { nonce, ciphers } = await server.encrypt(DEMO_PASSWORD);
    const fields = { username: 'demo.keeper', password: ciphers[0] as string, serviceloginkey: '1.2.3' };
    expect((await server.call({ method: 'POST', path: '/api/auth/login', fields })).status).toBe(
      'login.nonce',
    );
    clock.offset += 6 * 60_000;
    const late = { ...fields, serviceloginkey: nonce };
    expect((await server.call({ method: 'POST', path: '/api/auth/login', fields: late })).status).toBe(
      'login.nonce',
    );
  });

  it('a login with an invalid cipher text is refused', async () => {
    const { nonce } = await server.encrypt('x');
    const fields = { username: 'demo.keeper', password: `04${'ab'.repeat(120)}`, serviceloginkey: nonce };
    expect((await server.call({ method: 'POST', path: '/api/auth/login', fields })).status).toBe(
      'login.cipher',
    );
  });

  it('a login gets the same response for a wrong password and an unknown account', async () => {
    const [wrong, absent] = [
      await tryLogIn('demo.keeper', 'nonsense'),
      await tryLogIn('nobody.at.all', 'nonsense'),
    ];
    expect(wrong.status).toBe('login.wrong');
    expect(absent).toMatchObject({
      status: wrong.status,
      message: wrong.message,
      httpStatus: wrong.httpStatus,
    });
    await server.pool.query('delete from login_failure');
  });

  it('a login requires the slider puzzle after three failures, even with the right password', async () => {
    const statuses: string[] = [];
    for (let i = 0; i < 3; i++) statuses.push((await tryLogIn('demo.keeper', `wrong ${i}`)).status);
    expect(statuses).toEqual(['login.wrong', 'login.wrong', '-9']);
    expect((await tryLogIn('demo.keeper', DEMO_PASSWORD)).status).toBe('-9');
    const { data: puzzle } = await server.call<{ puzzleId: string; image: string; width: number }>({
      path: '/api/auth/puzzle',
    });
    const x = String(findGap(puzzle.image));
    const wrongPlace = { puzzleId: puzzle.puzzleId, puzzleX: String((Number(x) + 60) % puzzle.width) };
    expect((await tryLogIn('demo.keeper', DEMO_PASSWORD, wrongPlace)).status).toBe('-9');
    // Each puzzle allows one attempt.
    expect(
      (await tryLogIn('demo.keeper', DEMO_PASSWORD, { puzzleId: puzzle.puzzleId, puzzleX: x })).status,
    ).toBe('-9');
    const { data: next } = await server.call<{ puzzleId: string; image: string }>({
      path: '/api/auth/puzzle',
    });
    const solved = { puzzleId: next.puzzleId, puzzleX: String(findGap(next.image)) };
    expect((await tryLogIn('demo.keeper', DEMO_PASSWORD, solved)).status).toBe('1');
    await server.pool.query('delete from login_failure');
    expect((await tryLogIn('demo.keeper', DEMO_PASSWORD)).status).toBe('1');
  });

  it('parallel password guesses are all counted', async () => {
    const tries = await Promise.all(
      Array.from({ length: 12 }, (_, i) => tryLogIn('demo.auditor', `guess ${i}`)),
    );
    const judged = tries.filter(({ status }) => status === 'login.wrong').length;
    expect(judged).toBeLessThanOrEqual(3);
    expect((await tryLogIn('demo.auditor', DEMO_PASSWORD)).status).toBe('-9');
    await server.pool.query('delete from login_failure');
  });

  it('an account is locked after twenty failed logins', async () => {
    await server.pool.query(`insert into login_failure values ('account:demo.keeper', 20, now())`);
    clock.offset = 0;
    expect(await tryLogIn('demo.keeper', DEMO_PASSWORD)).toMatchObject({
      httpStatus: 429,
      status: 'login.locked',
    });
    await server.pool.query('delete from login_failure');
  });

  it('an account stays locked for a quarter of an hour, and further attempts during this time do not extend the lock', async () => {
    clock.offset = 0;
    await server.pool.query(
      `insert into login_failure values ('account:demo.keeper', 20, now() - interval '14 minutes')`,
    );
    expect(await tryLogIn('demo.keeper', 'a guess')).toMatchObject({ status: 'login.locked' });
    clock.offset = 2 * 60_000;
    expect(await tryLogIn('demo.keeper', DEMO_PASSWORD)).toMatchObject({ status: '1' });
    clock.offset = 0;
    await server.pool.query('delete from login_failure');
  });
});

test('the audit log contains the session id of a login, and the response does not', async () => {
  const answer = await tryLogIn('demo.auditor', DEMO_PASSWORD);
  const { rows } = await server.pool.query<{ session_id: string }>(
    `select session_id from audit_entry where action = 'login' and username = 'demo.auditor'
      order by seq desc limit 1`,
  );
  const { rows: open } = await server.pool.query('select id from session where id = $1', [
    rows[0]?.session_id,
  ]);
  expect(open).toHaveLength(1);
  expect(JSON.stringify(answer)).not.toContain(rows[0]?.session_id);
});

test.each([
  ['wrong', 'login.wrong', 'password', ''],
  [DEMO_PASSWORD, 'login.disabled', 'disabled', 'disabled_at'],
])('the audit log states why %s was refused: %s', async (password, status, refused, column) => {
  if (column) await server.pool.query(`update account set ${column} = now() where username = 'demo.auditor'`);
  expect((await tryLogIn('demo.auditor', password)).status).toBe(status);
  const { rows } = await server.pool.query(
    `select username, account_id is not null as known, after from audit_entry
      where action = 'login-failed' order by seq desc limit 1`,
  );
  expect(rows).toEqual([{ username: 'demo.auditor', known: true, after: { refused } }]);
  if (column) await server.pool.query(`update account set ${column} = null where username = 'demo.auditor'`);
  await server.pool.query('delete from login_failure');
});

test('an initial password is valid for one login only and must be changed first (decision 13)', async () => {
  await server.pool.query(`update account set must_change_password = true where username = 'demo.auditor'`);
  const session = await server.logIn('demo.auditor');
  expect((await server.call({ path: '/api/monitor/cards', session })).status).toBe(
    'session.password_change_due',
  );
  const change = async (oldPassword: string, newPassword: string) => {
    const { nonce, ciphers } = await server.encrypt(oldPassword, newPassword);
    return server.call<{ token: string }>({
      method: 'PUT',
      path: '/api/account/password',
      session,
      fields: {
        oldPassword: ciphers[0] as string,
        newPassword: ciphers[1] as string,
        serviceloginkey: nonce,
      },
    });
  };
  expect((await change('not it', 'another one')).status).toBe('password.wrong');
  expect((await change(DEMO_PASSWORD, DEMO_PASSWORD)).status).toBe('password.same');
  expect((await change(DEMO_PASSWORD, 'short')).status).toBe('request.invalid');
  const changed = await change(DEMO_PASSWORD, 'a better one');
  expect(changed.status).toBe('1');
  const fresh = { ...session, token: changed.data.token };
  expect((await server.call({ path: '/api/monitor/cards', session: fresh })).status).toBe('1');
  expect((await server.call({ path: '/api/auth/info', session })).httpStatus).toBe(401);
});

describe('WebSocket connections', () => {
  const open = async (username: string, ticket: string) => {
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}/ws?username=${username}&ticket=${ticket}`,
    );
    const first = await Promise.race([
      once(socket, 'message').then(([data]) => JSON.parse(String(data)).event as string),
      once(socket, 'close').then(([code]) => code as number),
    ]);
    socket.terminate();
    return first;
  };
  const ticket = async () =>
    (
      await server.call<{ ticket: string }>({
        method: 'POST',
        path: '/api/auth/socket-ticket',
        session: manager,
      })
    ).data.ticket;

  it('a WebSocket opens once with a one-time ticket', async () => {
    manager = await server.logIn('demo.manager');
    const good = await ticket();
    expect(await open('demo.manager', good)).toBe('pulse');
    expect(await open('demo.manager', good)).toBe(4401);
  });
  it('a wrong, expired or foreign WebSocket ticket is refused', async () => {
    expect(await open('demo.manager', 'nonsense')).toBe(4401);
    expect(await open('demo.keeper', await ticket())).toBe(4401);
    const old = await ticket();
    clock.offset += 31_000;
    expect(await open('demo.manager', old)).toBe(4401);
  });
  it('a WebSocket is closed soon after its account was disabled', async () => {
    manager = await server.logIn('demo.manager');
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}/ws?username=demo.manager&ticket=${await ticket()}`,
    );
    await once(socket, 'message');
    // The server may close the WebSocket before the update returns.
    const closed = once(socket, 'close');
    await server.pool.query("update account set disabled_at = now() where username = 'demo.manager'");
    const [code] = await closed;
    expect(code).toBe(4401);
    await server.pool.query("update account set disabled_at = null where username = 'demo.manager'");
  }, 15_000);
});
