import { type Charge, createLedger } from '@isotherm/server/features/billing/ledger';
import { transaction } from '@isotherm/server/platform/db/pool';
import type { Stage } from './stage.ts';

const MESSAGES = 20_000;
const BATCH = 100;
const AT_ONCE = 4;
const CLOCK = { now: () => Date.now() };

/** Reserves and settles units of one hot account in batches, by several connections at once. */
export async function ledgerPerSecond(
  pool: Stage['pool'],
): Promise<{ ledger_per_s: number; settlements_per_s: number }> {
  const ledger = createLedger(CLOCK);
  const { rows } = await pool.query<{ id: number }>(
    `select id::float8 as id from organization where parent_id is not null order by id limit 1`,
  );
  const payerId = rows[0]?.id;
  if (payerId === undefined) throw new Error('there is no organisation');
  await transaction(pool, (tx) =>
    ledger.post(tx, {
      kind: 'recharge',
      cause: { kind: 'order', id: 1 },
      payerId,
      commodity: 'sms',
      units: MESSAGES,
      by: 'bench',
    }),
  );
  const batches = Array.from({ length: MESSAGES / BATCH }, (_, batch) =>
    Array.from(
      { length: BATCH },
      (_, at): Charge => ({
        causeId: batch * BATCH + at + 1,
        organizationId: payerId,
        commodity: 'sms',
        units: 1,
        level: 1 + (at % 5),
      }),
    ),
  );
  const reserveS = await inTurn(batches, async (charges) => {
    const reserved = await transaction(pool, (tx) => ledger.reserve(tx, charges));
    if (reserved.size !== BATCH) throw new Error(`${reserved.size} of ${BATCH} were reserved`);
  });
  const settleS = await inTurn(batches, (charges) =>
    transaction(pool, (tx) =>
      ledger.settle(
        tx,
        charges.map(({ causeId }) => ({ causeId, used: causeId % 2 })),
      ),
    ),
  );
  const left = await pool.query<{ balance: number }>(
    `select balance::float8 as balance from billing_account
      where organization_id = $1 and commodity = 'sms' and role = 'available'`,
    [payerId],
  );
  if (left.rows[0]?.balance !== MESSAGES / 2) throw new Error(`${left.rows[0]?.balance} units are left`);
  return { ledger_per_s: Math.round(MESSAGES / reserveS), settlements_per_s: Math.round(MESSAGES / settleS) };
}

/** Seconds that the work on all batches takes with `AT_ONCE` of them at a time. */
async function inTurn<T>(batches: readonly T[], work: (batch: T) => Promise<unknown>): Promise<number> {
  const waiting = [...batches];
  const begin = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let batch = waiting.shift(); batch; batch = waiting.shift()) await work(batch);
    }),
  );
  return (performance.now() - begin) / 1000;
}
