import { acknowledgeAlarm, listAlarms } from '@isotherm/contracts/alarms';
import { getProfile, login, refreshToken } from '@isotherm/contracts/identity';
import { HEADER, requestSignature, sessionProof } from '@isotherm/contracts/signing';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { anAlarm, aProfile } from '../testing/data.ts';
import { fakeServer, Refusal } from '../testing/fake-server.ts';
import type { ApiError } from './api-error.ts';
import { call, configureClient } from './client.ts';
import { learnServerTime } from './clock.ts';
import { readSession, writeSession } from './session.ts';

const SALT = 'pepper';
const onFailure = vi.fn<(error: ApiError) => void>();
const onSessionOver = vi.fn();
const onEntryDue = vi.fn();

beforeEach(() => {
  localStorage.clear();
  vi.clearAllMocks();
  learnServerTime(Date.now());
  configureClient({
    salt: SALT,
    language: () => 'es',
    describe: (failure) => `no answer: ${failure}`,
    onFailure,
    onSessionOver,
    onEntryDue,
  });
  writeSession('demo.keeper', 'secret-token', 7200, Date.now());
});

describe('a signed request', () => {
  it('the request contains the signature and the proof of the session, but never the token', async () => {
    const server = fakeServer();
    server.answer(listAlarms, () => ({ items: [], total: 0, open: 0, unacknowledged: 0 }));
    await call(listAlarms, { query: { show: 'open', search: 'fridge 3' } });
    const asked = server.called(listAlarms)[0]?.asked;
    if (!asked) throw new Error('the call was not made');
    const timestamp = Number(asked.headers.get(HEADER.timestamp));
    const parts = { query: asked.query, json: '', fields: [] };
    const signature = requestSignature(SALT, 'GET', '/api/alarm/current', parts, timestamp);
    expect(asked.headers.get(HEADER.signature)).toBe(signature);
    expect(asked.headers.get(HEADER.session)).toBe(
      sessionProof('secret-token', '/api/alarm/current', 'demo.keeper', timestamp, signature),
    );
    expect(asked.headers.get(HEADER.language)).toBe('es');
    expect([...asked.headers.values(), ...asked.query.values()].join()).not.toContain('secret-token');
  });

  it('parameters are put into the path, and the JSON is signed exactly as it is sent', async () => {
    const server = fakeServer();
    server.answer(acknowledgeAlarm, () => anAlarm());
    await call(acknowledgeAlarm, {
      params: { id: 7 },
      body: { reason: 'door-open', cause: '', correctiveAction: '' },
    });
    const asked = server.called(acknowledgeAlarm)[0]?.asked;
    const timestamp = Number(asked?.headers.get(HEADER.timestamp));
    expect(asked?.path).toBe('/api/alarm/7/acknowledge');
    expect(asked?.headers.get(HEADER.signature)).toBe(
      requestSignature(
        SALT,
        'PUT',
        '/api/alarm/7/acknowledge',
        { query: [], json: '{"reason":"door-open","cause":"","correctiveAction":""}', fields: [] },
        timestamp,
      ),
    );
  });

  it('multipart fields are sent if the contract requires them, and a public route is called without a session', async () => {
    const server = fakeServer();
    server.answer(login, () => ({ ...aProfile(), token: 't', tokentime: 60 }));
    await call(login, { body: { username: 'u', password: '04ab', serviceloginkey: 'n' } });
    const asked = server.called(login)[0]?.asked;
    expect(asked?.fields).toEqual({ username: 'u', password: '04ab', serviceloginkey: 'n' });
    expect(asked?.headers.has(HEADER.session)).toBe(false);
  });

  it('two requests never have the same timestamp, because the server would refuse the second as a replay', async () => {
    const server = fakeServer();
    server.answer(getProfile, () => aProfile());
    await Promise.all([call(getProfile), call(getProfile), call(getProfile)]);
    const stamps = server.called(getProfile).map(({ asked }) => asked.headers.get(HEADER.timestamp));
    expect(new Set(stamps).size).toBe(3);
  });
});

describe('the renewal of a token that expires soon', () => {
  it('the token is renewed once for all waiting requests, which then use the new one', async () => {
    writeSession('demo.keeper', 'old-token', 7200, Date.now() - 5000 * 1000);
    const server = fakeServer();
    server.answer(refreshToken, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return { token: 'new-token', tokentime: 7200 };
    });
    server.answer(getProfile, () => aProfile());
    await Promise.all([call(getProfile), call(getProfile), call(getProfile)]);
    expect(server.called(refreshToken)).toHaveLength(1);
    expect(readSession()?.token).toBe('new-token');
    for (const { asked } of server.called(getProfile)) {
      const timestamp = Number(asked.headers.get(HEADER.timestamp));
      const signature = asked.headers.get(HEADER.signature) as string;
      expect(asked.headers.get(HEADER.session)).toBe(
        sessionProof('new-token', '/api/auth/info', 'demo.keeper', timestamp, signature),
      );
    }
  });

  it('the token is not renewed while more than a third of its lifetime is left', async () => {
    const server = fakeServer();
    server.answer(getProfile, () => aProfile());
    await call(getProfile);
    expect(server.called(refreshToken)).toHaveLength(0);
  });

  it('the session ends if the token cannot be renewed', async () => {
    writeSession('demo.keeper', 'old-token', 7200, Date.now() - 5000 * 1000);
    const server = fakeServer();
    server.answer(refreshToken, () => new Refusal('session.expired', 'Your session has ended.'));
    await expect(call(getProfile)).rejects.toMatchObject({ code: 'session.expired' });
    expect(onSessionOver).toHaveBeenCalledOnce();
    expect(readSession()).toBeNull();
  });
});

describe('the handling of a failed request', () => {
  it('a refusal because of the clock corrects the offset, and the request is repeated once', async () => {
    const ahead = Date.now() + 3_600_000;
    const server = fakeServer();
    server.answer(getProfile, ({ headers }) =>
      Math.abs(Number(headers.get(HEADER.timestamp)) - ahead) < 5000
        ? aProfile()
        : new Refusal('signature.skewed', 'clock', 401, { date: new Date(ahead).toUTCString() }),
    );
    await expect(call(getProfile)).resolves.toMatchObject({ username: 'demo.keeper' });
    expect(server.called(getProfile)).toHaveLength(2);
  });

  it("the server's message is shown as a toast, unless the caller shows the error itself", async () => {
    const server = fakeServer();
    server.answer(getProfile, () => new Refusal('service.failed', 'Something went wrong.', 500));
    await expect(call(getProfile)).rejects.toThrow('Something went wrong.');
    expect(onFailure).toHaveBeenCalledOnce();
    await expect(call(getProfile, { quiet: true })).rejects.toThrow();
    expect(onFailure).toHaveBeenCalledOnce();
  });

  it('a refusal because of a pending password change opens the form for the new password and keeps the session', async () => {
    const server = fakeServer();
    server.answer(getProfile, () => new Refusal('session.password_change_due', 'Change it.', 403));
    await expect(call(getProfile)).rejects.toThrow();
    expect(onEntryDue).toHaveBeenCalledWith('password');
    expect(readSession()).not.toBeNull();
  });

  it('a network failure shows a message of the client', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('failed to fetch')));
    await expect(call(getProfile)).rejects.toMatchObject({
      code: 'client.network',
      message: 'no answer: network',
    });
  });

  it('a response that does not have the expected structure is reported as unreadable', async () => {
    vi.stubGlobal('fetch', async () => new Response('<html>502</html>', { status: 502 }));
    await expect(call(getProfile)).rejects.toMatchObject({ code: 'client.unreadable', httpStatus: 502 });
  });
});
