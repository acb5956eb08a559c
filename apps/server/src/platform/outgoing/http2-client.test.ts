import http2, { type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { selfSigned } from '@isotherm/testkit/self-signed';
import { afterEach, expect, test } from 'vitest';
import { createHttp2Client, type Http2Client } from './http2-client.ts';
import { OutgoingError } from './outgoing.ts';

const CERTIFICATE = selfSigned('localhost');
const asked: string[] = [];
/** Every host name is this machine. */
const outgoing = {
  addressOf: async (host: string) => {
    asked.push(host);
    if (host === 'refused.example') throw new OutgoingError('address_refused');
    return '127.0.0.1';
  },
};
const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A server that answers with what it was sent; `large` with more than is read. */
async function startServer(isSecure: boolean) {
  const sessions = new Set<ServerHttp2Session>();
  const server = isSecure ? http2.createSecureServer(CERTIFICATE) : http2.createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => undefined);
    session.on('close', () => sessions.delete(session));
  });
  server.on('sessionError', () => undefined);
  server.on('stream', (stream, headers) => {
    const pieces: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('end', () => {
      stream.respond({ ':status': 200, 'x-path': headers[':path'], 'x-authority': headers[':authority'] });
      stream.end(headers[':path'] === '/large' ? Buffer.alloc(100_000) : Buffer.concat(pieces));
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  stops.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sessions };
}

function client(ca?: string): Http2Client {
  const made = createHttp2Client(outgoing, ca);
  stops.push(made.stop);
  return made;
}

test('a request over TLS is answered, and the next one uses the same connection', async () => {
  const { port, sessions } = await startServer(true);
  const { post } = client(CERTIFICATE.cert);
  const url = new URL(`https://localhost:${port}/3/device/a?b=c`);
  for (const body of ['{"aps": {}}', '{"aps": 1}']) {
    const answer = await post(url, { 'content-type': 'application/json' }, body);
    expect(answer).toMatchObject({ status: 200, headers: { 'x-path': '/3/device/a?b=c' } });
    expect(answer.body.toString()).toBe(body);
  }
  expect(sessions.size).toBe(1);
});

test('a certificate that is not trusted is refused', async () => {
  const { port } = await startServer(true);
  await expect(client().post(new URL(`https://localhost:${port}/`), {}, '')).rejects.toMatchObject({
    fault: 'certificate',
  });
});

test('the connection goes to the address that was checked, with the name of the host', async () => {
  const { port } = await startServer(false);
  const { post } = client();
  const answer = await post(new URL(`http://push.example:${port}/`), {}, 'x');
  expect(answer.headers['x-authority']).toBe(`push.example:${port}`);
  expect(asked).toContain('push.example');
  await expect(post(new URL(`http://refused.example:${port}/`), {}, 'x')).rejects.toMatchObject({
    fault: 'address_refused',
  });
});

test('a connection that was closed or that ends politely is replaced', async () => {
  const { port, sessions } = await startServer(false);
  const { post } = client();
  const url = new URL(`http://push.example:${port}/`);
  await post(url, {}, 'x');
  for (const session of sessions) session.destroy();
  expect(await post(url, {}, 'y')).toMatchObject({ status: 200 });
  for (const session of sessions) session.close();
  expect(await post(url, {}, 'z')).toMatchObject({ status: 200 });
});

test('a response that is too large is given up, and other requests go on', async () => {
  const { port } = await startServer(false);
  const { post } = client();
  const large = post(new URL(`http://push.example:${port}/large`), {}, 'x');
  await expect(large).rejects.toMatchObject({ fault: 'too_large' });
  expect(await post(new URL(`http://push.example:${port}/`), {}, 'x')).toMatchObject({ status: 200 });
});

test('nobody who listens is an error, and the next request tries again', async () => {
  const { port } = await startServer(false);
  const { post } = client();
  await expect(post(new URL('http://push.example:9/'), {}, 'x')).rejects.toMatchObject({
    fault: 'unreachable',
  });
  expect(await post(new URL(`http://push.example:${port}/`), {}, 'x')).toMatchObject({ status: 200 });
});
