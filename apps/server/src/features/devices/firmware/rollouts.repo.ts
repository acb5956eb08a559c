import type { Rollout } from '@isotherm/contracts/firmware';
import { type RolloutState, UPGRADE_STATES, type UpgradeState } from '@isotherm/domain/devices/rollout';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { OPEN } from './upgrades.repo.ts';

/** A device that can be part of a roll-out. */
export interface Candidate {
  id: number;
  number: string;
  version: string | null;
  busy: boolean;
}

/**
 * Lists candidates, most recently seen devices first, so that the first wave does not wait for offline ones.
 */
export async function listCandidates(
  db: Db,
  from: {
    scope: string;
    firmwarePath: string;
    model: string;
    organizationId: number | null;
    search: string;
    numbers: readonly string[];
  },
): Promise<Candidate[]> {
  const search = from.search.trim().toLowerCase();
  const { rows } = await db.query<Candidate>(
    `select d.id, d.number, r.version,
            exists (select 1 from firmware_upgrade u where u.device_id = d.id and u.state in ${OPEN}) as busy
       from device d join organization o on o.id = d.organization_id
       left join device_presence p on p.device_id = d.id left join device_firmware r on r.device_id = d.id
      where o.path like $1 || '%' and o.path like $2 || '%' and d.model = $3 and d.deleted_at is null
        and d.removed_at is null
        and ($4::bigint is null or o.path like (select path from organization where id = $4) || '%')
        and ($5 = '' or d.search_text like $5) and (cardinality($6::text[]) = 0 or d.number = any($6))
      order by p.last_seen_at desc nulls last, d.number`,
    [from.scope, from.firmwarePath, from.model, from.organizationId, containing(search), from.numbers],
  );
  return rows;
}

export async function insertRollout(
  tx: Tx,
  row: {
    organizationId: number;
    firmwareId: number;
    note: string;
    isAutomatic: boolean;
    successShare: number;
    failureShare: number;
    offerWithinS: number;
    createdBy: string;
    now: Date;
    /** Devices in the order of their waves. */
    devices: readonly Candidate[];
    /** Number of devices in each wave. */
    waves: readonly number[];
  },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into firmware_rollout (organization_id, firmware_id, note, state, wave, waves, is_automatic, success_share,
                                   failure_share, offer_within_s, created_by, created_at)
     values ($1, $2, $3, 'running', 1, $4, $5, $6, $7, $8, $9, $10) returning id`,
    [
      row.organizationId,
      row.firmwareId,
      row.note,
      row.waves.length,
      row.isAutomatic,
      row.successShare,
      row.failureShare,
      row.offerWithinS,
      row.createdBy,
      row.now,
    ],
  );
  const { id } = rows[0] as { id: number };
  await tx.query(
    `insert into firmware_upgrade (rollout_id, device_id, wave, state, since, from_version)
     select $1, device_id, wave, 'waiting', $2, version
       from unnest($3::bigint[], $4::int[], $5::text[]) as u(device_id, wave, version)`,
    [
      id,
      row.now,
      row.devices.map((device) => device.id),
      row.waves.flatMap((count, at) => Array<number>(count).fill(at + 1)),
      row.devices.map((device) => device.version),
    ],
  );
  return id;
}

export interface RolloutRow {
  id: number;
  organization_id: number;
  organization_name: string;
  organization_path: string;
  firmware_id: number;
  model: string;
  version: string;
  note: string;
  state: RolloutState;
  wave: number;
  waves: { wave: number; state: UpgradeState; count: number }[];
  is_automatic: boolean;
  success_share: number;
  failure_share: number;
  offer_within_s: number;
  created_by: string;
  created_at: Date;
  ended_at: Date | null;
}

const ROLLOUT = `select r.id, r.organization_id, o.name as organization_name, o.path as organization_path, r.firmware_id,
       f.model, f.version, r.note, r.state, r.wave, r.is_automatic, r.success_share, r.failure_share, r.offer_within_s,
       r.created_by, r.created_at, r.ended_at,
       (select coalesce(json_agg(json_build_object('wave', wave, 'state', state, 'count', count)), '[]')
          from (select u.wave, u.state, count(*) as count from firmware_upgrade u where u.rollout_id = r.id
                 group by 1, 2) w) as waves
  from firmware_rollout r join firmware f on f.id = r.firmware_id join organization o on o.id = r.organization_id`;

export async function listRolloutRows(
  db: Db,
  filter: { scope: string; search: string; state: RolloutState | null },
  page: { limit: number; offset: number },
): Promise<{ rows: RolloutRow[]; total: number }> {
  const where = `where o.path like $1 || '%' and ($2 = '' or lower(f.model || ' ' || f.version) like $2)
       and ($3::text is null or r.state = $3)`;
  const search = filter.search.trim().toLowerCase();
  const values = [filter.scope, containing(search), filter.state];
  const [rows, count] = await Promise.all([
    db.query<RolloutRow>(`${ROLLOUT} ${where} order by r.id desc limit $4 offset $5`, [
      ...values,
      page.limit,
      page.offset,
    ]),
    db.query<{ count: number }>(
      `select count(*) as count from firmware_rollout r join firmware f on f.id = r.firmware_id
         join organization o on o.id = r.organization_id ${where}`,
      values,
    ),
  ]);
  return { rows: rows.rows, total: count.rows[0]?.count ?? 0 };
}

export async function findRollout(db: Db, scope: string, id: number): Promise<RolloutRow | null> {
  const { rows } = await db.query<RolloutRow>(`${ROLLOUT} where o.path like $1 || '%' and r.id = $2`, [
    scope,
    id,
  ]);
  return rows[0] ?? null;
}

/** Returns roll-outs that need work, locked until the end of the transaction. */
export async function holdRollouts(tx: Tx, which: { id?: number; firmwareId?: number }): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `select id from firmware_rollout
      where ($1::bigint is null or id = $1) and ($2::bigint is null or firmware_id = $2)
        and state in ('running', 'held', 'paused') order by id for update`,
    [which.id ?? null, which.firmwareId ?? null],
  );
  return rows.map(({ id }) => id);
}

/** Lists roll-outs with devices in progress, including those without further offers. */
export async function listLiveRollouts(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from firmware_rollout r where state in ('running', 'held', 'paused')
     union select distinct rollout_id from firmware_upgrade where state in ${OPEN} order by 1`,
  );
  return rows.map(({ id }) => id);
}

export async function lockRollout(tx: Tx, id: number): Promise<RolloutRow> {
  await tx.query('select 1 from firmware_rollout where id = $1 for update', [id]);
  return (await findRollout(tx, '', id)) as RolloutRow;
}

export async function setRollout(
  tx: Tx,
  id: number,
  to: { state: RolloutState; wave: number; endedAt: Date | null },
): Promise<void> {
  await tx.query('update firmware_rollout set state = $2, wave = $3, ended_at = $4 where id = $1', [
    id,
    to.state,
    to.wave,
    to.endedAt,
  ]);
}

const NONE = Object.fromEntries(UPGRADE_STATES.map((state) => [state, 0])) as Record<UpgradeState, number>;

export function rolloutView(row: RolloutRow): Rollout {
  const waves: Rollout['waves'] = [];
  for (const { wave, state, count } of row.waves) {
    waves[wave - 1] ??= { devices: 0, states: { ...NONE } };
    const own = waves[wave - 1] as Rollout['waves'][number];
    own.devices += count;
    own.states[state] = count;
  }
  return {
    id: row.id,
    organizationName: row.organization_name,
    firmwareId: row.firmware_id,
    model: row.model,
    version: row.version,
    note: row.note,
    state: row.state,
    wave: row.wave,
    waves,
    isAutomatic: row.is_automatic,
    successShare: row.success_share,
    failureShare: row.failure_share,
    offerWithinS: row.offer_within_s,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    endedAt: row.ended_at?.toISOString() ?? null,
  };
}
