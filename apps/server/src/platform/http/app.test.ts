import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { brotliCompressSync } from 'node:zlib';
import { AppError } from '@isotherm/contracts/errors';
import type { Site } from '@isotherm/contracts/settings';
import { createTranslator } from '@isotherm/i18n/translator';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createLog } from '../log.ts';
import { createApp, serveConsole } from './app.ts';

let app: FastifyInstance;
let folder: string;
const site = (): Site => ({
  environment: 'zeek',
  version: 'v1',
  title: 'Zeek',
  collapsedTitle: 'Z',
  copyright: '</script><script>alert(1)</script>',
  languagePicker: true,
  salt: 's',
  pageTitle: 'Zeek </title><script>alert(1)</script>',
  loginLogo: '',
  menuLogo: '',
  showAppDownload: false,
  appDownloadUrl: '',
  wechatAccount: '',
  supportNote: '',
  registration: false,
  filing: '',
  map: null,
});

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isotherm-web-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets', 'a-123.js'), 'export {};');
  await writeFile(join(folder, 'assets', 'maplibre-gl-worker-123.mjs'), 'export {};');
  await writeFile(
    join(folder, 'index.html'),
    '<title>Isotherm</title><script type="application/json" id="boot">__BOOT__</script><script nonce="__NONCE__"></script>',
  );
  app = await createApp(createLog('silent', false), createTranslator(), false);
  await serveConsole(app, folder, async () => site());
});
afterAll(async () => {
  await app.close();
  await rm(folder, { recursive: true });
});

test('a response that is not read is aborted, and its resources are released', async () => {
  const unread = await createApp(createLog('silent', false), createTranslator(), false, 300);
  let made = 0;
  const given = new Promise<void>((resolve) => {
    async function* portions() {
      try {
        for (; made < 2_000; made++) yield Buffer.alloc(64 * 1024, made);
      } finally {
        resolve();
      }
    }
    unread.get('/large', (_request, reply) => reply.type('image/png').send(Readable.from(portions())));
  });
  const port = Number(new URL(await unread.listen({ host: '127.0.0.1', port: 0 })).port);
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
  await given;
  expect(made).toBeLessThan(2_000);
  socket.destroy();
  await unread.close();
});

test('a response that is generated slowly is not aborted', async () => {
  const slow = await createApp(createLog('silent', false), createTranslator(), false, 300);
  async function* portions() {
    for (let i = 0; i < 6; i++) {
      await new Promise((next) => setTimeout(next, 150));
      yield Buffer.from('x');
    }
  }
  slow.get('/slow', (_request, reply) => reply.type('image/png').send(Readable.from(portions())));
  const url = await slow.listen({ host: '127.0.0.1', port: 0 });
  expect(await (await fetch(`${url}/slow`)).text()).toBe('xxxxxx');
  await slow.close();
});

test.each([
  ['code.too_soon', { seconds: 41 }, '41'],
  ['request.too_many', {}, '60'],
] as const)('a response with the error %s has a Retry-After header', async (code, params, seconds) => {
  const refusing = await createApp(createLog('silent', false), createTranslator(), false);
  refusing.get('/refusal', () => {
    throw new AppError(code, params);
  });
  expect((await refusing.inject({ url: '/refusal' })).headers['retry-after']).toBe(seconds);
  await refusing.close();
});

test("an unknown error is returned as 500 without details, in the caller's language", async () => {
  const failing = await createApp(createLog('silent', false), createTranslator(), false);
  failing.get('/failure', () => {
    throw new Error('secret detail');
  });
  const answer = await failing.inject({ url: '/failure', headers: { 'x-language': 'es' } });
  expect(answer.statusCode).toBe(500);
  expect(answer.json()).toMatchObject({
    status: 'service.failed',
    message: createTranslator()('es', 'errors.service.failed', {}),
  });
  expect(answer.body).not.toContain('secret detail');
  await failing.close();
});

test('files that the build has compressed are served to clients that accept the compression', async () => {
  const compressed = brotliCompressSync('export {};');
  await writeFile(join(folder, 'assets', 'a-123.js.br'), compressed);
  const asked = async (encodings: string) =>
    app.inject({ url: '/assets/a-123.js', headers: { 'accept-encoding': encodings } });
  const brotli = await asked('gzip, br');
  expect(brotli.headers).toMatchObject({
    'content-encoding': 'br',
    'content-type': expect.stringContaining('javascript'),
    'cache-control': 'public, max-age=31536000, immutable',
  });
  expect(brotli.rawPayload).toEqual(compressed);
  expect((await asked('identity')).body).toBe('export {};');
});

describe('page of the console', () => {
  it.each(['/', '/index.html', '/monitor', '/asset/7?tab=curve', '/..%2f..%2fpackage.json'])(
    'the page is served at %s, with its own nonce and no script or style that runs without it',
    async (url) => {
      const [first, second] = [await app.inject({ url }), await app.inject({ url })];
      expect(first.statusCode).toBe(200);
      expect(first.headers['content-type']).toMatch(/^text\/html/);
      expect(first.headers['cache-control']).toBe('no-store');
      const policy = String(first.headers['content-security-policy']);
      const nonce = /script-src 'self' 'nonce-([^']+)'/.exec(policy)?.[1] as string;
      expect(first.body).toContain(`nonce="${nonce}"`);
      expect(policy).not.toMatch(/unsafe-inline|unsafe-eval|\*/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(second.headers['content-security-policy']).not.toBe(policy);
      expect(first.body).not.toContain('<script>alert');
      expect(first.body).toContain('<title>Zeek &lt;/title>&lt;script>alert(1)&lt;/script></title>');
    },
  );
});

test('the page and the worker of the map may load the configured map, and nothing else may', async () => {
  const origins = ['https://maps.example', 'http://127.0.0.1:9001'];
  const other = await createApp(createLog('silent', false), createTranslator(), false);
  await serveConsole(other, folder, async () => site(), origins);
  const policyOf = async (server: typeof app, url: string) =>
    String((await server.inject({ url })).headers['content-security-policy']);
  expect(await policyOf(other, '/map/monitor')).toContain(`connect-src 'self' ${origins.join(' ')};`);
  expect(await policyOf(other, '/assets/maplibre-gl-worker-123.mjs')).toBe(
    `default-src 'none'; connect-src ${origins.join(' ')}`,
  );
  expect(await policyOf(other, '/assets/a-123.js')).not.toContain('connect-src');
  expect(await policyOf(app, '/map/monitor')).toContain("connect-src 'self';");
  expect(await policyOf(app, '/assets/maplibre-gl-worker-123.mjs')).not.toContain('connect-src');
  await other.close();
});

test('assets are cached forever, and the response for an unknown asset is not the page', async () => {
  const asset = await app.inject({ url: '/assets/a-123.js' });
  expect(asset.headers['cache-control']).toContain('immutable');
  for (const url of ['/assets/none.js', '/api/none', '/ingest/v1/none', '/a//b', '//evil.example']) {
    const answer = await app.inject({ url });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toMatchObject({ status: 'request.not_found', data: null });
  }
});

test('every response has the security headers', async () => {
  const { headers } = await app.inject({ url: '/api/none' });
  expect(headers).toMatchObject({
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  });
});
