import { logIn } from '@isotherm/simulator/client/api-client';
import { type ConsoleSocket, openConsoleSocket } from '@isotherm/simulator/client/console-socket';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

const PASSWORD = 'Isotherm-2026';
const MOST = 20;
let server: TestServer;
const sockets: ConsoleSocket[] = [];

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => {
  for (const socket of sockets) socket.close();
  await server.stop();
});

test('the number of sockets per user is limited, and other users are not affected', async () => {
  const manager = await logIn(server.url, 'demo.manager', PASSWORD);
  for (let tab = 0; tab < MOST; tab++) sockets.push(await openConsoleSocket(manager));
  await expect(openConsoleSocket(manager)).rejects.toThrow('too many sockets');

  const other = await logIn(server.url, 'demo.platform', PASSWORD);
  sockets.push(await openConsoleSocket(other));

  // Closing a browser tab frees a socket.
  sockets[0]?.close();
  await expect
    .poll(async () => {
      const again = await openConsoleSocket(manager).catch(() => null);
      if (again) sockets.push(again);
      return again !== null;
    })
    .toBe(true);
  expect(sockets.slice(1).every((socket) => socket.isOpen())).toBe(true);
});
