import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../db/pool.ts';
import { createSealing } from '../sealing.ts';
import { readEntriesAfter } from './audit.repo.ts';
import { type Actor, type AuditEvent, createAudit } from './audit.ts';
import { GENESIS, hashOf } from './chain.ts';

const AT = Date.UTC(2026, 10, 21, 8);
const sealing = createSealing('a secret of the tests, long enough for anybody');
const ACTOR: Actor = {
  accountId: 7,
  username: 'demo.manager',
  sessionId: '6d8a1c80-93b1-4c9d-8f0e-0d5f3f0a6a11',
  address: '192.0.2.7',
};
const EVENT: AuditEvent = {
  action: 'change',
  objectKind: 'role',
  objectId: 3,
  objectName: 'Keeper',
  before: { name: 'Keeper', password: 'hidden', n: 0.1 },
  after: { name: 'Warden', password: 'shown', n: 1e-7 },
  reason: 'asked for',
  organizationPath: '/1/4/',
};

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 12 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const audit = () => createAudit(pool, sealing, { now: () => AT });

describe('audit log', () => {
  it('an entry stores actor, session, address, time, object, old and new value and reason', async () => {
    await audit().recordAlone(ACTOR, EVENT);
    const [entry] = await readEntriesAfter(pool, 0, 10);
    expect(entry).toMatchObject({
      seq: 1,
      at: new Date(AT),
      ...ACTOR,
      organizationPath: '/1/4/',
      action: 'change',
      objectKind: 'role',
      objectId: '3',
      objectName: 'Keeper',
      before: { name: 'Keeper', n: 0.1 },
      after: { name: 'Warden', n: 1e-7 },
      reason: 'asked for',
    });
  });

  it('an entry contains the hash of the previous entry', async () => {
    await audit().recordAlone(ACTOR, { ...EVENT, objectId: 4 }, { ...EVENT, objectId: 5 });
    const entries = await readEntriesAfter(pool, 0, 10);
    let previous = GENESIS.hash;
    for (const entry of entries) {
      expect(entry.previousHash).toEqual(previous);
      expect(entry.hash).toEqual(hashOf(previous, entry.seq, entry));
      previous = entry.hash;
    }
    expect(entries.map((entry) => entry.seq)).toEqual([1, 2, 3]);
  });

  it('the audit log has no gap and no entry after a rollback', async () => {
    const failed = transaction(pool, async (tx) => {
      await audit().record(tx, ACTOR, EVENT);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    await audit().recordAlone(ACTOR, EVENT);
    expect((await readEntriesAfter(pool, 3, 10)).map((entry) => entry.seq)).toEqual([4]);
  });

  it('the entries of parallel writes form one sequence', async () => {
    await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        audit().recordAlone(ACTOR, { ...EVENT, objectId: i }, { ...EVENT, objectId: i, action: 'delete' }),
      ),
    );
    const entries = await readEntriesAfter(pool, 4, 1_000);
    expect(entries.map((entry) => entry.seq)).toEqual(Array.from({ length: 120 }, (_, i) => i + 5));
    for (const [i, entry] of entries.entries())
      if (i > 0) expect(entry.previousHash).toEqual(entries[i - 1]?.hash);
  });

  it('nothing is recorded if nothing was changed', async () => {
    const before = (await readEntriesAfter(pool, 0, 1_000)).length;
    await audit().recordAlone(ACTOR, { ...EVENT, after: EVENT.before ?? null });
    expect(await readEntriesAfter(pool, 0, 1_000)).toHaveLength(before);
  });

  it('user names and values with quotes, null characters and invalid UTF-16 can be logged', async () => {
    const username = "'; drop table audit_entry; --\u0000\ud800";
    await audit().recordAlone(
      { accountId: null, username, sessionId: null, address: '' },
      { ...EVENT, action: 'login-failed', before: null, after: { typed: '\u0000\udfff' } },
    );
    const entries = await readEntriesAfter(pool, 0, 1_000);
    expect(entries.at(-1)).toMatchObject({
      username: "'; drop table audit_entry; --\ufffd",
      after: { typed: '\ufffd' },
    });
  });

  it('an invalid or missing MAC of the newest entry is recorded in the log', async () => {
    await pool.query(`insert into organization (code, name, level, path) values ('HQ', 'HQ', 'hq', '/1/')`);
    await pool.query(`update audit_head set mac = 'forged'`);
    const { seq } = (await readEntriesAfter(pool, 0, 1_000)).at(-1) as { seq: number };
    await audit().recordAlone(ACTOR, EVENT);
    const added = await readEntriesAfter(pool, seq, 10);
    expect(added.map((entry) => entry.action)).toEqual(['seal-broken', 'change']);
    expect(added[0]?.organizationPath).toBe('/1/');
    await pool.query('alter table audit_head disable trigger all');
    await pool.query('delete from audit_head');
    await pool.query('alter table audit_head enable trigger all');
    await audit().recordAlone(ACTOR, EVENT);
    const more = await readEntriesAfter(pool, seq + 2, 10);
    expect(more.map((entry) => entry.action)).toEqual(['seal-broken', 'change']);
  });
});
