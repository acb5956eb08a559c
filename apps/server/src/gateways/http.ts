import { AppError } from '@isotherm/contracts/errors';
import { INGEST_PATH, MAX_INGEST_BODY_BYTES } from '@isotherm/contracts/ingest';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { KnownDevice } from '../features/devices/index.ts';
import type { Ingest } from '../features/telemetry/index.ts';
import { proveCaller } from '../platform/http/connections.ts';
import type { Metrics } from '../platform/metrics.ts';

/**
 * Longest time that a request waits for the commit. After this time the readings stay queued, and a resend is
 * harmless.
 */
const COMMIT_WAIT_MS = 15_000;

/** Returns number and key of an HTTP Basic header, or null. */
function credentials(header: string | undefined): { number: string; key: string } | null {
  if (!header?.startsWith('Basic ')) return null;
  const text = Buffer.from(header.slice(6), 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? null : { number: text.slice(0, colon), key: text.slice(colon + 1) };
}

/**
 * Mounts `POST /ingest/v1/readings`: HTTP Basic, JSON as defined in contracts/ingest.ts; responds after the
 * commit.
 */
export async function mountIngestHttp(app: FastifyInstance, ingest: Ingest, metrics: Metrics): Promise<void> {
  await app.register(async (scope) => {
    bodiesAsBytes(scope);
    const senders = new WeakMap<FastifyRequest, KnownDevice>();
    // Credentials are checked before the body is read, so that nothing is buffered for an unauthenticated
    // caller.
    scope.addHook('onRequest', async (request, reply) => {
      const given = credentials(request.headers.authorization);
      const sender = { gateway: 'http' as const, address: request.sender };
      const device = given && (await ingest.authenticate(given.number, given.key, sender));
      if (device) {
        senders.set(request, device);
        proveCaller(request);
        return;
      }
      metrics.refusedLogins.inc({ gateway: 'http' });
      reply.header('www-authenticate', 'Basic realm="isotherm"');
      throw new AppError('ingest.credentials');
    });
    scope.post(INGEST_PATH, { bodyLimit: MAX_INGEST_BODY_BYTES }, async (request) => {
      const device = senders.get(request) as KnownDevice;
      const payload = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const result = await within(ingest.take({ gateway: 'http', address: request.sender, device, payload }));
      return { status: '1', message: '', data: result };
    });
  });
}

/** Keeps bodies as bytes: ingest parses them, and stores unreadable ones for inspection. */
export function bodiesAsBytes(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: MAX_INGEST_BODY_BYTES },
    (_request, body, done) => done(null, body),
  );
}

/** Waits for work; throws `ingest.unavailable` if it takes longer than a sender should wait. */
export async function within<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('ingest.unavailable')), COMMIT_WAIT_MS);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
