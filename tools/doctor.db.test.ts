import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPool } from '@isotherm/server/platform/db/pool';
import { createLog } from '@isotherm/server/platform/log';
import { selfSigned } from '@isotherm/testkit/self-signed';
import { createTestDatabase } from '@isotherm/testkit/test-database';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  checkCertificate,
  checkDatabase,
  checkDisk,
  checkFolder,
  checkMessages,
  checkOpenFiles,
  checkPort,
  checkSettings,
} from './doctor-checks.ts';

const DAY_MS = 86_400_000;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'isotherm-doctor-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

describe('checks of npm run doctor', () => {
  test('a setting that the server would refuse is reported', () => {
    expect(checkSettings({})).toMatchObject({ state: 'good' });
    expect(checkSettings({ ISOTHERM_RETENTION_YEARS: 'many' })).toMatchObject({
      state: 'fault',
      text: expect.stringContaining('ISOTHERM_RETENTION_YEARS'),
    });
  });

  test('a port that another program uses is reported', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    expect(await checkPort('PORT', '127.0.0.1', port, false)).toMatchObject({ state: 'fault' });
    expect(await checkPort('PORT', '127.0.0.1', port, true)).toMatchObject({ state: 'good' });
    await new Promise((resolve) => other.close(resolve));
    expect(await checkPort('PORT', '127.0.0.1', port, false)).toMatchObject({ state: 'good', text: 'free' });
  });

  test('a data folder that others can read is reported', async () => {
    const path = folder();
    chmodSync(path, 0o755);
    expect(await checkFolder(path)).toMatchObject({
      state: 'fault',
      text: expect.stringContaining('chmod 700'),
    });
    chmodSync(path, 0o700);
    expect(await checkFolder(path)).toMatchObject({ state: 'good' });
    expect(await checkFolder(join(path, 'none'))).toMatchObject({ state: 'good' });
    expect((await checkDisk(path)).text).toContain(path);
  });

  test('a certificate that expires soon, has expired, or has another key is reported', () => {
    const path = folder();
    const [own, other] = [selfSigned('localhost'), selfSigned('localhost')];
    const file = (name: string, text: string) => {
      writeFileSync(join(path, name), text);
      return join(path, name);
    };
    const cert = file('cert.pem', own.cert);
    const key = file('key.pem', own.key);
    // The certificate is valid for a day.
    expect(checkCertificate(cert, key, Date.now())).toMatchObject({ state: 'warning' });
    expect(checkCertificate(cert, key, Date.now() - 30 * DAY_MS)).toMatchObject({ state: 'good' });
    expect(checkCertificate(cert, key, Date.now() + 2 * DAY_MS)).toMatchObject({ state: 'fault' });
    const wrong = checkCertificate(cert, file('other.pem', other.key), Date.now());
    expect(wrong).toMatchObject({ state: 'fault', text: expect.stringContaining('not the key') });
    expect(checkCertificate(join(path, 'none'), key, Date.now())).toMatchObject({ state: 'fault' });
  });

  test('a low limit of open files and missing message delivery are reported', () => {
    const limits = (soft: string) =>
      `Max processes  1  1  processes\nMax open files            ${soft}  524288  files\n`;
    expect(checkOpenFiles(limits('1024'))).toMatchObject({ state: 'warning' });
    expect(checkOpenFiles(limits('65536'))).toMatchObject({ state: 'good' });
    expect(checkOpenFiles(limits('unlimited'))).toMatchObject({ state: 'good' });
    expect(checkMessages('production')).toMatchObject({ state: 'warning' });
    expect(checkMessages('sandbox')).toMatchObject({ state: 'good' });
  });

  test('a database that can lose readings, a wrong clock, and a newer schema are reported', async () => {
    const database = await createTestDatabase();
    const pool = createPool(database.connectionString, 1, createLog('silent', false), 'doctor');
    onTestFinished(async () => {
      await pool.end();
      await database.drop();
    });
    const stateOf = async (check: string, now = () => Date.now()) =>
      (await checkDatabase(pool, now)).find((finding) => finding.check === check)?.state;
    expect(await stateOf('database')).toBe('good');
    expect(await stateOf('schema')).toBe('good');
    expect(await stateOf('clock')).toBe('good');
    expect(await stateOf('clock', () => Date.now() - 60_000)).toBe('fault');
    await pool.query('set synchronous_commit = on');
    const durable = await stateOf('durability');
    await pool.query('set synchronous_commit = off');
    expect(await stateOf('durability')).toBe('fault');
    // PostgreSQL of the tests runs without fsync, so the check must report a fault.
    expect(durable).toBe('fault');
    await pool.query(
      `update schema_migration set release = 99 where name = (select min(name) from schema_migration)`,
    );
    expect(await stateOf('schema')).toBe('fault');
  });
});
