import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as xlsx from '@e965/xlsx';
import { createDice, mutated } from '@isotherm/testkit/dice';
import {
  type FuzzTarget,
  fuzz,
  httpTarget,
  mqttTarget,
  packetTarget,
  socketTarget,
} from '@isotherm/testkit/fuzz';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ATTACK, rounds } from '../testing/attack.ts';
import {
  type Call,
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../testing/test-server.ts';

/**
 * Sends malformed messages of every protocol, generated from a seed: the server must keep running and accept
 * valid messages afterwards.
 */
const DEVICE = '48000001';
let server: TestServer;
let manager: Session;
let minute = 0;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge(DEVICE), fridge('48000002')]);
});
afterAll(() => server.stop());

/** Checks that a reading of another device is stored and that a page is served. */
async function expectAlive(): Promise<void> {
  const readings = [{ channel: 'temperature-1', at: Date.now() - ++minute * 60_000, value: 5 }];
  expect(await server.ingest('48000002', TEST_KEY, { readings })).toMatchObject({ data: { accepted: 1 } });
  expect(await server.call({ path: '/api/auth/info', session: manager })).toMatchObject({ status: '1' });
}

const httpPort = () => Number(new URL(server.url).port);
const vectors = (): Buffer[] => {
  const file = fileURLToPath(
    new URL('../../../../packages/protocol/vectors/gateway-packet.json', import.meta.url),
  );
  const found: Buffer[] = [];
  JSON.stringify(JSON.parse(readFileSync(file, 'utf8')), (_key, value) => {
    if (typeof value === 'string' && /^([0-9a-f]{2}){8,}$/i.test(value))
      found.push(Buffer.from(value, 'hex'));
    return value;
  });
  return found;
};

async function tickets(count: number): Promise<() => string | null> {
  const made: string[] = [];
  // Two identical signed calls would be rejected as a replay.
  const since = Date.now() - 60_000;
  for (let i = 0; i < count; i++) {
    const { data } = await server.call<{ ticket: string }>({
      method: 'POST',
      path: '/api/auth/socket-ticket',
      session: manager,
      timestamp: since + i,
    });
    made.push(`/ws?${new URLSearchParams({ username: manager.username, ticket: data.ticket })}`);
  }
  return () => made.pop() ?? null;
}

const TARGETS: readonly [string, () => FuzzTarget | Promise<FuzzTarget>][] = [
  ['MQTT of strangers', () => mqttTarget(server.mqttPort)],
  ['MQTT of a device', () => mqttTarget(server.mqttPort, { number: DEVICE, key: TEST_KEY })],
  ['gateway packets', () => packetTarget(server.tcpPort, vectors())],
  ['HTTP', () => httpTarget(httpPort())],
  ['WebSocket', async () => socketTarget(httpPort(), await tickets(40))],
];

test.each(TARGETS)(
  '%s: malformed messages do not affect other callers',
  async (_name, target) => {
    const packets = rounds(1_500, 40_000);
    expect(await fuzz(await target(), ATTACK.seed, packets)).toBeGreaterThan(packets / 20);
    await expectAlive();
  },
  300_000,
);

test('a malformed file is rejected or read, and never causes a server error', async () => {
  const dice = createDice(ATTACK.seed);
  const book = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([['Account'], ['anna']]), 'Users');
  const { data } = await server.call<{ content: string }>({ path: '/api/user/template', session: manager });
  const picture = sharp({ create: { width: 60, height: 40, channels: 3, background: 'teal' } });
  const valid: [string, string, string, Buffer][] = [
    ['POST', '/api/user/import', 'users.xlsx', Buffer.from(data.content, 'base64')],
    ['POST', '/api/user/import', 'users.xls', xlsx.write(book, { type: 'buffer', bookType: 'xls' })],
    ['POST', '/api/fileupload/avatar', 'photo.png', await picture.png().toBuffer()],
    ['POST', '/api/fileupload/avatar', 'photo.jpg', await picture.jpeg().toBuffer()],
  ];
  const wrong: string[] = [];
  for (let i = 0; i < rounds(20, 600); i++) {
    const [method, path, name, bytes] = dice.pick(valid);
    const file = { name, bytes: mutated(dice, bytes) };
    const fields: Call['fields'] = path.endsWith('import') ? { file, dryRun: 'true' } : { image: file };
    const { httpStatus, status } = await server.call({ method, path, session: manager, fields });
    if (httpStatus >= 500) wrong.push(`${i} ${path}: ${httpStatus} ${status}`);
    if (status === 'request.not_found') wrong.push(`${path} is no route`);
  }
  expect(wrong).toEqual([]);
  await expectAlive();
}, 300_000);
