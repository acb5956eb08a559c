import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readSettings } from '@isotherm/launcher/settings';
import { createPool } from '@isotherm/server/platform/db/pool';
import { createLog } from '@isotherm/server/platform/log';
import { openDatabase } from './database-source.ts';
import {
  checkCertificate,
  checkDatabase,
  checkDisk,
  checkFolder,
  checkMessages,
  checkOpenFiles,
  checkPort,
  checkSettings,
  type Finding,
} from './doctor-checks.ts';

/**
 * Runs `npm run doctor`: checks settings, ports, disk, data folder, certificate, limits, database and clock
 * of an installation, which need not be running, and states what to do. Changes nothing. Exit code 1 if there
 * is a fault.
 */
const SIGN = { good: '✔', warning: '!', fault: '✘' } as const;

async function examine(environment: NodeJS.ProcessEnv): Promise<Finding[]> {
  const settings = readSettings(environment);
  const { host, port, dataFolder } = settings;
  const address = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const isRunning = await fetch(`http://${address}:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
  const ports: [variable: string, port: number][] = [
    ['PORT', port],
    ['MQTT_PORT', settings.mqttPort],
    ['ISOTHERM_TCP_PORT', settings.tcpPort],
  ];
  const { ISOTHERM_TLS_CERT: cert, ISOTHERM_TLS_KEY: key } = environment;
  const findings = [
    checkSettings(environment),
    ...(await Promise.all(ports.map(([variable, each]) => checkPort(variable, host, each, isRunning)))),
    await checkDisk(existsSync(dataFolder) ? dataFolder : dirname(dataFolder)),
    await checkFolder(dataFolder),
    ...(cert && key ? [checkCertificate(cert, key, Date.now())] : []),
    ...(process.platform === 'linux' ? [checkOpenFiles(readFileSync('/proc/self/limits', 'utf8'))] : []),
    checkMessages(environment.ISOTHERM_ENVIRONMENT || (settings.demo ? 'sandbox' : 'production')),
  ];
  return [...findings, ...(await examineDatabase(environment, dataFolder))];
}

async function examineDatabase(environment: NodeJS.ProcessEnv, dataFolder: string): Promise<Finding[]> {
  if (!environment.DATABASE_URL && !existsSync(join(dataFolder, 'postgres', 'PG_VERSION')))
    return [{ check: 'database', state: 'good', text: 'the embedded PostgreSQL will be created' }];
  try {
    const source = await openDatabase(environment);
    const pool = createPool(source.connectionString, 1, createLog('silent', false), 'isotherm-doctor');
    try {
      return await checkDatabase(pool, () => Date.now());
    } finally {
      await pool.end();
      await source.close();
    }
  } catch (error) {
    return [{ check: 'database', state: 'fault', text: `cannot be used: ${(error as Error).message}` }];
  }
}

try {
  const findings = await examine(process.env);
  for (const { check, state, text } of findings) process.stdout.write(`${SIGN[state]} ${check}: ${text}\n`);
  process.exitCode = findings.some(({ state }) => state === 'fault') ? 1 : 0;
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exitCode = 1;
}
