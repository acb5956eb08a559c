import type { CommandBatch, CommandOrder, DeviceCommand } from '@isotherm/contracts/commands';
import type { CommandKind, CommandProgress, RequestState } from '@isotherm/domain/devices/command';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** A command in progress, with the data that its next step needs. */
export interface OpenCommand extends CommandProgress {
  id: number;
  deviceId: number;
  order: CommandOrder;
}

interface OpenRow {
  id: number;
  device_id: number;
  command: CommandOrder;
  state: RequestState;
  attempts: number;
  since: Date;
  expires_at: Date;
}

const OPEN_STATES = `('reserved', 'requesting', 'configuring')`;
const OPEN = `select c.id, c.device_id, b.command, c.state, c.attempts, c.since, b.expires_at
                from device_command c join command_batch b on b.id = c.batch_id`;

function openOf(row: OpenRow): OpenCommand {
  return {
    id: row.id,
    deviceId: row.device_id,
    order: row.command,
    kind: row.command.kind,
    state: row.state,
    attempts: row.attempts,
    since: row.since.getTime(),
    expiresAt: row.expires_at.getTime(),
  };
}

/**
 * Lists reserved commands of these devices in the order of their creation, with the hashes of the device's
 * current key and token.
 */
export async function listReserved(
  db: Db,
  deviceIds: readonly number[],
): Promise<(OpenCommand & { credentials: Buffer[] })[]> {
  const { rows } = await db.query<OpenRow & { key_hash: Buffer; token_hash: Buffer | null }>({
    name: 'list-reserved-commands',
    text: `select c.id, c.device_id, b.command, c.state, c.attempts, c.since, b.expires_at, d.key_hash, d.token_hash
             from device_command c join command_batch b on b.id = c.batch_id join device d on d.id = c.device_id
            where c.state = 'reserved' and c.device_id = any($1) and d.deleted_at is null order by c.id`,
    values: [deviceIds],
  });
  return rows.map((row) => ({
    ...openOf(row),
    credentials: row.token_hash ? [row.key_hash, row.token_hash] : [row.key_hash],
  }));
}

/** Lists devices that have waiting commands. */
export async function listAwaited(db: Db): Promise<number[]> {
  const { rows } = await db.query<{ device_id: number }>({
    name: 'list-awaited-devices',
    text: `select distinct device_id from device_command where state = 'reserved'`,
  });
  return rows.map((row) => row.device_id);
}

/** Lists commands whose deadline has expired (`stepCommand`, tick). */
export async function listDue(
  db: Db,
  now: Date,
  sentBefore: Date,
  begunBefore: Date,
  limit: number,
): Promise<OpenCommand[]> {
  const { rows } = await db.query<OpenRow>({
    name: 'list-due-commands',
    text: `${OPEN} where c.state in ${OPEN_STATES}
             and ((c.state = 'configuring' and c.since <= $3) or (c.state = 'requesting' and c.since <= $2)
                  or (c.state <> 'configuring' and b.expires_at <= $1))
           order by c.id limit $4`,
    values: [now, sentBefore, begunBefore, limit],
  });
  return rows.map(openOf);
}

export async function findOpen(db: Db, deviceId: number, id: number): Promise<OpenCommand | null> {
  const { rows } = await db.query<OpenRow>({
    name: 'find-open-command',
    text: `${OPEN} where c.id = $1 and c.device_id = $2 and c.state in ${OPEN_STATES}`,
    values: [id, deviceId],
  });
  return rows[0] ? openOf(rows[0]) : null;
}

/** Writes a step unless another process has already done so; returns whether it was written. */
export async function writeStep(
  db: Db,
  before: OpenCommand,
  after: CommandProgress,
  failure: { failure: DeviceCommand['failure']; reason: number } = { failure: null, reason: 0 },
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'write-command-step',
    text: `update device_command set state = $4, attempts = $5, since = $6, failure = $7, failure_reason = $8
            where id = $1 and state = $2 and attempts = $3`,
    values: [
      before.id,
      before.state,
      before.attempts,
      after.state,
      after.attempts,
      new Date(after.since),
      failure.failure,
      failure.reason,
    ],
  });
  return rowCount === 1;
}

export async function insertBatch(
  tx: Tx,
  batch: {
    organizationId: number;
    order: CommandOrder;
    note: string;
    requestedBy: string;
    now: Date;
    expiresAt: Date;
    deviceIds: readonly number[];
  },
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `insert into command_batch (organization_id, command, note, requested_by, requested_at, expires_at)
     values ($1, $2, $3, $4, $5, $6) returning id`,
    [
      batch.organizationId,
      JSON.stringify(batch.order),
      batch.note,
      batch.requestedBy,
      batch.now,
      batch.expiresAt,
    ],
  );
  const { id } = rows[0] as { id: number };
  await tx.query(
    `insert into device_command (batch_id, device_id, state, attempts, since)
     select $1, unnest($2::bigint[]), 'reserved', 0, $3`,
    [id, batch.deviceIds, batch.now],
  );
  return id;
}

export interface FoundDevice {
  id: number;
  number: string;
  /** Path of the device's organisation. */
  path: string;
}

export async function findDevicesInScope(
  db: Db,
  scope: string,
  numbers: readonly string[],
): Promise<FoundDevice[]> {
  const { rows } = await db.query<FoundDevice>(
    `select d.id, d.number, o.path from device d join organization o on o.id = d.organization_id
      where d.number = any($2) and d.deleted_at is null and o.path like $1 || '%' order by d.number`,
    [scope, numbers],
  );
  return rows;
}

/** Lists those of these commands that have ended, are in the caller's scope and can be resent. */
export async function listRetryable(
  db: Db,
  scope: string,
  ids: readonly number[],
): Promise<(FoundDevice & { command: CommandOrder; note: string })[]> {
  const { rows } = await db.query<FoundDevice & { command: CommandOrder; note: string }>(
    `select distinct d.id, d.number, o.path, b.command, b.note
       from device_command c join command_batch b on b.id = c.batch_id
       join device d on d.id = c.device_id join organization o on o.id = d.organization_id
      where c.id = any($2) and c.state in ('failed', 'timeout') and b.command ->> 'kind' <> 'firmware' and d.deleted_at is null and o.path like $1 || '%'`,
    [scope, ids],
  );
  return rows;
}

/** Cancels commands that were not sent yet; returns their organisations. */
export async function cancelReserved(
  tx: Tx,
  scope: string,
  ids: readonly number[],
  now: Date,
): Promise<FoundDevice[]> {
  const { rows } = await tx.query<FoundDevice>(
    `update device_command c set state = 'failed', failure = 'cancelled', since = $3
       from device d join organization o on o.id = d.organization_id
      where d.id = c.device_id and c.id = any($2) and c.state = 'reserved' and o.path like $1 || '%'
     returning d.id, d.number, o.path`,
    [scope, ids, now],
  );
  return rows;
}

interface CommandRow {
  id: number;
  batch_id: number;
  number: string;
  name: string;
  organization_name: string;
  command: CommandOrder;
  state: RequestState;
  attempts: number;
  since: Date;
  requested_at: Date;
  requested_by: string;
  expires_at: Date;
  failure: DeviceCommand['failure'];
  failure_reason: number;
}

export interface CommandFilter {
  scope: string;
  search: string;
  state: RequestState | null;
  kind: CommandKind | null;
  batchId: number | null;
}

export async function listCommandRows(
  db: Db,
  filter: CommandFilter,
  page: { limit: number; offset: number },
): Promise<{ items: DeviceCommand[]; total: number }> {
  const from = `from device_command c join command_batch b on b.id = c.batch_id
      join device d on d.id = c.device_id join organization o on o.id = d.organization_id
      where o.path like $1 || '%'
        and ($2 = '' or d.number like $2 || '%' or position(lower($2) in lower(d.name)) > 0)
        and ($3::text is null or c.state = $3) and ($4::text is null or b.command ->> 'kind' = $4)
        and ($5::bigint is null or c.batch_id = $5)`;
  const values = [filter.scope, filter.search, filter.state, filter.kind, filter.batchId];
  const [rows, count] = await Promise.all([
    db.query<CommandRow>(
      `select c.id, c.batch_id, d.number, d.name, o.name as organization_name, b.command, c.state, c.attempts, c.since,
              b.requested_at, b.requested_by, b.expires_at, c.failure, c.failure_reason
         ${from} order by c.id desc limit $6 offset $7`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*) as count ${from}`, values),
  ]);
  return { items: rows.rows.map(viewOf), total: count.rows[0]?.count ?? 0 };
}

function viewOf(row: CommandRow): DeviceCommand {
  return {
    id: row.id,
    batchId: row.batch_id,
    deviceNumber: row.number,
    deviceName: row.name,
    organizationName: row.organization_name,
    order: row.command,
    state: row.state,
    attempts: row.attempts,
    since: row.since.toISOString(),
    requestedAt: row.requested_at.toISOString(),
    requestedBy: row.requested_by,
    expiresAt: row.expires_at.toISOString(),
    failure: row.failure,
    failureReason: row.failure_reason,
  };
}

/**
 * Returns a batch of the caller's scope. A batch of another organisation that contains devices of the
 * caller's scope is limited to these devices.
 */
export async function findBatch(db: Db, scope: string, id: number): Promise<CommandBatch | null> {
  const { rows } = await db.query<{
    id: number;
    command: CommandOrder;
    note: string;
    requested_at: Date;
    requested_by: string;
    expires_at: Date;
    states: Partial<CommandBatch['states']>;
  }>(
    `with told as (
       select c.state, count(*)::int as count from device_command c
         join device d on d.id = c.device_id join organization o on o.id = d.organization_id
        where c.batch_id = $2 and o.path like $1 || '%' group by c.state)
     select b.id, b.command, b.note, b.requested_at, b.requested_by, b.expires_at,
            (select coalesce(json_object_agg(state, count), '{}') from told) as states
       from command_batch b join organization o on o.id = b.organization_id
      where b.id = $2 and (o.path like $1 || '%' or exists (select 1 from told))`,
    [scope, id],
  );
  const [row] = rows;
  if (!row) return null;
  return {
    id: row.id,
    order: row.command,
    note: row.note,
    requestedBy: row.requested_by,
    requestedAt: row.requested_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    states: {
      reserved: 0,
      requesting: 0,
      configuring: 0,
      success: 0,
      failed: 0,
      timeout: 0,
      ...row.states,
    },
  };
}

export async function searchDevices(
  db: Db,
  scope: string,
  search: string,
): Promise<{ number: string; name: string; organizationName: string }[]> {
  const { rows } = await db.query<{ number: string; name: string; organizationName: string }>(
    `select d.number, d.name, o.name as "organizationName" from device d join organization o on o.id = d.organization_id
      where o.path like $1 || '%' and d.deleted_at is null
        and ($2 = '' or d.number like $2 || '%' or position(lower($2) in lower(d.name)) > 0)
      order by d.number limit 50`,
    [scope, search],
  );
  return rows;
}

/**
 * Stores a new measuring or reporting interval that the device accepted, so that the server expects readings
 * at this interval.
 */
export async function updateInterval(
  db: Db,
  deviceId: number,
  kind: 'acquisition-interval' | 'upload-interval',
  intervalMs: number,
): Promise<void> {
  const column = kind === 'upload-interval' ? 'upload_interval_ms' : 'acquisition_interval_ms';
  await db.query(`update device set ${column} = $2 where id = $1`, [deviceId, intervalMs]);
}
