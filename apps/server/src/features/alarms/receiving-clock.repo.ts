import type { ReceivingClock, ReceivingSpan } from '@isotherm/domain/alarms/receiving-clock';
import type { Db, Tx } from '../../platform/db/pool.ts';

/**
 * Locks the clock for the transaction, so that heartbeats of several processes are counted one after the
 * other.
 */
export async function holdReceivingClock(tx: Tx): Promise<ReceivingClock> {
  const { rows } = await tx.query<ReceivingClock>(
    `select elapsed_ms as "elapsedMs", (extract(epoch from beat_at) * 1000)::float8 as "beatAt"
       from receiving_clock for update`,
  );
  return rows[0] as ReceivingClock;
}

/** Reads the clock of the database server, epoch ms. It is the same for all processes. */
export async function readDatabaseTime(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ now: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  );
  return (rows[0] as { now: number }).now;
}

export async function saveReceivingClock(tx: Tx, { elapsedMs, beatAt }: ReceivingClock): Promise<void> {
  await tx.query('update receiving_clock set elapsed_ms = $1, beat_at = to_timestamp($2::float8 / 1000)', [
    elapsedMs,
    beatAt,
  ]);
}

const SPAN = `clock_from as "clockFrom", (extract(epoch from wall_from) * 1000)::float8 as "wallFrom"`;

export async function readLastSpan(tx: Tx): Promise<ReceivingSpan | undefined> {
  const { rows } = await tx.query<ReceivingSpan>(
    `select ${SPAN} from receiving_span order by id desc limit 1`,
  );
  return rows[0];
}

/** All spans of the receiving clock, in order of time. */
export async function readSpans(db: Db): Promise<ReceivingSpan[]> {
  const { rows } = await db.query<ReceivingSpan>(`select ${SPAN} from receiving_span order by id`);
  return rows;
}

export async function insertSpan(tx: Tx, { clockFrom, wallFrom }: ReceivingSpan): Promise<void> {
  await tx.query(
    'insert into receiving_span (clock_from, wall_from) values ($1, to_timestamp($2::float8 / 1000))',
    [clockFrom, wallFrom],
  );
}

/** Deletes spans that ended more than this number of days ago. */
export async function deleteSpansBefore(db: Db, days: number): Promise<void> {
  await db.query(
    `delete from receiving_span
      where id < (select max(id) from receiving_span where wall_from < now() - make_interval(days => $1))`,
    [days],
  );
}
