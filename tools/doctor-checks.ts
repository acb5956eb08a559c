import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { createServer } from 'node:net';
import { readConfig } from '@isotherm/server/config';
import { SCHEMA_RELEASE } from '@isotherm/server/platform/db/migrate';
import type { Db } from '@isotherm/server/platform/db/pool';

/** A result of `npm run doctor`: `text` states what was found and, unless it is good, what to do. */
export interface Finding {
  check: string;
  state: 'good' | 'warning' | 'fault';
  text: string;
}

const DAY_MS = 86_400_000;
const GB = 1024 ** 3;
const LEAST_FREE = { fault: GB, warning: 10 * GB };
const LEAST_POSTGRES = 15;
const LEAST_CONNECTIONS = 60;
const LEAST_FILES = 4_096;
const MOST_CLOCK_OFFSET_MS = 1_000;
const RENEW_BEFORE_MS = 14 * DAY_MS;
/** Settings of PostgreSQL without which an acknowledged reading can be lost. */
const DURABLE = ['fsync', 'synchronous_commit', 'full_page_writes'];

const good = (check: string, text: string): Finding => ({ check, state: 'good', text });
const warning = (check: string, text: string): Finding => ({ check, state: 'warning', text });
const fault = (check: string, text: string): Finding => ({ check, state: 'fault', text });
const inGb = (bytes: number) => `${(bytes / GB).toFixed(1)} GB`;

/**
 * Checks whether the server would accept its settings; the launcher provides database and secret if they are
 * not set.
 */
export function checkSettings(environment: NodeJS.ProcessEnv): Finding {
  const provided = { DATABASE_URL: 'postgres://embedded', ISOTHERM_SECRET: '-'.repeat(32) };
  try {
    readConfig({ ...provided, ...environment }, []);
    return good('settings', 'valid');
  } catch (error) {
    return fault('settings', `${(error as Error).message}. Correct them (docs/operating.md).`);
  }
}

/** Checks that a port is free, or used by Isotherm itself. */
export async function checkPort(
  variable: string,
  host: string,
  port: number,
  isRunning: boolean,
): Promise<Finding> {
  const server = createServer();
  const error = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve);
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
  const check = `port ${port} (${variable})`;
  if (!error) return good(check, isRunning ? 'free, although Isotherm is running' : 'free');
  if (error.code === 'EADDRINUSE')
    return isRunning
      ? good(check, 'in use, and Isotherm is running')
      : fault(check, `in use by another program. End it, or set ${variable}.`);
  return fault(check, `cannot be used on ${host}: ${error.message}. Set ${variable} or HOST.`);
}

/** Checks the free space on the disk of the data folder. */
export async function checkDisk(folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${inGb(free)} free in ${folder}`;
  if (free < LEAST_FREE.fault) return fault('disk', `${text}. Without space, nothing is stored: free some.`);
  if (free < LEAST_FREE.warning) return warning('disk', `${text}. Plan for more.`);
  return good('disk', text);
}

/** Checks that the data folder is private and can be written to. */
export async function checkFolder(folder: string): Promise<Finding> {
  const found = await stat(folder).catch(() => null);
  if (!found) return good('data folder', `${folder} will be created`);
  if ((found.mode & 0o077) !== 0)
    return fault('data folder', `${folder} can be read by others. Run: chmod 700 ${folder}`);
  const isWritable = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) return fault('data folder', `${folder} cannot be written to by this user.`);
  return good('data folder', `${folder} is private`);
}

/** Checks that the certificate belongs to its key and is valid for at least two more weeks. */
export function checkCertificate(certFile: string, keyFile: string, now: number): Finding {
  const check = 'certificate';
  try {
    const certificate = new X509Certificate(readFileSync(certFile));
    if (!certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile))))
      return fault(check, `${keyFile} is not the key of ${certFile}.`);
    const end = Date.parse(certificate.validTo);
    const text = `valid until ${new Date(end).toISOString().slice(0, 10)}`;
    if (end < now) return fault(check, `${text}. Renew it; the server reads the new files by itself.`);
    return end - now < RENEW_BEFORE_MS ? warning(check, `${text}. Renew it.`) : good(check, text);
  } catch (error) {
    return fault(check, `${certFile}, ${keyFile}: ${(error as Error).message}`);
  }
}

/**
 * Checks whether verification codes and notices can be delivered. @param environment of the installation,
 * e.g. `production`
 */
export function checkMessages(environment: string): Finding {
  return environment === 'development' || environment === 'sandbox'
    ? good('messages', 'codes and notices are shown on the page Mailbox')
    : warning(
        'messages',
        'no channel is configured: what needs a code or a notice is refused (docs/operating.md).',
      );
}

/**
 * Checks the limit of open files, since every device and every console needs one. @param limits contents of
 * `/proc/self/limits`
 */
export function checkOpenFiles(limits: string): Finding {
  const [, soft = ''] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
  const text = `at most ${soft} open files`;
  return soft !== 'unlimited' && Number(soft) < LEAST_FILES
    ? warning('open files', `${text}. Raise the limit (ulimit -n, LimitNOFILE).`)
    : good('open files', text);
}

/** Checks version, clock, durability, number of connections and schema of the database. */
export async function checkDatabase(pool: Db, now: () => number): Promise<Finding[]> {
  const sent = now();
  const { rows } = await pool.query<{ version: number; at: Date; connections: number; unsafe: string[] }>(
    `select current_setting('server_version_num')::int / 10000 as version, clock_timestamp() as at,
            current_setting('max_connections')::int as connections,
            array(select name::text from pg_settings where name = any($1) and setting = 'off' order by 1) as unsafe`,
    [DURABLE],
  );
  const received = now();
  const [found] = rows as [(typeof rows)[number]];
  const offsetMs = Math.round(found.at.getTime() - (sent + received) / 2);
  const uncertain = (received - sent) / 2;
  return [
    found.version >= LEAST_POSTGRES
      ? good('database', `PostgreSQL ${found.version}`)
      : fault('database', `PostgreSQL ${found.version}: version ${LEAST_POSTGRES} or newer is needed.`),
    Math.abs(offsetMs) - uncertain > MOST_CLOCK_OFFSET_MS
      ? fault('clock', `the clock of the database is off by ${offsetMs} ms. Synchronise both (NTP).`)
      : good('clock', `agrees with the database within ${Math.ceil(Math.abs(offsetMs) + uncertain)} ms`),
    found.unsafe.length > 0
      ? fault('durability', `${found.unsafe.join(', ')} off: acknowledged readings can be lost. Turn it on.`)
      : good('durability', 'acknowledged readings survive a power failure'),
    found.connections < LEAST_CONNECTIONS
      ? warning(
          'connections',
          `max_connections is ${found.connections}; ${LEAST_CONNECTIONS} or more per process are advised.`,
        )
      : good('connections', `at most ${found.connections}`),
    await checkSchema(pool),
  ];
}

async function checkSchema(pool: Db): Promise<Finding> {
  const { rows } = await pool.query<{ there: boolean }>(
    `select to_regclass('schema_migration') is not null as there`,
  );
  if (!rows[0]?.there) return good('schema', 'empty: the server creates it at its start');
  const newest = await pool.query<{ release: number }>(
    'select max(release) as release from schema_migration',
  );
  const release = newest.rows[0]?.release ?? 0;
  if (release > SCHEMA_RELEASE + 1)
    return fault(
      'schema',
      `of release ${release}; this program is of ${SCHEMA_RELEASE}. Use a newer program.`,
    );
  return good('schema', `of release ${release}, program of ${SCHEMA_RELEASE}`);
}
