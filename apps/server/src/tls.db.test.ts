import { once } from 'node:events';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import https from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { readingsTopic } from '@isotherm/contracts/ingest';
import { selfSigned } from '@isotherm/testkit/self-signed';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { readConfig } from './config.ts';
import { fridge, type Session, startTestServer, TEST_KEY, type TestServer } from './testing/test-server.ts';

/** Tests HTTPS and MQTTS with a self-signed certificate. */
const NUMBER = '49000001';
const first = selfSigned('first');
let folder: string;
let server: TestServer;
let manager: Session;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isotherm-tls-'));
  await write(first);
  server = await startTestServer({
    environment: {
      ISOTHERM_TLS_CERT: join(folder, 'cert.pem'),
      ISOTHERM_TLS_KEY: join(folder, 'key.pem'),
      ISOTHERM_HTTPS_PORT: '0',
      ISOTHERM_MQTTS_PORT: '0',
      ISOTHERM_MAX_CONNECTIONS: '400',
    },
  });
  manager = await server.logIn('demo.manager');
  await server.provision(manager, [fridge(NUMBER)]);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

/** Replaces the files by new ones, in the same way as certificates are renewed. */
async function write({ cert, key }: { cert: string; key: string }): Promise<void> {
  for (const [name, text] of [
    ['key.pem', key],
    ['cert.pem', cert],
  ] as const) {
    await writeFile(join(folder, `${name}.new`), text);
    await rename(join(folder, `${name}.new`), join(folder, name));
  }
}

interface Got {
  status: number | undefined;
  headers: Record<string, unknown>;
  shown: string;
}

function get(path: string, ca: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const request = https.get(
      { host: '127.0.0.1', port: server.tlsPorts.https as number, path, ca, headers, agent: false },
      (response) => {
        const shown = (response.socket as tls.TLSSocket).getPeerCertificate().subject.CN;
        response.resume();
        resolve({ status: response.statusCode, headers: response.headers, shown: String(shown) });
      },
    );
    request.on('error', reject);
  });
}

const connect = (ca: string) =>
  mqtt.connectAsync(`mqtts://127.0.0.1:${server.tlsPorts.mqtts}`, {
    ca,
    username: NUMBER,
    password: TEST_KEY,
    reconnectPeriod: 0,
  });

const reading = (at: number) =>
  JSON.stringify({ readings: [{ channel: 'temperature-1', at: Date.now() - at, value: 5 }] });

test('the console is served over TLS with HSTS', async () => {
  const answer = await get('/api/site', first.cert);
  expect(answer).toMatchObject({
    status: 200,
    shown: 'first',
    headers: { 'strict-transport-security': 'max-age=31536000' },
  });
  const plain = await fetch(`${server.url}/api/site`);
  expect(plain.headers.get('strict-transport-security')).toBeNull();
});

test('signed calls and the WebSocket work over TLS', async () => {
  const { headers } = server.signed({ path: '/api/auth/info', session: manager });
  expect(await get('/api/auth/info', first.cert, headers)).toMatchObject({ status: 200 });
  const { data } = await server.call<{ ticket: string }>({
    method: 'POST',
    path: '/api/auth/socket-ticket',
    session: manager,
  });
  const socket = new WebSocket(
    `wss://127.0.0.1:${server.tlsPorts.https}/ws?username=demo.manager&ticket=${data.ticket}`,
    { ca: first.cert },
  );
  await new Promise((resolve, reject) => {
    socket.once('message', resolve);
    socket.once('error', reject);
  });
  socket.terminate();
});

test('readings are accepted over MQTTS', async () => {
  const client = await connect(first.cert);
  await client.publishAsync(readingsTopic(NUMBER), reading(60_000), { qos: 1 });
  await client.endAsync();
  const { rows } = await server.pool.query('select 1 from reading');
  expect(rows).toHaveLength(1);
});

test('a renewed certificate applies to new connections, and existing ones continue', async () => {
  const standing = await connect(first.cert);
  const second = selfSigned('second');
  await write(second);
  await expect
    .poll(
      () =>
        get('/api/site', second.cert).then(
          ({ shown }) => shown,
          () => '',
        ),
      { timeout: 15_000, interval: 500 },
    )
    .toBe('second');
  const next = await connect(second.cert);
  for (const [client, at] of [
    [standing, 120_000],
    [next, 180_000],
  ] as const)
    await client.publishAsync(readingsTopic(NUMBER), reading(at), { qos: 1 });
  await Promise.all([standing.endAsync(), next.endAsync()]);

  // Unusable files are ignored, and the current certificate stays in use.
  await write({ cert: 'no certificate', key: second.key });
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect((await get('/api/site', second.cert)).shown).toBe('second');
}, 40_000);

test('connections that send nothing are limited before the TLS handshake, and closed ones no longer count', async () => {
  const open = (from: string) =>
    new Promise<tls.TLSSocket | null>((resolve) => {
      const port = server.tlsPorts.mqtts as number;
      const plain = net.connect({ host: '127.0.0.1', port, localAddress: from });
      plain.once('error', () => resolve(null));
      const socket = tls.connect({ socket: plain, rejectUnauthorized: false });
      socket.once('secureConnect', () => resolve(socket));
      socket.once('error', () => resolve(null));
      socket.once('close', () => resolve(null));
    });
  for (let round = 0; round < 2; round++) {
    const sockets = await Promise.all(Array.from({ length: 100 }, () => open('127.0.0.2')));
    const kept = sockets.filter((socket) => socket !== null);
    expect(kept.length).toBe(64);
    await Promise.all(
      kept.map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())),
    );
    // The server detects the closed connections a moment later.
    await expect
      .poll(async () => {
        const probe = await open('127.0.0.2');
        probe?.destroy();
        return probe !== null;
      })
      .toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}, 30_000);

test('a certificate needs its key, and unencrypted connections are accepted from this machine only', () => {
  const read = (more: Record<string, string>) =>
    readConfig(
      {
        DATABASE_URL: 'postgres://127.0.0.1/isotherm',
        ISOTHERM_SECRET: 'x'.repeat(32),
        HOST: '0.0.0.0',
        ...more,
      },
      [],
    );
  expect(read({})).toMatchObject({ tls: null, plainHost: '0.0.0.0' });
  const both = { ISOTHERM_TLS_CERT: 'cert.pem', ISOTHERM_TLS_KEY: 'key.pem' };
  expect(read(both)).toMatchObject({
    tls: { cert: 'cert.pem', key: 'key.pem', httpsPort: 8443, mqttsPort: 8883 },
    host: '0.0.0.0',
    plainHost: '127.0.0.1',
  });
  expect(read({ ...both, ISOTHERM_PLAIN_HOST: '10.0.0.5' }).plainHost).toBe('10.0.0.5');
  expect(() => read({ ISOTHERM_TLS_CERT: 'cert.pem' })).toThrow(
    'ISOTHERM_TLS_CERT: ISOTHERM_TLS_CERT and ISOTHERM_TLS_KEY must be set together',
  );
  expect(() => read({ ISOTHERM_TLS_KEY: 'key.pem' })).toThrow(
    'ISOTHERM_TLS_KEY: ISOTHERM_TLS_CERT and ISOTHERM_TLS_KEY must be set together',
  );
});

test('connections that have sent nothing do not delay the shutdown of the server', async () => {
  await write(selfSigned('ending'));
  const ending = await startTestServer({
    environment: {
      ISOTHERM_TLS_CERT: join(folder, 'cert.pem'),
      ISOTHERM_TLS_KEY: join(folder, 'key.pem'),
      ISOTHERM_HTTPS_PORT: '0',
      ISOTHERM_MQTTS_PORT: '0',
    },
  });
  const host = '127.0.0.1';
  const { https: httpsPort, mqtts: mqttsPort } = ending.tlsPorts as { https: number; mqtts: number };
  const silent = [Number(new URL(ending.url).port), httpsPort, mqttsPort].map((port) =>
    net.connect(port, host),
  );
  const greeted = [httpsPort, mqttsPort].map((port) =>
    tls.connect({ host, port, rejectUnauthorized: false }),
  );
  await Promise.all([
    ...silent.map((socket) => once(socket, 'connect')),
    ...greeted.map((socket) => once(socket, 'secureConnect')),
  ]);
  for (const socket of [...silent, ...greeted]) socket.on('error', () => undefined);
  const begun = performance.now();
  await ending.stop();
  expect(performance.now() - begun).toBeLessThan(3_000);
  for (const socket of [...silent, ...greeted]) socket.destroy();
}, 40_000);
