import { AppError } from '@isotherm/contracts/errors';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Metrics } from '../metrics.ts';
import { equalText, headerOf } from './signature.ts';

const PROBE_EVERY_MS = 2_000;
const PROBE_WITHIN_MS = 1_500;

/** Texts of `/readyz` by the reason why readings cannot be committed. */
const STATUS = {
  'database-away': 'database away',
  'disk-full': 'database disk full',
  'not-committing': 'readings are not being committed',
} as const;

export interface Health {
  /** Returns since when the database has not responded; null while it does. */
  databaseDownSince(): Promise<number | null>;
  stop(): void;
}

/**
 * Mounts `/healthz` (the process runs), `/readyz` (it can work), and `/metrics` (Prometheus) for requests
 * with the key; without a configured key there are no metrics.
 */
export function mountHealth(
  app: FastifyInstance,
  pool: pg.Pool,
  metrics: { registry: Metrics['registry']; key: string | null },
  clock: Clock,
  stall: () => { since: number; reason: keyof typeof STATUS } | null,
): Health {
  let downSince: number | null = null;

  async function probe(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer')), PROBE_WITHIN_MS);
    });
    try {
      await Promise.race([pool.query('select 1'), late]);
      downSince = stall()?.since ?? null;
    } catch {
      downSince ??= stall()?.since ?? clock.now();
    } finally {
      clearTimeout(timer);
    }
  }
  const timer = setInterval(() => void probe(), PROBE_EVERY_MS);

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    await probe();
    if (downSince !== null)
      return reply.code(503).send({
        status: STATUS[stall()?.reason ?? 'database-away'],
        since: new Date(downSince).toISOString(),
      });
    return { status: 'ready' };
  });
  app.get('/metrics', async (request, reply) => {
    const given = headerOf(request, 'authorization') ?? '';
    if (metrics.key === null || !equalText(given, `Bearer ${metrics.key}`))
      throw new AppError('request.not_found');
    reply.type(metrics.registry.contentType);
    return metrics.registry.metrics();
  });

  return {
    databaseDownSince: async () => downSince,
    stop: () => clearInterval(timer),
  };
}
