import type { Db } from '../../platform/db/pool.ts';

interface SandboxPayment {
  amountMinor: number;
  currency: string;
  /** Null until it is paid. */
  payment: string | null;
}

export async function insertSandboxPayment(
  db: Db,
  row: { number: string; amountMinor: number; currency: string; createdAt: Date },
): Promise<void> {
  await db.query(
    `insert into sandbox_payment (number, amount_minor, currency, created_at) values ($1, $2, $3, $4)`,
    [row.number, row.amountMinor, row.currency, row.createdAt],
  );
}

export async function findSandboxPayment(db: Db, number: string): Promise<SandboxPayment | null> {
  const { rows } = await db.query<SandboxPayment>(
    `select amount_minor::float8 as "amountMinor", currency, payment from sandbox_payment where number = $1`,
    [number],
  );
  return rows[0] ?? null;
}

export async function paySandboxPayment(db: Db, number: string, payment: string): Promise<void> {
  await db.query('update sandbox_payment set payment = $2 where number = $1 and payment is null', [
    number,
    payment,
  ]);
}

export async function refundSandboxPayment(db: Db, number: string, refund: string): Promise<void> {
  await db.query('update sandbox_payment set refund = $2 where number = $1 and refund is null', [
    number,
    refund,
  ]);
}
