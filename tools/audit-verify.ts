import { parseArgs } from 'node:util';
import { type Finding, verifyAudit } from '@isotherm/server/platform/audit/verify';
import { createPool } from '@isotherm/server/platform/db/pool';
import { createLog } from '@isotherm/server/platform/log';
import { createSealing } from '@isotherm/server/platform/sealing';
import { openDatabase, secretOf } from './database-source.ts';

/**
 * Runs `npm run audit:verify [-- --anchor=<seq>:<hash>]`: exit code 0 if the audit log is intact, 1 if not, 2
 * if it could not be read. Uses the database of `DATABASE_URL` and `ISOTHERM_SECRET`, or the embedded
 * database of the data folder, which need not be running.
 */
const MOST_NAMED = 200;

const WORDS: Record<Finding['damage'], (range: string) => string> = {
  changed: (range) => `entry ${range} was changed`,
  missing: (range) => `entry ${range} is missing`,
  inserted: (range) => `entry ${range} do not follow one another: one of them was put in`,
  'cut-off': (range) => `entry ${range} was cut off the end`,
  appended: (range) => `entry ${range} stands behind the sealed end`,
  seal: (range) => `the seal on entry ${range}, the last, is not of this installation's secret`,
  'seal-broken': (range) => `before entry ${range} the seal had been broken: entries may be missing`,
  anchor: (range) => `entry ${range} is not the one that was noted down`,
};

function sentence({ damage, from, to, at, object }: Finding): string {
  const range = from === to ? String(from) : `${from} to ${to}`;
  const place = ['missing', 'cut-off', 'appended'].includes(damage) ? 'after ' : '';
  const about = at ? ` (${place}${at.toISOString()}, ${object})` : '';
  return `${WORDS[damage](range)}${about}`;
}

function readAnchor(text: string | undefined) {
  if (text === undefined) return null;
  const match = /^(\d+):([0-9a-f]{64})$/.exec(text);
  if (!match) throw new Error('--anchor must be <number>:<hash>, as an earlier verification printed it');
  return { seq: Number(match[1]), hash: Buffer.from(match[2] as string, 'hex') };
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { anchor: { type: 'string' } } });
  const anchor = readAnchor(values.anchor);
  const secret = secretOf(process.env);
  const source = await openDatabase(process.env);
  const pool = createPool(source.connectionString, 1, createLog('silent', false), 'isotherm-audit-verify');
  let named = 0;
  try {
    const { entries, findings, head } = await verifyAudit(
      pool,
      createSealing(secret),
      (finding) => {
        if (named++ < MOST_NAMED) process.stdout.write(`✘ ${sentence(finding)}\n`);
      },
      anchor,
    );
    if (findings > MOST_NAMED) process.stdout.write(`✘ and ${findings - MOST_NAMED} more\n`);
    process.stdout.write(`${entries} entries, ${findings} findings\n`);
    process.stdout.write(`head ${head.seq}:${head.hash.toString('hex')}\n`);
    return findings === 0 ? 0 : 1;
  } finally {
    await pool.end();
    await source.close();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`The audit log could not be read: ${(error as Error).message}\n`);
  process.exitCode = 2;
}
