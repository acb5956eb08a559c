import type { ProviderGate } from '@isotherm/domain/notifications/provider-gate';
import type { Db, Tx } from '../../../platform/db/pool.ts';

export interface StoredGate extends ProviderGate {
  lastError: string;
  lastErrorAt: Date | null;
  lastSuccessAt: Date | null;
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const COLUMNS = `provider_id::float8 as id,
  case when next_at = '-infinity' then 0 else ${ms('next_at')} end::float8 as "nextAt", failures,
  ${ms('retry_at')} as "retryAt", ${ms('probe_until')} as "probeUntil", last_error as "lastError",
  last_error_at as "lastErrorAt", last_success_at as "lastSuccessAt"`;

/** Stored gates by provider; a provider that was never used has none. */
export async function findGates(db: Db): Promise<Map<number, StoredGate>> {
  const { rows } = await db.query<StoredGate & { id: number }>(`select ${COLUMNS} from provider_gate`);
  return new Map(rows.map(({ id, ...gate }) => [id, gate]));
}

/** The clock of the database server, epoch ms. It is the same for all processes. */
export async function readDatabaseTime(db: Db): Promise<number> {
  const { rows } = await db.query<{ now: number }>(`select ${ms('clock_timestamp()')} as now`);
  return (rows[0] as { now: number }).now;
}

/** Locks the gate of a provider until the end of the transaction; creates it if there is none. */
export async function lockGate(tx: Tx, id: number): Promise<StoredGate> {
  const find = () =>
    tx.query<StoredGate>(`select ${COLUMNS} from provider_gate where provider_id = $1 for update`, [id]);
  let { rows } = await find();
  if (rows.length === 0) {
    await tx.query('insert into provider_gate (provider_id) values ($1) on conflict do nothing', [id]);
    ({ rows } = await find());
  }
  return rows[0] as StoredGate;
}

export async function saveGate(tx: Tx, id: number, gate: ProviderGate): Promise<void> {
  const { nextAt, failures, retryAt, probeUntil } = gate;
  await tx.query(
    `update provider_gate
        set next_at = to_timestamp($2::float8 / 1000), failures = $3, retry_at = to_timestamp($4::float8 / 1000),
            probe_until = to_timestamp($5::float8 / 1000)
      where provider_id = $1`,
    [id, nextAt, failures, retryAt, probeUntil],
  );
}

/** Notes the last error or success of a provider, which are shown. */
export async function noteOutcome(tx: Tx, id: number, error: string | null, now: number): Promise<void> {
  await tx.query(
    error === null
      ? 'update provider_gate set last_success_at = to_timestamp($2::float8 / 1000) where provider_id = $1'
      : `update provider_gate set last_error = $3, last_error_at = to_timestamp($2::float8 / 1000)
          where provider_id = $1`,
    error === null ? [id, now] : [id, now, error],
  );
}
