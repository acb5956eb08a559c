import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  DEMO_PASSWORD,
  type Session,
  startTestServer,
  type TestServer,
} from '../../../testing/test-server.ts';

/** Tests the costs that unauthenticated callers can cause for others. */
let server: TestServer;
let manager: Session;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_TRUST_PROXY: '1' } });
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

const from = (address: string) => ({ 'x-forwarded-for': address });

async function usedTokens(): Promise<number> {
  const { rows } = await server.pool.query<{ count: number }>(
    'select count(*)::int as count from used_token',
  );
  return (rows[0] as { count: number }).count;
}

const logIn = (username: string, password: string, serviceloginkey: string, address: string) =>
  server.call({
    method: 'POST',
    path: '/api/auth/login',
    fields: { username, password, serviceloginkey },
    headers: from(address),
  });

describe('signed calls of unauthenticated callers', () => {
  it('signed calls of unauthenticated callers leave no rows in the database in any number, and other users are still served', async () => {
    const before = await usedTokens();
    const cipher = `04${'ab'.repeat(120)}`;
    const { data } = await server.call<{ nonce: string }>({ path: '/api/auth/publickey' });
    const waits: number[] = [];
    let isOver = false;
    const bystander = (async () => {
      while (!isOver) {
        const begun = performance.now();
        expect(await server.call({ path: '/api/auth/info', session: manager })).toMatchObject({
          status: '1',
        });
        waits.push(performance.now() - begun);
      }
    })();
    let next = 0;
    const sender = async () => {
      for (let i = next++; i < 600; i = next++) {
        if (i % 3 === 0)
          await server.call({
            method: 'POST',
            path: '/api/authorization/redeem',
            json: { code: `ABCD-EFGH-${i}` },
            headers: from('192.0.2.1'),
          });
        else if (i % 3 === 1) await logIn(`nobody.nr${i}`, cipher, data.nonce, '192.0.2.1');
        else
          await server.call({
            method: 'POST',
            path: '/api/auth/forgetpassword',
            fields: {
              username: `nobody.nr${i}`,
              phone: '13300133000',
              code: '000000',
              password: cipher,
              serviceloginkey: data.nonce,
            },
            headers: from('192.0.2.1'),
          });
      }
    };
    await Promise.all(Array.from({ length: 40 }, sender));
    isOver = true;
    await bystander;
    expect(await usedTokens()).toBe(before);
    waits.sort((a, b) => a - b);
    expect(waits[Math.floor(waits.length * 0.9)]).toBeLessThan(1_000);
  }, 60_000);

  it('login attempts from a locked address with invented user names leave no rows in the database', async () => {
    await server.pool.query(
      `insert into login_failure values ('address:192.0.2.7', 200, now()) on conflict do nothing`,
    );
    const { nonce, ciphers } = await server.encrypt('wrong');
    for (let i = 0; i < 20; i++)
      expect((await logIn(`made.up${i}`, ciphers[0] as string, nonce, '192.0.2.7')).status).toBe(
        'login.locked',
      );
    const { rows } = await server.pool.query(
      `select * from login_failure where subject like 'account:made.up%'`,
    );
    expect(rows).toEqual([]);
  });

  it('signed calls of unauthenticated callers have no effect when repeated', async () => {
    const { nonce, ciphers } = await server.encrypt(DEMO_PASSWORD);
    const call = {
      method: 'POST',
      path: '/api/auth/login',
      fields: { username: 'demo.keeper', password: ciphers[0] as string, serviceloginkey: nonce },
      timestamp: Date.now(),
    };
    const answers = await Promise.all(Array.from({ length: 5 }, () => server.call(call)));
    expect(answers.filter(({ status }) => status === '1')).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 'login.nonce')).toHaveLength(4);
    await server.pool.query('delete from login_failure');
  });
});

describe('passwords that cannot be decrypted', () => {
  it('a password that cannot be decrypted counts for the source address and locks it, not the account', async () => {
    await server.pool.query('delete from login_failure');
    const { data } = await server.call<{ nonce: string }>({ path: '/api/auth/publickey' });
    await server.pool.query(`insert into login_failure values ('address:2001:db8:0:1::/64', 29, now())`);
    const garbage = `04${'cd'.repeat(120)}`;
    expect((await logIn('demo.keeper', garbage, data.nonce, '2001:db8:0:1::1')).status).toBe('login.cipher');
    // All addresses of one customer's network count as the same address.
    expect((await logIn('demo.keeper', garbage, data.nonce, '2001:db8:0:1:ffff::2')).status).toBe('-9');
    expect((await server.tryLogIn('demo.keeper', DEMO_PASSWORD)).status).toBe('1');
  });
});

describe('login nonces', () => {
  it('a nonce has only one valid encoding', async () => {
    const { data } = await server.call<{ publicKey: string; nonce: string }>({ path: '/api/auth/publickey' });
    const { encryptPassword } = await import('@isotherm/contracts/password-cipher');
    for (const nonce of [`${data.nonce}.`, `${data.nonce}.x`, ` ${data.nonce}`, data.nonce.toUpperCase()])
      expect(
        (
          await logIn(
            'demo.keeper',
            encryptPassword(data.publicKey, nonce, DEMO_PASSWORD),
            nonce,
            '192.0.2.9',
          )
        ).status,
        nonce,
      ).toBe('login.nonce');
  });
});

describe('codes that no notification channel can deliver', () => {
  const ask = (username: string, phone: string) =>
    server.call({
      method: 'POST',
      path: '/api/sms/code',
      fields: { username, phone, actiontype: 'forgetpassword' },
      headers: from('192.0.2.10'),
    });

  it('if a code cannot be delivered, the response and the counters are the same whether or not account and number match', async () => {
    await server.pool.query(`update account set mobile = '13700137000' where username = 'demo.keeper'`);
    const answers = [];
    for (const phone of ['13700137000', '13700137001']) {
      const begun = performance.now();
      const { status, message, httpStatus } = await ask('demo.keeper', phone);
      expect(performance.now() - begun).toBeGreaterThan(140);
      answers.push({ status, message, httpStatus, again: (await ask('demo.keeper', phone)).status });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]).toMatchObject({ status: 'message.no_transport', again: 'code.too_soon' });
    const { rows } = await server.pool.query('select hash from verification_code');
    expect(rows).toEqual([{ hash: '' }, { hash: '' }]);
  });
});
