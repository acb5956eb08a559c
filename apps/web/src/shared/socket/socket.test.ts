import { createSocketTicket } from '@isotherm/contracts/identity';
import { RECONNECT_EVERY_MS, TOO_MANY_SOCKETS } from '@isotherm/contracts/realtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { configureClient } from '../api/client.ts';
import { writeSession } from '../api/session.ts';
import { fakeServer } from '../testing/fake-server.ts';
import { onConnect, startSocket, useConnection } from './socket.ts';

class FakeSocket {
  static readonly OPEN = 1;
  static readonly all: FakeSocket[] = [];
  readyState = FakeSocket.OPEN;
  onopen?: () => void;
  onmessage?: (event: { data: string }) => void;
  onclose?: (event: { code: number }) => void;
  constructor() {
    FakeSocket.all.push(this);
  }
  send() {}
  close() {
    this.readyState = 3;
  }
}
const last = () => FakeSocket.all.at(-1) as FakeSocket;
const greet = () =>
  last().onmessage?.({
    data: JSON.stringify({ event: 'pulse', at: new Date().toISOString(), database: 'up', since: null }),
  });

let stop: () => void;
const connected = vi.fn();

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'Date'] });
  vi.stubGlobal('WebSocket', FakeSocket);
  FakeSocket.all.length = 0;
  connected.mockReset();
  configureClient({
    salt: 's',
    language: () => 'en',
    describe: (failure) => failure,
    onFailure: vi.fn(),
    onSessionOver: vi.fn(),
    onEntryDue: vi.fn(),
  });
  writeSession('demo.manager', 'token', 7200, Date.now());
  fakeServer().answer(createSocketTicket, () => ({ ticket: 'ticket' }));
  const forget = onConnect(connected);
  const end = startSocket();
  stop = () => {
    end();
    forget();
  };
  await vi.waitFor(() => expect(FakeSocket.all).toHaveLength(1));
});
afterEach(() => {
  stop();
  useConnection.setState({ status: 'connecting', attempts: 0, stale: null });
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it('a console above the limit of connections shows this while it retries, and counts as connected only after the greeting message', async () => {
  last().onopen?.();
  last().onclose?.({ code: TOO_MANY_SOCKETS });
  expect(useConnection.getState()).toMatchObject({
    status: 'closed',
    attempts: 1,
    stale: { reason: 'tabs' },
  });
  expect(connected).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(RECONNECT_EVERY_MS);
  await vi.waitFor(() => expect(FakeSocket.all).toHaveLength(2));
  last().onopen?.();
  expect(useConnection.getState().stale?.reason).toBe('tabs');
  greet();
  expect(useConnection.getState()).toMatchObject({ status: 'open', attempts: 0, stale: null });
  expect(connected).toHaveBeenCalledTimes(1);
});

it('a connection that is lost for another reason is shown as lost', () => {
  last().onopen?.();
  greet();
  last().onclose?.({ code: 1006 });
  expect(useConnection.getState()).toMatchObject({ status: 'closed', stale: { reason: 'socket' } });
});
