import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, type People, people } from './testing/people.ts';
import { DEMO_PASSWORD, type Session, startTestServer, type TestServer } from './testing/test-server.ts';

/** Sends malicious requests to the real server and database. */
let server: TestServer;
let platform: Session;
let manager: Session;
let known: People;
let demo: number;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_TRUST_PROXY: '1' } });
  platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  known = people(server, platform);
  demo = await known.organizationId('DEMO');
});
afterAll(() => server.stop());

const INJECTIONS = [
  ["'; drop table account; --", 'SQL'],
  ['" or 1=1 --', 'SQL'],
  ['%_\\', 'a pattern'],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is meant for somebody else's template engine.
  ['{{7*7}} ${7*7} <%= 7*7 %> #{7*7}', 'a template'],
  ['{name, plural, other {x}}', 'a message'],
  ['<img src=x onerror=alert(1)>', 'markup'],
  ['</script><script>alert(1)</script>', 'a script'],
  ['=HYPERLINK("http://x")', 'a formula'],
  ['../../../../etc/passwd', 'a path'],
] as const;

it('X-Forwarded-For is trusted only for the configured number of proxies, and forged entries are ignored', async () => {
  const { nonce, ciphers } = await server.encrypt('wrong');
  await server.call({
    method: 'POST',
    path: '/api/auth/login',
    headers: { 'x-forwarded-for': '203.0.113.1, 198.51.100.7' },
    fields: {
      username: manager.username,
      password: ciphers[0] as string,
      serviceloginkey: nonce,
      identifier: 'test',
      v: '1',
    },
  });
  const { rows } = await server.pool.query(
    'select distinct address from audit_entry where address is not null',
  );
  const addresses = rows.map(({ address }) => String(address));
  expect(addresses.join()).toContain('198.51.100.7');
  expect(addresses.join()).not.toContain('203.0.113.1');
});

it('an upload without a valid session is not read at all', async () => {
  const forged = await server.call({
    method: 'POST',
    path: '/api/user/import',
    session: { ...manager, token: 'not the token' },
    fields: { file: { name: 'users.xlsx', bytes: new Uint8Array(8 * 1024 * 1024) } },
  });
  // If the body had been read, the error would be that it is too large.
  expect(forged.status).toBe('session.wrong');
});

describe.each(INJECTIONS)('malicious text: %s', (text) => {
  it('malicious text is stored unchanged and has no effect', async () => {
    const parentId = demo;
    const made = expectDone(
      await server.call<{ id: number; name: string; description: string; location: string }>({
        method: 'POST',
        path: '/api/organization',
        session: manager,
        json: {
          parentId,
          code: `I-${INJECTIONS.findIndex(([each]) => each === text)}`,
          level: 'unit',
          name: text,
          location: text,
          description: text,
        },
      }),
    );
    expect(made).toMatchObject({ name: text, location: text, description: text });
    const again = await server.call({ path: `/api/organization/${made.id}`, session: manager });
    expect(again.data).toMatchObject({ name: text });
  });

  it('malicious text as a search text finds nothing and causes no error', async () => {
    for (const path of ['/api/user', '/api/authorization', '/api/log', '/api/alarm/current']) {
      const answer = await server.call<{ total: number }>({
        path,
        query: { search: text },
        session: manager,
      });
      expect(answer, path).toMatchObject({ httpStatus: 200, status: '1' });
    }
    const users = await server.call<{ total: number }>({
      path: '/api/user',
      query: { search: text },
      session: manager,
    });
    expect(users.data.total).toBe(0);
  });

  it('malicious text as a user name does not log in', async () => {
    const { nonce, ciphers } = await server.encrypt(text);
    const answer = await server.call({
      method: 'POST',
      path: '/api/auth/login',
      fields: { username: text.slice(0, 64), password: ciphers[0] as string, serviceloginkey: nonce },
    });
    expect(['login.wrong', '-9']).toContain(answer.status);
  });
});

describe('mass assignment', () => {
  it.each([
    ['POST', '/api/user', { isAdmin: 1 }],
    ['POST', '/api/user', { must_change_password: false }],
    ['POST', '/api/role', { systemDefault: true }],
    ['POST', '/api/organization', { path: '/1/' }],
    ['POST', '/api/authorization', { keyHash: 'x' }],
    ['PUT', '/api/account/language', { accountId: 1 }],
  ])('%s %s with the extra field %j is refused with the name of the field', async (method, path, extra) => {
    const answer = await server.call<{ fields: { field: string }[] }>({
      method,
      path,
      session: manager,
      json: extra,
    });
    expect(answer.status).toBe('request.invalid');
    expect(answer.data.fields.map(({ field }) => field)).toContain(Object.keys(extra)[0]);
  });
  it('a multipart form accepts only its own fields', async () => {
    const answer = await server.call({
      method: 'PUT',
      path: '/api/account',
      session: manager,
      fields: { realname: 'Lin Yue', organizationId: '1' },
    });
    expect(answer).toMatchObject({
      status: 'request.invalid',
      data: { fields: [{ field: 'organizationId' }] },
    });
  });
});

describe('guessing identifiers', () => {
  it('records outside the scope get the same response as records that never existed', async () => {
    const outside = await known.userId('demo.platform');
    const words = async (path: string) => {
      const { httpStatus, status, message } = await server.call({ path, session: manager });
      return { httpStatus, status, message };
    };
    expect(await words(`/api/user/${outside}`)).toEqual(await words('/api/user/99999999'));
    const top = await known.organizationId('PLATFORM');
    expect(await words(`/api/organization/${top}`)).toEqual(await words('/api/organization/99999999'));
  });
  it.each(['0', '-1', '1e9', '1.5', 'NaN', '9007199254740993', "1'", '%00', '1;2'])(
    'an identifier such as %s is refused',
    async (id) => {
      const answer = await server.call({ path: `/api/user/${id}`, session: manager });
      expect([400, 404]).toContain(answer.httpStatus);
    },
  );
});

describe('requests forged in the browser of a signed-in user (CSRF)', () => {
  it('cookies authenticate nothing, and each call must contain its own proof of session', async () => {
    const before = await server.pool.query('select count(*) from organization');
    for (const contentType of ['application/x-www-form-urlencoded', 'text/plain', 'application/json']) {
      const response = await fetch(`${server.url}/api/organization`, {
        method: 'POST',
        headers: {
          cookie: `username=${manager.username}; token=${manager.token}`,
          'content-type': contentType,
          origin: 'https://elsewhere.example',
        },
        body: JSON.stringify({ parentId: demo, code: 'FORGED', name: 'Forged', level: 'unit' }),
      });
      expect([400, 401]).toContain(response.status);
    }
    expect((await server.pool.query('select count(*) from organization')).rows).toEqual(before.rows);
  });
  it('other origins cannot read responses', async () => {
    const response = await fetch(`${server.url}/api/site`, {
      headers: { origin: 'https://elsewhere.example' },
    });
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('sessions after a password change', () => {
  it('after a password change only the session that made it remains', async () => {
    const first = await known.account('two.sessions', 'operator', 'DEMO');
    const second = await server.logIn('two.sessions');
    const fresh = await server.changePassword(second, DEMO_PASSWORD, 'Another-word-8');
    for (const session of [first, second])
      expect(await server.call({ path: '/api/auth/info', session })).toMatchObject({ httpStatus: 401 });
    expect(await server.call({ path: '/api/auth/info', session: fresh })).toMatchObject({ status: '1' });
  });
});

describe('parallel requests', () => {
  it('forms with invalid codes do not use up the shared database connections', async () => {
    const { nonce, ciphers } = await server.encrypt('Kettle-77x');
    const forget = (i: number) =>
      server.call({
        method: 'POST',
        path: '/api/auth/forgetpassword',
        fields: {
          username: `nobody.nr${i}`,
          phone: '13300133000',
          code: '000000',
          password: ciphers[0] as string,
          serviceloginkey: nonce,
        },
      });
    const answers = Promise.all(Array.from({ length: 60 }, (_, i) => forget(i)));
    expect(await server.call({ path: '/api/auth/info', session: manager })).toMatchObject({ status: '1' });
    for (const { status } of await answers) expect(['code.expired', 'login.nonce']).toContain(status);
  });

  it('if a session is ended elsewhere while it is being replaced, neither session remains', async () => {
    const here = await known.account('race.session', 'operator', 'DEMO');
    for (let round = 0; round < 5; round++) {
      const there = await server.logIn('race.session');
      const [refreshed] = await Promise.all([
        server.call<{ token: string }>({ path: '/api/auth/token', session: there }),
        server.call({ method: 'DELETE', path: '/api/account/session', session: here }),
      ]);
      // Whichever request was processed first, the refreshed session must not be valid after this request.
      await server.call({ method: 'DELETE', path: '/api/account/session', session: here });
      const heir = { username: there.username, token: refreshed.data?.token ?? there.token };
      expect(await server.call({ path: '/api/auth/info', session: heir })).toMatchObject({ httpStatus: 401 });
    }
  });

  it('a replaced session cannot be replaced again, and ends together with its successor', async () => {
    const first = await server.logIn('race.session');
    const replaced = await server.call<{ token: string }>({ path: '/api/auth/token', session: first });
    const heir = { username: first.username, token: replaced.data.token };
    expect(await server.call({ path: '/api/auth/token', session: first })).toMatchObject({
      status: 'session.wrong',
    });
    await server.call({ method: 'POST', path: '/api/auth/logout', session: heir });
    for (const session of [first, heir])
      expect(await server.call({ path: '/api/auth/info', session })).toMatchObject({ httpStatus: 401 });
  });
});

describe('login under attack', () => {
  const REFUSALS = [
    'login.wrong',
    'login.nonce',
    'login.locked',
    '-9',
    'request.too_many',
    'signature.replayed',
  ];
  type Cipher = Awaited<ReturnType<TestServer['encrypt']>>;
  const attempt = async (username: string, address: string, recorded?: Cipher) => {
    const { nonce, ciphers } = recorded ?? (await server.encrypt('wrong-password'));
    return server.call({
      method: 'POST',
      path: '/api/auth/login',
      fields: { username, password: ciphers[0] as string, serviceloginkey: nonce },
      headers: { 'x-forwarded-for': address },
    });
  };

  it('a login takes equally long for unknown and known accounts', async () => {
    const times = { known: [] as number[], unknown: [] as number[] };
    for (let i = 0; i < 9; i++) {
      await known.account(`timing.of${i}`, 'driver', 'DEMO');
      for (const [kind, username] of [
        ['known', `timing.of${i}`],
        ['unknown', `nobody.at${i}`],
      ] as const) {
        const begun = performance.now();
        expect((await attempt(username, `10.1.${i}.${kind === 'known' ? 1 : 2}`)).status).toBe('login.wrong');
        times[kind].push(performance.now() - begun);
      }
    }
    const median = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)] as number;
    // Without the dummy hash for unknown accounts, the ratio is above 10.
    const ratio = median(times.known) / median(times.unknown);
    expect(ratio).toBeGreaterThan(1 / 3);
    expect(ratio).toBeLessThan(3);
  });

  it.each([
    ['one account', (i: number) => ({ username: 'demo.keeper', address: `10.2.${i % 250}.1` })],
    ['many accounts', (i: number) => ({ username: `flood.user${i}`, address: `10.3.${i % 250}.1` })],
  ])(
    'a flood of 1,000 on %s logs nobody in, and the server still responds to others',
    async (_name, of) => {
      let next = 0;
      const statuses = new Set<string>();
      // A flood does not encrypt each guess; most requests are the same recorded form, sent again.
      const recorded = await server.encrypt('wrong-password');
      const sender = async () => {
        for (let i = next++; i < 1000; i = next++) {
          const { username, address } = of(i);
          const { status } = await attempt(username, address, i % 10 === 0 ? undefined : recorded);
          statuses.add(status);
        }
      };
      const flood = Promise.all(Array.from({ length: 50 }, sender));
      expect(await server.call({ path: '/api/auth/info', session: manager })).toMatchObject({ status: '1' });
      await flood;
      expect(statuses.has('1')).toBe(false);
      for (const status of statuses) expect(REFUSALS).toContain(status);
    },
    120_000,
  );

  it('after a flood the user of the account can log in again', async () => {
    await server.pool.query("delete from login_failure where subject = 'account:demo.keeper'");
    await server.logIn('demo.keeper');
  });
});
