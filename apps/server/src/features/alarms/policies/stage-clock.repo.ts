import type pg from 'pg';
import { transaction } from '../../../platform/db/pool.ts';

/**
 * Moves the stage clock to `now`, and requests the compilation of the assets at which a shipment began or ceased to be at its origin or
 * destination in the meantime; returns their number. What was missed while no worker ran is made up for. If the clock of the computer
 * was put back, the stages between are left again. Several processes may call it at the same time.
 */
export function advanceStageClock(pool: pg.Pool, now: Date): Promise<number> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ at: Date }>('select at from alarm_stage_clock for update');
    const before = rows[0]?.at ?? now;
    await tx.query('update alarm_stage_clock set at = $1', [now]);
    const { rows: changed } = await tx.query<{ id: number }>(
      `select distinct s.asset_id::float8 as id from trip_stages() s
        where s.stage <> 'in-transit'
          and s.anchor_at between $1::timestamptz - interval '2 days' and $2::timestamptz + interval '2 days'
          and (s.begins_at > $1 and s.begins_at <= $2 or s.ends_at > $1 and s.ends_at <= $2)`,
      before <= now ? [before, now] : [now, before],
    );
    // An insert without rows would wake the compilers as well.
    if (changed.length > 0)
      await tx.query(
        `insert into alarm_compilation (target_kind, target_id) select 'asset', unnest($1::bigint[])`,
        [changed.map(({ id }) => id)],
      );
    return changed.length;
  });
}
