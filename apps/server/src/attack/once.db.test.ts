import { once } from 'node:events';
import { generateSync } from 'otplib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { rounds } from '../testing/attack.ts';
import { codeSentTo } from '../testing/codes.ts';
import { expectDone, type People, people } from '../testing/people.ts';
import { findGap } from '../testing/puzzle-gap.ts';
import {
  type Answer,
  type Call,
  DEMO_PASSWORD,
  type Session,
  startTestServer,
  type TestServer,
} from '../testing/test-server.ts';

/**
 * Repeats one-time values, encodes them differently, and sends them many times in parallel to two processes.
 */
let server: TestServer;
let other: TestServer;
let platform: Session;
let manager: Session;
let known: People;
const clock = { offset: 0, now: () => Date.now() + clock.offset };
const AT_ONCE = 8;

beforeAll(async () => {
  const environment = { ISOTHERM_ENVIRONMENT: 'sandbox', ISOTHERM_TRUST_PROXY: '1' };
  server = await startTestServer({ clock, environment });
  other = await startTestServer({ clock, environment, databaseUrl: server.databaseUrl });
  platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  known = people(server, platform);
});
afterAll(async () => {
  await other.stop();
  await server.stop();
});

/** Returns every encoding that a lenient decoder could accept as the same value. */
function respellings(text: string): string[] {
  const upper = text.toUpperCase();
  const lower = text.toLowerCase();
  return [
    `${text}=`,
    `${text}==`,
    `${text}.`,
    `${text} `,
    ` ${text}`,
    `${text}\t`,
    `${text}\u200b`,
    `${text.slice(0, 4)} ${text.slice(4)}`,
    text.replaceAll('-', ''),
    text.replaceAll('-', '+').replaceAll('_', '/'),
    text.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit))),
    upper,
    lower,
    `0${text}`,
    `+${text}`,
    text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A'),
  ].filter((each) => each !== text);
}

/**
 * Counts how often the action took effect: in parallel on both processes, then repeated, then in every
 * encoding.
 */
async function doneTimes(
  text: string,
  use: (text: string, at: TestServer) => Promise<boolean>,
): Promise<number> {
  const race = Array.from({ length: AT_ONCE }, (_, i) => use(text, i % 2 === 0 ? server : other));
  let done = (await Promise.all(race)).filter((isDone) => isDone).length;
  if (await use(text, server)) done++;
  for (const each of respellings(text)) if (await use(each, server)) done++;
  return done;
}

let addresses = 0;
/** Each call comes from another address, so that these attempts do not lock out other callers. */
const elsewhere = () => ({ 'x-forwarded-for': `198.18.${++addresses >> 8}.${addresses & 255}` });
const isDone = ({ status }: Answer) => status === '1';

describe.each(Array.from({ length: rounds(1, 20) }, (_, i) => i))(
  'attempts to use one-time values twice, round %d',
  (round) => {
    test('a signed call takes effect only once', async () => {
      const timestamp = clock.now() + round;
      const call = { method: 'POST', path: '/api/auth/socket-ticket', session: manager, timestamp };
      const { signed } = server;
      const { headers } = signed(call);
      const uses: Call[] = [
        call,
        { ...call, headers: { 'x-timestamp': ` ${timestamp}` } },
        { ...call, headers: { 'x-timestamp': `+${timestamp}` } },
        { ...call, headers: { 'x-timestamp': `${timestamp}.0` } },
        { ...call, headers: { 'x-username': '%64emo.manager' } },
        { ...call, headers: { 'x-signature': (headers['x-signature'] as string).toLowerCase() } },
        { ...call, headers: { 'x-session': (headers['x-session'] as string).toUpperCase() } },
      ];
      const race = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, i) => (i % 2 ? other : server).call(call)),
      );
      const again = [];
      for (const each of uses) again.push(await server.call(each));
      expect(race.filter(isDone)).toHaveLength(1);
      expect(again.filter(isDone)).toEqual([]);
    });

    test('a login takes effect only once', async () => {
      await known.account(`once.login${round}`, 'driver', 'DEMO');
      const { nonce, ciphers } = await server.encrypt(DEMO_PASSWORD);
      const done = await doneTimes(nonce, async (serviceloginkey, at) =>
        isDone(
          await at.call({
            method: 'POST',
            path: '/api/auth/login',
            fields: { username: `once.login${round}`, password: ciphers[0] as string, serviceloginkey },
            headers: elsewhere(),
          }),
        ),
      );
      expect(done).toBe(1);
      await server.pool.query('delete from login_failure');
    });

    test('a WebSocket ticket is accepted only once', async () => {
      const { data } = await server.call<{ ticket: string }>({
        method: 'POST',
        path: '/api/auth/socket-ticket',
        session: manager,
        timestamp: clock.now() + 500 + round,
      });
      const done = await doneTimes(data.ticket, async (ticket, at) => {
        const query = new URLSearchParams({ username: manager.username, ticket });
        const socket = new WebSocket(`${at.url.replace('http', 'ws')}/ws?${query}`);
        const [isOpen] = await Promise.race([
          once(socket, 'message').then(() => [true]),
          once(socket, 'close').then(() => [false]),
        ]);
        socket.terminate();
        return isOpen as boolean;
      });
      expect(done).toBe(1);
    });

    test('a login puzzle is accepted only once', async () => {
      const username = `once.puzzle${round}`;
      await known.account(username, 'driver', 'DEMO');
      const { data: puzzle } = await server.call<{ puzzleId: string; image: string }>({
        path: '/api/auth/puzzle',
        headers: elsewhere(),
      });
      const puzzleX = String(findGap(puzzle.image));
      const done = await doneTimes(puzzle.puzzleId, async (puzzleId, at) => {
        await server.pool.query(
          `insert into login_failure values ($1, 5, $2) on conflict (subject) do update set failures = 5`,
          [`account:${username}`, new Date(clock.now())],
        );
        const answer = await at.tryLogIn(username, DEMO_PASSWORD, { puzzleId, puzzleX });
        return isDone(answer);
      });
      // More than one login may succeed: a successful login clears the failures, and parallel logins then
      // need no puzzle.
      expect(done).toBeGreaterThanOrEqual(1);
      const { rows } = await server.pool.query<{ count: number }>(
        'select count(*)::int as count from used_token where hash = sha256(convert_to($1, $2))',
        [`puzzle:${puzzle.puzzleId}`, 'UTF8'],
      );
      expect(rows[0]?.count).toBe(1);
      await server.pool.query('delete from login_failure');
    });

    test('an authorization code is accepted only once', async () => {
      const { secret } = expectDone(
        await server.call<{ secret: string }>({
          method: 'POST',
          path: '/api/authorization',
          session: manager,
          json: {
            name: `once ${round}`,
            organizationId: await known.organizationId('DEMO'),
            permissions: ['monitor:view'],
            kind: 'code',
            validDays: 1,
          },
        }),
      );
      const done = await doneTimes(secret, async (code, at) =>
        isDone(
          await at.call({
            method: 'POST',
            path: '/api/authorization/redeem',
            json: { code },
            headers: elsewhere(),
          }),
        ),
      );
      expect(done).toBe(1);
    });

    test('an SMS code is accepted only once', async () => {
      const [username, phone] = [`once.sms${round}`, `1370014${String(7000 + round)}`];
      await known.account(username, 'driver', 'DEMO', { mobile: phone });
      const sent = await server.call({
        method: 'POST',
        path: '/api/sms/code',
        fields: { username, phone, actiontype: 'forgetpassword' },
        headers: elsewhere(),
      });
      expect(sent.status).toBe('1');
      const code = await codeSentTo(server, platform, phone);
      const set = async (text: string, at: TestServer, password: string) => {
        const { nonce, ciphers } = await at.encrypt(password);
        return isDone(
          await at.call({
            method: 'POST',
            path: '/api/auth/forgetpassword',
            fields: { username, phone, code: text, password: ciphers[0] as string, serviceloginkey: nonce },
            headers: elsewhere(),
          }),
        );
      };
      expect(await doneTimes(code, (text, at) => set(text, at, 'A-new-word-7'))).toBe(1);
    });

    test('a code of an authenticator app and a recovery code are each accepted only once', async () => {
      const username = `once.totp${round}`;
      const session = await known.account(username, 'driver', 'DEMO');
      const { nonce, ciphers } = await server.encrypt(DEMO_PASSWORD);
      const path = '/api/account/second-factor';
      const begun = await server.call<{ secret: string }>({
        method: 'POST',
        path,
        session,
        json: { password: ciphers[0], serviceloginkey: nonce },
      });
      const codeNow = () =>
        generateSync({ secret: begun.data.secret, epoch: Math.floor(clock.now() / 1000) });
      const { recoveryCodes } = expectDone(
        await server.call<{ recoveryCodes: string[] }>({
          method: 'PUT',
          path,
          session,
          json: { code: codeNow() },
        }),
      );
      // The code of the current time step was already used to enable the second factor.
      clock.offset += 31_000;
      const logIn = async (secondFactor: string, at: TestServer) => {
        const answer = await at.tryLogIn(username, DEMO_PASSWORD, { secondFactor });
        await server.pool.query('delete from login_failure');
        return isDone(answer);
      };
      expect(await doneTimes(codeNow(), logIn)).toBe(1);
      expect(await doneTimes(recoveryCodes[0] as string, logIn)).toBe(1);
    });
  },
);
