import pg from 'pg';
import { sealClosedDays } from '../features/telemetry/seal.ts';
import { createLog } from '../platform/log.ts';

/**
 * Seals closed days repeatedly, for a test that kills this process. Argument: the connection string of the
 * database.
 */
const pool = new pg.Pool({ connectionString: process.argv[2] ?? '', max: 4 });
pool.on('error', () => undefined);
const log = createLog('silent', false);
process.send?.('ready');
for (;;) await sealClosedDays({ pool, owner: pool, clock: { now: () => Date.now() }, log, sealAfterMs: 0 });
