import type { DeviceCommand } from '@isotherm/contracts/commands';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import type { UpgradeRecord } from '@isotherm/contracts/firmware';
import type { RequestState } from '@isotherm/domain/devices/command';
import { OPEN_UPGRADES, type Upgrade, type UpgradeState } from '@isotherm/domain/devices/rollout';
import { containing } from '../../../platform/db/like.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';

/** SQL list of the states of an upgrade in progress. */
export const OPEN = `(${OPEN_UPGRADES.map((state) => `'${state}'`).join(', ')})`;

/** An upgrade in progress, with the state of its offer. */
export interface OpenUpgrade extends Upgrade {
  deviceId: number;
  number: string;
  wave: number;
  /** Whether the offer was created; it is sent as soon as the device is connected. */
  isTold: boolean;
  command: { state: RequestState; failure: DeviceCommand['failure']; reason: number } | null;
}

export async function listOpenUpgrades(tx: Tx, rolloutId: number): Promise<OpenUpgrade[]> {
  const { rows } = await tx.query<{
    device_id: number;
    number: string;
    wave: number;
    state: UpgradeState;
    percent: number;
    reason: string;
    since: Date;
    batch_id: number | null;
    command_state: RequestState | null;
    failure: DeviceCommand['failure'];
    failure_reason: number | null;
  }>(
    `select u.device_id, d.number, u.wave, u.state, u.percent, u.reason, u.since, u.batch_id, c.state as command_state,
            c.failure, c.failure_reason
       from firmware_upgrade u join device d on d.id = u.device_id
       left join device_command c on c.batch_id = u.batch_id and c.device_id = u.device_id
      where u.rollout_id = $1 and u.state in ${OPEN} order by u.device_id for update of u`,
    [rolloutId],
  );
  return rows.map((row) => ({
    deviceId: row.device_id,
    number: row.number,
    wave: row.wave,
    state: row.state,
    percent: row.percent,
    reason: row.reason,
    since: row.since.getTime(),
    isTold: row.batch_id !== null,
    command: row.command_state && {
      state: row.command_state,
      failure: row.failure,
      reason: row.failure_reason ?? 0,
    },
  }));
}

export async function writeUpgrades(
  tx: Tx,
  rolloutId: number,
  upgrades: readonly (Upgrade & { deviceId: number })[],
): Promise<void> {
  await tx.query(
    `update firmware_upgrade u set state = n.state, percent = n.percent, reason = n.reason, since = n.since
       from unnest($2::bigint[], $3::text[], $4::int[], $5::text[], $6::timestamptz[])
         as n(device_id, state, percent, reason, since)
      where u.rollout_id = $1 and u.device_id = n.device_id`,
    [
      rolloutId,
      upgrades.map(({ deviceId }) => deviceId),
      upgrades.map(({ state }) => state),
      upgrades.map(({ percent }) => percent),
      upgrades.map(({ reason }) => reason),
      upgrades.map(({ since }) => new Date(since)),
    ],
  );
}

export async function noteOffered(
  tx: Tx,
  rolloutId: number,
  deviceIds: readonly number[],
  batchId: number,
): Promise<void> {
  await tx.query('update firmware_upgrade set batch_id = $3 where rollout_id = $1 and device_id = any($2)', [
    rolloutId,
    deviceIds,
    batchId,
  ]);
}

/** Cancels offers that were not sent; they are created again when the roll-out resumes. */
export async function takeOffersBack(tx: Tx, rolloutId: number, now: Date): Promise<void> {
  const { rows } = await tx.query<{ batch_id: number; device_id: number }>(
    `update device_command c set state = 'failed', failure = 'cancelled', since = $2
       from firmware_upgrade u
      where u.rollout_id = $1 and u.state = 'waiting' and c.batch_id = u.batch_id and c.device_id = u.device_id
        and c.state = 'reserved' returning u.batch_id, u.device_id`,
    [rolloutId, now],
  );
  await tx.query(
    `update firmware_upgrade set batch_id = null
      where rollout_id = $1 and device_id = any($2) and state = 'waiting'`,
    [rolloutId, rows.map(({ device_id }) => device_id)],
  );
}

/**
 * Ends the offer of a device that has accepted it without replying to the command. An offer that is being
 * cancelled is skipped, since waiting for it while the upgrade is locked could be a deadlock
 * (`takeOffersBack`).
 */
export async function acceptOffer(tx: Tx, rolloutId: number, deviceId: number, now: Date): Promise<void> {
  await tx.query(
    `update device_command set state = 'success', since = $3
      where id in (select c.id from device_command c
                     join firmware_upgrade u on u.batch_id = c.batch_id and u.device_id = c.device_id
                    where u.rollout_id = $1 and u.device_id = $2 and c.state in ('reserved', 'requesting')
                      for update of c skip locked)`,
    [rolloutId, deviceId, now],
  );
}

export async function listUpgradeRows(
  db: Db,
  rolloutId: number,
  filter: { search: string; state: UpgradeState | null; wave: number | null },
  page: { limit: number; offset: number },
): Promise<{ items: UpgradeRecord[]; total: number }> {
  const search = filter.search.trim().toLowerCase();
  const from = `from firmware_upgrade u join device d on d.id = u.device_id
       join organization o on o.id = d.organization_id
      where u.rollout_id = $1 and ($2 = '' or d.search_text like $2) and ($3::text is null or u.state = $3)
        and ($4::int is null or u.wave = $4)`;
  const values = [rolloutId, containing(search), filter.state, filter.wave];
  const [rows, count] = await Promise.all([
    db.query<Omit<UpgradeRecord, 'since'> & { since: Date }>(
      `select d.number, d.name, o.name as "organizationName", u.wave, u.state, u.percent, u.reason, u.since,
              u.from_version as "fromVersion"
         ${from} order by u.wave, d.number limit $5 offset $6`,
      [...values, page.limit, page.offset],
    ),
    db.query<{ count: number }>(`select count(*) as count ${from}`, values),
  ]);
  return {
    items: rows.rows.map((row) => ({ ...row, since: row.since.toISOString() })),
    total: count.rows[0]?.count ?? 0,
  };
}

/** The upgrade in progress of a device, with its offer. */
export interface OwnUpgrade extends Upgrade {
  rolloutId: number;
  firmwareId: number;
  title: string;
  version: string;
  sizeBytes: number;
  checksum: string;
  signature: string;
  /** Whether the upgrade was offered to the device. */
  isTold: boolean;
}

export async function findOwnUpgrade(
  db: Db,
  deviceId: number,
  options: { lock?: boolean } = {},
): Promise<OwnUpgrade | null> {
  const { rows } = await db.query<Omit<OwnUpgrade, 'since'> & { since: Date }>({
    name: options.lock ? 'hold-own-upgrade' : 'find-own-upgrade',
    text: `select u.rollout_id as "rolloutId", r.firmware_id as "firmwareId", f.model as title, f.version,
                  f.size_bytes as "sizeBytes", f.checksum, f.signature, u.state, u.percent, u.reason, u.since,
                  u.batch_id is not null as "isTold"
             from firmware_upgrade u join firmware_rollout r on r.id = u.rollout_id
             join firmware f on f.id = r.firmware_id
            where u.device_id = $1 and u.state in ${OPEN} and f.withdrawn_at is null
              ${options.lock ? 'for update of u' : ''}`,
    values: [deviceId],
  });
  const [row] = rows;
  return row ? { ...row, since: row.since.getTime() } : null;
}

/** Stores the version that a device reports. */
export async function noteVersion(db: Db, deviceId: number, version: string, now: Date): Promise<void> {
  await db.query(
    `insert into device_firmware (device_id, version, reported_at) values ($1, $2, $3)
     on conflict (device_id) do update set version = excluded.version, reported_at = excluded.reported_at`,
    [deviceId, version, now],
  );
}

/** Returns the version of a device, and the newest roll-out that reached it. */
export async function findDeviceFirmware(db: Db, deviceId: number): Promise<DeviceDetail['firmware']> {
  const [said, upgrade] = [
    await db.query<{ version: string; reported_at: Date }>(
      'select version, reported_at from device_firmware where device_id = $1',
      [deviceId],
    ),
    await db.query<{
      rolloutId: number;
      version: string;
      state: UpgradeState;
      percent: number;
      reason: string;
      since: Date;
    }>(
      `select u.rollout_id as "rolloutId", f.version, u.state, u.percent, u.reason, u.since
         from firmware_upgrade u join firmware_rollout r on r.id = u.rollout_id join firmware f on f.id = r.firmware_id
        where u.device_id = $1 order by u.rollout_id desc limit 1`,
      [deviceId],
    ),
  ];
  const [own] = said.rows;
  const [newest] = upgrade.rows;
  return {
    version: own?.version ?? null,
    reportedAt: own?.reported_at.toISOString() ?? null,
    upgrade: newest ? { ...newest, since: newest.since.toISOString() } : null,
  };
}
