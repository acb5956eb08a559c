import type { Commodity } from '@isotherm/domain/billing/ledger';
import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import fc from 'fast-check';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../platform/db/pool.ts';
import { findUnbalanced } from './ledger.repo.ts';
import { type Charge, createLedger, type Settlement } from './ledger.ts';

let database: TestDatabase;
let pool: pg.Pool;
const clock = { now: () => Date.UTC(2026, 10, 24) };
const ledger = createLedger(clock);
let ids = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 8 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** Creates an organisation below the root, or below another one, and returns its id. */
async function organization(parent: number | null = null): Promise<number> {
  const root = await pool.query(
    `insert into organization (code, name, level, path) values ('ROOT', 'Root', 'hq', '/0/')
     on conflict do nothing`,
  );
  expect(root.rowCount).toBeLessThanOrEqual(1);
  const { rows } = await pool.query<{ id: string }>(
    `with above as (
       select id, path from organization where case when $1::bigint is null then code = 'ROOT' else id = $1 end
     ), made as (
       insert into organization (parent_id, code, name, level, path)
       select id, $2, $2, 'org', path || $2 || '/' from above returning id
     )
     select id from made`,
    [parent, `O-${++ids}`],
  );
  const id = Number(rows[0]?.id);
  await pool.query(
    `update organization o set path = p.path || o.id || '/' from organization p where p.id = o.parent_id and o.id = $1`,
    [id],
  );
  return id;
}

const recharge = (payerId: number, units: number, causeId = ++ids, commodity: Commodity = 'sms') =>
  transaction(pool, (tx) =>
    ledger.post(tx, {
      kind: 'recharge',
      cause: { kind: 'order', id: causeId },
      payerId,
      commodity,
      units,
      by: 'test',
    }),
  );
const charge = (organizationId: number, units = 1, level = 2, commodity: Commodity = 'sms'): Charge => ({
  causeId: ++ids,
  organizationId,
  commodity,
  units,
  level,
});
const reserve = async (...charges: Charge[]) =>
  [...(await transaction(pool, (tx) => ledger.reserve(tx, charges)))].sort((a, b) => a - b);
const settle = (...settlements: Settlement[]) => transaction(pool, (tx) => ledger.settle(tx, settlements));
/** Resolves when a connection to the test database waits for a lock. */
const waitsForLock = () =>
  expect
    .poll(async () => {
      const { rows } = await pool.query<{ count: number }>(
        `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0]?.count;
    })
    .toBe(1);
async function balanceOf(organizationId: number, commodity: Commodity = 'sms') {
  const { rows } = await pool.query<{ role: string; balance: string }>(
    'select role, balance from billing_account where organization_id = $1 and commodity = $2',
    [organizationId, commodity],
  );
  return Object.fromEntries(rows.map(({ role, balance }) => [role, Number(balance)]));
}

describe('the ledger of prepaid units', () => {
  it('units are reserved when a message is queued, and captured or released when it is settled', async () => {
    const payer = await organization();
    await recharge(payer, 10);
    const sent = charge(payer, 3);
    const failed = charge(payer, 2);
    const shorter = charge(payer, 4);
    expect(await reserve(sent, failed, shorter)).toEqual(
      [sent, failed, shorter].map(({ causeId }) => causeId),
    );
    expect(await balanceOf(payer)).toEqual({ available: 1, reserved: 9 });
    await settle(
      { causeId: sent.causeId, used: 3 },
      { causeId: failed.causeId, used: 0 },
      { causeId: shorter.causeId, used: 1 },
    );
    expect(await balanceOf(payer)).toEqual({ available: 6, reserved: 0 });
  });

  it('a repetition of an order, a reservation or a settlement changes nothing', async () => {
    const payer = await organization();
    const order = ++ids;
    expect(await recharge(payer, 5, order)).toBe(true);
    expect(await recharge(payer, 5, order)).toBe(false);
    const message = charge(payer, 2);
    expect(await reserve(message)).toEqual([message.causeId]);
    expect(await reserve(message)).toEqual([message.causeId]);
    for (let i = 0; i < 2; i++) await settle({ causeId: message.causeId, used: 2 });
    expect(await balanceOf(payer)).toEqual({ available: 3, reserved: 0 });
  });

  it('without balance nothing is reserved, and level 5 comes first and alone uses the overdraft', async () => {
    const payer = await organization();
    await recharge(payer, 1);
    await pool.query(
      `update billing_account set overdraft = 2 where organization_id = $1 and role = 'available'`,
      [payer],
    );
    const [low, gravest, second, third, fourth] = [
      charge(payer),
      ...[5, 5, 5, 5].map((level) => charge(payer, 1, level)),
    ];
    expect(
      await reserve(low as Charge, gravest as Charge, second as Charge, third as Charge, fourth as Charge),
    ).toEqual([gravest, second, third].map((each) => each?.causeId));
    expect(await balanceOf(payer)).toEqual({ available: -2, reserved: 3 });
  });

  it('the nearest organisation that settles independently pays, otherwise the company', async () => {
    const company = await organization();
    const branch = await organization(company);
    const ward = await organization(branch);
    expect(await ledger.payerOf(pool, ward)).toBe(company);
    await pool.query(
      `insert into billing_settlement (organization_id, changed_by, changed_at) values ($1, 'test', now())`,
      [branch],
    );
    expect(await ledger.payerOf(pool, ward)).toBe(branch);
    expect(await ledger.payerOf(pool, company)).toBe(company);
    await recharge(branch, 1);
    const message = charge(ward);
    expect(await reserve(message)).toEqual([message.causeId]);
    expect(await balanceOf(branch)).toEqual({ available: 0, reserved: 1 });
  });

  it('the application can neither change nor delete an entry', async () => {
    await expect(
      transaction(pool, async (tx) => {
        await tx.query('create role ledger_reader');
        await tx.query('grant select, insert on ledger_entry to ledger_reader');
        await tx.query('set local role ledger_reader');
        await tx.query('update ledger_entry set amount = 1');
      }),
    ).rejects.toThrow('permission denied');
  });

  it('of two processes that settle a message at once, one as sent and one as failed, the first decides', async () => {
    const payer = await organization();
    await recharge(payer, 9);
    const made = charge(payer, 5, 1);
    await reserve(made);
    let second: Promise<void> | undefined;
    await transaction(pool, async (tx) => {
      await ledger.settle(tx, [{ causeId: made.causeId, used: 5 }]);
      second = settle({ causeId: made.causeId, used: 0 });
      await waitsForLock();
    });
    await second;
    expect(await balanceOf(payer)).toMatchObject({ available: 4, reserved: 0 });
    expect(await findUnbalanced(pool)).toEqual([]);
  });

  it('after any history with concurrent transactions that fail, every balance is the sum of its entries, nothing is negative, and nobody is charged twice', async () => {
    const payers = [await organization(), await organization()];
    const step = fc.oneof(
      fc.record({
        type: fc.constant('recharge' as const),
        who: fc.nat(1),
        units: fc.integer({ min: 1, max: 9 }),
      }),
      fc.record({
        type: fc.constant('reserve' as const),
        who: fc.nat(1),
        units: fc.integer({ min: 1, max: 5 }),
        level: fc.integer({ min: 0, max: 5 }),
      }),
      fc.record({ type: fc.constant('settle' as const), at: fc.nat(30), used: fc.nat(6) }),
      fc.record({ type: fc.constant('repeat' as const), at: fc.nat(30) }),
    );
    const rounds = fc.array(fc.record({ steps: fc.array(step, { maxLength: 6 }), fails: fc.nat(5) }), {
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(rounds, async (history) => {
        const charges: Charge[] = [];
        // The steps of a round run at once, and one of them loses its transaction before the commit.
        for (const { steps, fails } of history)
          await Promise.all(
            steps.map((each, index) =>
              transaction(pool, async (tx) => {
                if (each.type === 'recharge')
                  await ledger.post(tx, {
                    kind: 'recharge',
                    cause: { kind: 'order', id: ++ids },
                    payerId: payers[each.who] as number,
                    commodity: 'sms',
                    units: each.units,
                    by: 'test',
                  });
                if (each.type === 'reserve') {
                  const made = charge(payers[each.who] as number, each.units, each.level);
                  charges.push(made);
                  await ledger.reserve(tx, [made]);
                }
                const known = each.type === 'settle' || each.type === 'repeat' ? charges[each.at] : undefined;
                if (known && each.type === 'repeat') await ledger.reserve(tx, [known]);
                if (known && each.type === 'settle')
                  await ledger.settle(tx, [{ causeId: known.causeId, used: each.used }]);
                if (index === fails) throw new Error('crashed');
              }).catch((error: Error) => {
                if (error.message !== 'crashed') throw error;
              }),
            ),
          );
        expect(await findUnbalanced(pool)).toEqual([]);
        for (const payer of payers) {
          const { available = 0, reserved = 0 } = await balanceOf(payer);
          expect(available).toBeGreaterThanOrEqual(0);
          expect(reserved).toBeGreaterThanOrEqual(0);
        }
        const { rows } = await pool.query(
          `select cause_id from ledger_entry where cause_kind = 'message' group by cause_id
            having sum(amount) filter (where kind in ('capture', 'release')) > sum(amount) filter (where kind = 'reserve')
                or count(*) filter (where kind = 'reserve') <> 1`,
        );
        expect(rows).toEqual([]);
        const total = await pool.query<{ total: number }>(
          'select sum(balance)::float8 as total from billing_account',
        );
        expect(total.rows[0]?.total).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});
