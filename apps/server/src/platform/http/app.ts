import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import compress from '@fastify/compress';
import multipart from '@fastify/multipart';
import fastifyStatic from '@fastify/static';
import { AppError, ERRORS, type ErrorCode, InvalidFieldsError } from '@isotherm/contracts/errors';
import type { InvalidFields } from '@isotherm/contracts/route';
import type { Site } from '@isotherm/contracts/settings';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { hangUpSilent, noteRequest } from '../connections/admitted.ts';
import { isDatabaseAway } from '../db/pool.ts';
import type { Logger } from '../log.ts';
import { wordError } from './error-words.ts';
import { API_PREFIX, languageOf } from './mount.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The JSON body as it was sent, which is needed to verify its signature. */
    rawJson?: string;
    /** Address of the caller, captured at the beginning, because a closed socket has no address. */
    sender: string;
  }
}

const MAX_BODY_BYTES = 1024 * 1024;
/**
 * A response occupies memory until it is read, so a client that reads nothing for this time is disconnected.
 */
const UNREAD_MS = 60_000;

/** Creates the HTTP server with its error mapper and security headers, before any route. */
export async function createApp(
  log: Logger,
  translate: Translate,
  trustProxy: false | number | string[],
  unreadMs = UNREAD_MS,
): Promise<FastifyInstance> {
  const app = Fastify({
    // Fastify itself logs warnings and errors only, or less if the configured level is higher.
    loggerInstance: log.child(
      { part: 'http' },
      { level: log.isLevelEnabled('info') ? 'warn' : log.level },
    ) as never,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: 300_000,
    // The limit must allow for a ThingsBoard token in a path, which has a number and a key of up to 128
    // characters.
    routerOptions: { maxParamLength: 256 },
    // The header is counted from the last proxy, because entries before the last trusted proxy can be
    // forged.
    trustProxy: typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy,
    frameworkErrors: (error, request, reply) => sendError(toAppError(error), request, reply, translate),
    forceCloseConnections: 'idle',
  });
  app.decorateRequest('sender', '');
  app.addHook('preClose', async () => hangUpSilent(app.server));
  app.addHook('onRequest', async (request) => {
    noteRequest(request.raw.socket);
    // Despite its type, the address is undefined if the socket is already closed; then nothing is done.
    const address = request.ip as string | undefined;
    if (!address) throw new AppError('request.malformed');
    request.sender = address;
  });
  // JSON-LD is JSON: other systems send their EPCIS documents so.
  app.addContentTypeParser(
    ['application/json', 'application/ld+json'],
    { parseAs: 'string' },
    (request, body, done) => {
      request.rawJson = body as string;
      if (body === '') return done(null, undefined);
      try {
        done(null, JSON.parse(body as string));
      } catch (cause) {
        done(new AppError('request.malformed', {}, { cause }));
      }
    },
  );
  await app.register(multipart);
  await app.register(compress, { threshold: 1024, encodings: ['br', 'gzip'] });

  app.addHook('onSend', async (request, reply) => {
    // The timeout is for time without progress: each byte sent restarts it, and the next request of the
    // connection ends it.
    const { socket } = reply.raw;
    if (socket instanceof Socket) socket.setTimeout(unreadMs);
    if (request.url.startsWith(`${API_PREFIX}/`)) reply.header('cache-control', 'no-store');
    // A browser that has used TLS once keeps using it for a year for this host name.
    if (request.protocol === 'https') reply.header('strict-transport-security', 'max-age=31536000');
    reply.header('x-content-type-options', 'nosniff');
    // The address of a public link is a secret (decision 28).
    reply.header('referrer-policy', /^\/(link|verify)\//.test(request.url) ? 'no-referrer' : 'same-origin');
    reply.header('x-frame-options', 'DENY');
    reply.header('cross-origin-opener-policy', 'same-origin');
    reply.header('cross-origin-resource-policy', 'same-origin');
    reply.header('permissions-policy', 'camera=(), microphone=(), geolocation=(), payment=()');
    if (!reply.hasHeader('content-security-policy'))
      reply.header('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
  });

  app.setErrorHandler((error, request, reply) => {
    const failure = toAppError(error as FastifyError);
    if (failure.code === 'service.failed')
      // Only the route is logged, because the URL itself may contain a token.
      log.error({ err: error, route: request.routeOptions.url ?? 'unknown' }, 'request failed');
    return sendError(failure, request, reply, translate);
  });
  return app as unknown as FastifyInstance;
}

/** Returns the standard error envelope for unknown addresses on a server without a console. */
export function refuseUnknown(app: FastifyInstance): void {
  app.setNotFoundHandler(() => {
    throw new AppError('request.not_found');
  });
}

function toAppError(error: FastifyError | Error): AppError {
  if (error instanceof AppError) return error;
  const status = (error as FastifyError).statusCode;
  if (status === 414) return new AppError('request.not_found');
  if (status === 413) return new AppError('request.too_large');
  if (status === 415) return new AppError('request.media_type');
  // The file server responds with 403 to a path that cannot be a file's, such as `//x`.
  if (status === 404 || status === 403) return new AppError('request.not_found');
  if (status === 400) return new AppError('request.malformed');
  // Errors of this class, such as NUL in text or numbers out of range, are invalid data that the contract
  // did not exclude.
  if (/^22/.test((error as { code?: string }).code ?? ''))
    return new AppError('request.malformed', {}, { cause: error });
  if (isDatabaseAway(error)) return new AppError('service.unavailable');
  return new AppError('service.failed', {}, { cause: error });
}

const RETRY_AFTER_SECONDS: Partial<Record<ErrorCode, string>> = {
  'ingest.busy': '1',
  'ingest.unavailable': '5',
  'service.unavailable': '5',
  'export.busy': '60',
  'request.too_many': '60',
  'login.locked': '900',
};

function sendError(failure: AppError, request: FastifyRequest, reply: FastifyReply, translate: Translate) {
  // For errors with a known duration, the Retry-After header is set to this duration.
  const retryAfter = failure.params.seconds ?? RETRY_AFTER_SECONDS[failure.code];
  if (retryAfter) reply.header('retry-after', String(retryAfter));
  const language = languageOf(request);
  const invalid = failure instanceof InvalidFieldsError ? wordFaults(failure, language, translate) : null;
  const [first] = invalid?.fields ?? [];
  const params = first ? { field: first.field, reason: first.message } : failure.params;
  return reply
    .code(ERRORS[failure.code])
    .type('application/json')
    .send({
      status: failure.code,
      message: wordError({ code: failure.code, params }, language, translate),
      data: invalid,
    });
}

function wordFaults(failure: InvalidFieldsError, language: Language, translate: Translate): InvalidFields {
  return {
    fields: failure.faults.map(({ field, rule, params }) => ({
      field,
      message: translate(language, `validation.${rule}`, params),
    })),
  };
}

/**
 * Returns the content security policy of the console: it allows own scripts and styles, those with the nonce, and requests to
 * the origins of the configured map.
 */
function contentSecurityPolicy(nonce: string, mapOrigins: readonly string[]): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: blob:",
    // Players pass video to the browser as blobs, because it is fetched by signed calls.
    "media-src 'self' blob:",
    ["connect-src 'self'", ...mapOrigins].join(' '),
    "font-src 'self'",
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** The web app manifest, by which browsers offer to install the console. */
const manifestOf = (title: string) => ({
  id: '/',
  name: title,
  short_name: title,
  start_url: '/',
  scope: '/',
  display: 'standalone',
  theme_color: '#0B5F82',
  background_color: '#FFFFFF',
  icons: [
    { src: '/icon-192.png', sizes: '192x192', type: 'image/png' },
    { src: '/icon-512.png', sizes: '512x512', type: 'image/png' },
    { src: '/icon-maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
  ],
});

function asHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/**
 * Serves the built console: hashed assets are cached without limit; the page itself is not cached, and gets
 * brand and nonce.
 */
export async function serveConsole(
  app: FastifyInstance,
  webRoot: string,
  site: (host: string) => Promise<Site>,
  mapOrigins: readonly string[] = [],
): Promise<void> {
  await app.register(fastifyStatic, {
    root: webRoot,
    index: false,
    // The build writes `.br` and `.gz` next to each file, at the best quality.
    preCompressed: true,
    // The page itself is not served as a file, but rendered per request below.
    allowedPath: (path) => path !== '/' && path !== '/index.html',
    dotfiles: 'ignore',
    setHeaders(reply, path) {
      const immutable = path.includes('/assets/');
      reply.header('cache-control', immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      // The service worker loads pages and acknowledges alarms, and runs no other script.
      if (/\/service-worker\.js(\.br|\.gz)?$/.test(path))
        reply.header('content-security-policy', "default-src 'none'; connect-src 'self'");
      // A worker has the policy of its own file: this one loads the tiles of the configured map.
      if (mapOrigins.length > 0 && /\/maplibre-gl-worker-[^/]+$/.test(path))
        reply.header('content-security-policy', `default-src 'none'; connect-src ${mapOrigins.join(' ')}`);
    },
  });

  app.get('/manifest.webmanifest', async (request, reply) => {
    const { pageTitle } = await site(request.hostname);
    return reply
      .type('application/manifest+json')
      .header('cache-control', 'no-cache')
      .send(JSON.stringify(manifestOf(pageTitle)));
  });

  app.setNotFoundHandler(async (request, reply) => {
    const isPage =
      (request.method === 'GET' || request.method === 'HEAD') &&
      !request.url.startsWith(`${API_PREFIX}/`) &&
      !request.url.startsWith('/assets/') &&
      !request.url.startsWith('/ingest/');
    if (!isPage) throw new AppError('request.not_found');
    // The template is read each time, so that after a new build the page names the existing assets.
    const template = await readFile(join(webRoot, 'index.html'), 'utf8');
    const nonce = randomBytes(16).toString('base64');
    // '<' is escaped, because it could close the script element that contains the settings.
    const brand = await site(request.hostname);
    const boot = JSON.stringify(brand).replaceAll('<', '\\u003c');
    // All placeholders are replaced in one pass, so that placeholders in texts of the operator are not
    // replaced.
    const html = template.replace(/__NONCE__|__BOOT__|<title>[^<]*<\/title>/g, (place) => {
      if (place === '__NONCE__') return nonce;
      return place === '__BOOT__' ? boot : `<title>${asHtml(brand.pageTitle)}</title>`;
    });
    return reply
      .header('content-security-policy', contentSecurityPolicy(nonce, mapOrigins))
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(html);
  });
}
