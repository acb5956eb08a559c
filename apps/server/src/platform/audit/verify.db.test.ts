import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSealing } from '../sealing.ts';
import { readEntriesAfter } from './audit.repo.ts';
import { createAudit } from './audit.ts';
import { type Head, hashOf, sealHead } from './chain.ts';
import { type Finding, verifyAudit } from './verify.ts';

const SECRET = 'a secret of the tests, long enough for anybody';
const AT = Date.UTC(2026, 10, 21, 8);
const sealing = createSealing(SECRET);

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 4 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function write(count: number) {
  const audit = createAudit(pool, sealing, { now: () => AT });
  const actor = { accountId: 1, username: 'keeper', sessionId: null, address: '192.0.2.1' };
  for (let i = 1; i <= count; i++)
    await audit.recordAlone(actor, {
      action: 'change',
      objectKind: 'role',
      objectId: i,
      objectName: `Role ${i}`,
      before: { limit: i, name: 'old', tags: [1.5, { deep: 1e-9 }] },
      after: { limit: i + 0.1, name: 'new „ü“ 冷', tags: [] },
      organizationPath: '/1/',
    });
}

/** Runs statements as a superuser who has disabled the triggers. */
async function tamper(...statements: string[]): Promise<void> {
  const client = await pool.connect();
  await client.query('set session_replication_role = replica');
  for (const statement of statements) await client.query(statement);
  await client.query('reset session_replication_role');
  client.release();
}

beforeEach(async () => {
  await tamper('truncate audit_entry', 'delete from audit_head');
  await write(9);
});

async function verify(anchor: Head | null = null) {
  const findings: Finding[] = [];
  const verification = await verifyAudit(pool, sealing, (finding) => findings.push(finding), anchor);
  expect(verification.findings).toBe(findings.length);
  return { ...verification, found: findings.map(({ damage, from, to }) => `${damage} ${from}-${to}`) };
}

/** Replaces an entry by another with a correct hash, as an attacker with access to the code could. */
async function forge(seq: number, sql: string): Promise<void> {
  await tamper(sql);
  const [entry] = await readEntriesAfter(pool, seq - 1, 1);
  if (!entry) throw new Error('no entry');
  await tamper(
    `update audit_entry set hash = '\\x${hashOf(entry.previousHash, seq, entry).toString('hex')}' where seq = ${seq}`,
  );
}

describe('verification of the audit log', () => {
  it('verification finds no damage in an intact log, and counts its entries', async () => {
    expect(await verify()).toMatchObject({ entries: 9, found: [] });
  });

  it('verification finds no damage in an empty log', async () => {
    await tamper('truncate audit_entry', 'delete from audit_head');
    expect(await verify()).toMatchObject({ entries: 0, found: [] });
  });

  it.each([
    ['its user name', `username = 'somebody'`],
    ['its time', `at = at + interval '1 millisecond'`],
    ['its address', `address = '192.0.2.9'`],
    ['its session', `session_id = gen_random_uuid()`],
    ['its action', `action = 'create'`],
    ['its object', `object_id = '77'`],
    ['its object name', `object_name = 'Role'`],
    ['its old value', `before = before || '{"limit": 3.01}'`],
    ['its new value', `after = after - 'tags'`],
    ['its reason', `reason = 'told to'`],
    ['its organisation', `organization_path = '/2/'`],
    ['its hash', `hash = sha256('x')`],
  ])('verification reports a modified entry: %s', async (_name, change) => {
    await tamper(`update audit_entry set ${change} where seq = 4`);
    const { found } = await verify();
    // A changed hash is reported for this entry, and also differs from the previous hash that the next entry
    // contains.
    expect(found[0]).toBe('changed 4-4');
    if (!change.startsWith('hash')) expect(found).toEqual(['changed 4-4']);
  });

  it('verification reports a missing entry, with time and object of the previous one', async () => {
    await tamper('delete from audit_entry where seq = 5');
    const findings: Finding[] = [];
    await verifyAudit(pool, sealing, (finding) => findings.push(finding));
    expect(findings).toEqual([
      { damage: 'missing', from: 5, to: 5, at: new Date(AT), object: 'change role 4 by keeper' },
    ]);
  });

  it.each<[string, string[], string[]]>([
    ['several missing entries', ['delete from audit_entry where seq between 3 and 6'], ['missing 3-6']],
    ['a missing first entry', ['delete from audit_entry where seq = 1'], ['missing 1-1']],
    ['removed last entries', ['delete from audit_entry where seq > 6'], ['cut-off 7-9']],
    ['an emptied log', ['delete from audit_entry'], ['cut-off 1-9']],
    [
      'two swapped entries',
      [
        'update audit_entry set seq = 100 where seq = 3',
        'update audit_entry set seq = 3 where seq = 4',
        'update audit_entry set seq = 4 where seq = 100',
      ],
      ['changed 3-3', 'changed 4-4'],
    ],
    [
      'an entry inserted at the end',
      [
        `insert into audit_entry select 10, at, account_id, username, session_id, address, organization_path, action,
         object_kind, object_id, object_name, before, after, reason, hash, sha256('x') from audit_entry where seq = 9`,
      ],
      ['changed 10-10', 'appended 10-10'],
    ],
    [
      'an entry inserted between others, which were renumbered',
      [
        'update audit_entry set seq = -seq where seq > 4',
        'update audit_entry set seq = 1 - seq where seq < 0',
        `insert into audit_entry select 5, at, account_id, 'intruder', session_id, address, organization_path, action,
         object_kind, object_id, object_name, before, after, reason, hash, hash from audit_entry where seq = 4`,
      ],
      [...[5, 6, 7, 8, 9, 10].map((seq) => `changed ${seq}-${seq}`), 'appended 10-10'],
    ],
    ['a head sealed with another secret', [`update audit_head set mac = 'forged'`], ['seal 9-9']],
    ['a missing head', ['delete from audit_head'], ['seal 9-9']],
    [
      'removed last entries with the head set back',
      [
        'delete from audit_entry where seq > 6',
        'update audit_head set seq = 6, hash = (select hash from audit_entry where seq = 6)',
      ],
      ['seal 6-6'],
    ],
  ])('verification reports %s', async (_name, statements, wanted) => {
    await tamper(...statements);
    expect((await verify()).found).toEqual(wanted);
  });

  it('verification reports an entry that was replaced by another with a correct hash', async () => {
    await forge(4, `update audit_entry set username = 'somebody' where seq = 4`);
    expect((await verify()).found).toEqual(['inserted 4-5']);
  });

  it('verification reports that the last entry was replaced by another with a correct hash', async () => {
    await forge(9, `update audit_entry set username = 'somebody' where seq = 9`);
    expect((await verify()).found).toEqual(['changed 9-9']);
  });

  it('verification still reports removed last entries after the program has written new ones', async () => {
    await tamper(
      'delete from audit_entry where seq > 6',
      'update audit_head set seq = 6, hash = (select hash from audit_entry where seq = 6)',
    );
    await write(2);
    expect((await verify()).found).toEqual(['seal-broken 7-7']);
  });

  it('verification reports a log that was restored together with its head, by comparison with a head recorded elsewhere', async () => {
    const [older] = await readEntriesAfter(pool, 5, 1);
    const { head } = await verify();
    const { mac } = sealHead(sealing, older as Head);
    await tamper(
      'delete from audit_entry where seq > 6',
      `update audit_head set seq = 6, hash = (select hash from audit_entry where seq = 6), mac = '${mac}'`,
    );
    expect((await verify()).found).toEqual([]);
    expect((await verify(head)).found).toEqual(['anchor 9-9']);
    await write(5);
    expect((await verify(head)).found).toEqual(['anchor 9-9']);
    expect((await verify(older as Head)).found).toEqual([]);
  });

  it('verification of a long log needs constant memory', async () => {
    const audit = createAudit(pool, sealing, { now: () => AT });
    const actor = { accountId: 1, username: 'keeper', sessionId: null, address: '' };
    const event = { objectKind: 'user', objectName: 'x'.repeat(200), organizationPath: '/1/' };
    for (let round = 0; round < 5; round++)
      await audit.recordAlone(
        actor,
        ...Array.from({ length: 2_000 }, (_, i) => ({ ...event, action: 'create' as const, objectId: i })),
      );
    expect(await verify()).toMatchObject({ entries: 10_009, found: [] });
  });
});

describe('command npm run audit:verify', () => {
  const TOOL = fileURLToPath(new URL('../../../../../tools/audit-verify.ts', import.meta.url));

  async function run(...args: string[]) {
    const child = spawn(process.execPath, ['--import', 'tsx', TOOL, ...args], {
      env: { PATH: process.env.PATH, DATABASE_URL: database.connectionString, ISOTHERM_SECRET: SECRET },
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    return { code, output };
  }

  it('the command reports success and the head to record elsewhere', async () => {
    const { code, output } = await run();
    expect(output).toMatch(/^9 entries, 0 findings\nhead 9:[0-9a-f]{64}\n$/);
    expect(code).toBe(0);
    const head = /head (\S+)/.exec(output)?.[1];
    expect((await run(`--anchor=${head}`)).code).toBe(0);
  });

  it('the command reports damage with number, time and object, and exits with 1', async () => {
    await tamper(`update audit_entry set after = '{"limit": 1}' where seq = 4`);
    const { code, output } = await run();
    expect(output).toContain(
      '✘ entry 4 was changed (2026-11-21T08:00:00.000Z, change role 4 by keeper)\n9 entries, 1 findings\n',
    );
    expect(code).toBe(1);
  });

  it('the command reports what it needs if it cannot read the log', async () => {
    const { code, output } = await run('--anchor=9');
    expect(output).toContain('--anchor must be');
    expect(code).toBe(2);
  });
});
