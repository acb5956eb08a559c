import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAudit } from '../apps/server/src/platform/audit/audit.ts';
import { createPool } from '../apps/server/src/platform/db/pool.ts';
import { createLog } from '../apps/server/src/platform/log.ts';
import { createSealing } from '../apps/server/src/platform/sealing.ts';

/** Tests the commands as an operator types them. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Time limit: each command is a separate program, and two of them create a database. */
const COMMANDS_MS = 180_000;
const SECRET = '0123456789abcdef'.repeat(4);

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'isotherm-commands-'));
  const pool = createPool(database.connectionString, 1, createLog('silent', false), 'test');
  const actor = { accountId: 1, username: 'keeper', sessionId: null, address: '192.0.2.1' };
  await createAudit(pool, createSealing(SECRET), { now: () => Date.UTC(2026, 10, 21) }).recordAlone(actor, {
    action: 'change',
    objectKind: 'role',
    objectId: 1,
    objectName: 'Role',
    before: { limit: 1 },
    after: { limit: 2 },
    organizationPath: '/1/',
  });
  await pool.end();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function run(
  tool: 'backup' | 'restore',
  args: string[],
  environment: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', `tools/${tool}.ts`, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

it(
  'a backup is restored into a new data folder, and refused for a folder that has a database',
  async () => {
    const file = join(folder, 'my.backup');
    const source = { DATABASE_URL: database.connectionString, ISOTHERM_SECRET: SECRET };
    const written = await run('backup', [file, '--with-secret'], source);
    expect(written.output).toMatch(/my\.backup: \d+ tables, \d+ rows, [\d.]+ MB in [\d.]+ s/);
    expect(written.output).not.toContain(SECRET);
    expect(written.code).toBe(0);
    const again = await run('backup', [file], source);
    expect(again).toEqual({
      code: 1,
      output: expect.stringContaining('exists already. Choose another name.'),
    });

    const data = join(folder, 'data');
    const restored = await run('restore', [file], { ISOTHERM_DATA: data });
    expect(restored.output).toContain('✔ 1 entries of the audit log: chain and seal');
    expect(restored.output).toMatch(/Restored in [\d.]+ s/);
    expect(restored.output).not.toContain(SECRET);
    expect(restored.code).toBe(0);
    expect(readFileSync(join(data, 'server-secret'), 'utf8').trim()).toBe(SECRET);

    const refused = await run('restore', [file], { ISOTHERM_DATA: data });
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('has a database already. Nothing was changed.');
  },
  COMMANDS_MS,
);

it(
  'a backup is not restored into a new data folder if its secret is missing or wrong',
  async () => {
    const file = join(folder, 'without.backup');
    const written = await run('backup', [file], { DATABASE_URL: database.connectionString });
    expect(written.output).toContain('The secret of the installation');
    const data = join(folder, 'other');
    const asked = await run('restore', [file], { ISOTHERM_DATA: data });
    expect(asked.output).toContain('Set ISOTHERM_SECRET, or copy the file server-secret into');
    mkdirSync(data);
    writeFileSync(join(data, 'server-secret'), 'f'.repeat(64));
    const wrong = await run('restore', [file], { ISOTHERM_DATA: data });
    expect(wrong.output).toContain('If this is the secret of another installation');
    expect(wrong.code).toBe(1);
    expect(existsSync(join(data, 'postgres'))).toBe(false);
  },
  COMMANDS_MS,
);
