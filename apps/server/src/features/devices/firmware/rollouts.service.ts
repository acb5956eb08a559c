import { AppError } from '@isotherm/contracts/errors';
import type {
  changeRollout,
  createRollout,
  getRolloutOutlook,
  listRollouts,
  listUpgrades,
  Rollout,
} from '@isotherm/contracts/firmware';
import type { ResponseOf } from '@isotherm/contracts/route';
import { compareVersions, FIRMWARE_VERSION } from '@isotherm/domain/devices/firmware-version';
import {
  isRolling,
  mayDo,
  planWaves,
  type RolloutDeed,
  type RolloutState,
  type UpgradeState,
} from '@isotherm/domain/devices/rollout';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, isDuplicate, type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { findFirmware } from './firmware.repo.ts';
import {
  type Candidate,
  findRollout,
  holdRollouts,
  insertRollout,
  listCandidates,
  listRolloutRows,
  lockRollout,
  type RolloutRow,
  rolloutView,
  setRollout,
} from './rollouts.repo.ts';
import { listOpenUpgrades, listUpgradeRows, takeOffersBack, writeUpgrades } from './upgrades.repo.ts';

type Who = z.output<(typeof getRolloutOutlook)['body']>;

export interface RolloutsService {
  outlook(caller: Caller, who: Who): Promise<ResponseOf<typeof getRolloutOutlook>>;
  create(caller: Caller, form: z.output<(typeof createRollout)['body']>): Promise<Rollout>;
  list(
    caller: Caller,
    query: z.output<(typeof listRollouts)['query']>,
  ): Promise<ResponseOf<typeof listRollouts>>;
  get(caller: Caller, id: number): Promise<Rollout>;
  devices(
    caller: Caller,
    id: number,
    query: z.output<(typeof listUpgrades)['query']>,
  ): Promise<ResponseOf<typeof listUpgrades>>;
  change(caller: Caller, id: number, form: z.output<(typeof changeRollout)['body']>): Promise<Rollout>;
}

const AFTER: Readonly<Record<RolloutDeed, RolloutState>> = {
  pause: 'paused',
  resume: 'running',
  proceed: 'running',
  cancel: 'cancelled',
};

export function createRolloutsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  /** Called when a roll-out was created or changed. */
  nudge: () => void,
): RolloutsService {
  async function candidates(db: Db, caller: Caller, who: Who) {
    const firmware = await findFirmware(db, caller.scope, who.firmwareId);
    if (!firmware || firmware.withdrawn_at !== null) throw new AppError('firmware.not_found');
    const found = await listCandidates(db, {
      scope: caller.scope,
      firmwarePath: firmware.organization_path,
      model: firmware.model,
      organizationId: who.organizationId ?? null,
      search: who.search,
      numbers: who.numbers,
    });
    const isBehind = ({ version }: Candidate) => !reaches(version, firmware.version);
    const behind = found.filter(isBehind);
    return { firmware, found, behind, free: behind.filter(({ busy }) => !busy) };
  }

  /** Throws `firmware.not_found`. */
  async function find(db: Db, caller: Caller, id: number): Promise<RolloutRow> {
    const row = await findRollout(db, caller.scope, id);
    if (!row) throw new AppError('firmware.not_found');
    return row;
  }

  return {
    async outlook(caller, who) {
      const { found, behind, free } = await candidates(pool, caller, who);
      return {
        devices: free.length,
        current: found.length - behind.length,
        busy: behind.length - free.length,
      };
    },
    /** Throws `firmware.not_found|nobody`. */
    async create(caller, form) {
      return transaction(pool, async (tx) => {
        const { firmware, free } = await candidates(tx, caller, form);
        if (free.length === 0) throw new AppError('firmware.nobody');
        const id = await insertRollout(tx, {
          organizationId: caller.organizationId,
          firmwareId: firmware.id,
          note: form.note,
          isAutomatic: form.isAutomatic,
          successShare: form.successShare,
          failureShare: form.failureShare,
          offerWithinS: form.offerWithinS,
          createdBy: caller.username,
          now: new Date(clock.now()),
          devices: free,
          waves: planWaves(free.length, form.waves),
        });
        const row = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'create',
          ...objectOf(row),
          after: { devices: free.length, waves: row.waves.length, note: form.note },
        });
        return rolloutView(row);
      })
        .finally(nudge)
        .catch((error: unknown) => {
          // Another roll-out has included one of the devices at the same time.
          if (isDuplicate(error, 'firmware_upgrade_open'))
            throw new AppError('firmware.nobody', {}, { cause: error });
          throw error;
        });
    },
    async list(caller, { page, pageSize, search, state }) {
      const { rows, total } = await listRolloutRows(
        pool,
        { scope: caller.scope, search, state: state ?? null },
        { limit: pageSize, offset: (page - 1) * pageSize },
      );
      return { items: rows.map(rolloutView), total };
    },
    get: async (caller, id) => rolloutView(await find(pool, caller, id)),
    async devices(caller, id, { page, pageSize, search, state, wave }) {
      await find(pool, caller, id);
      return listUpgradeRows(
        pool,
        id,
        { search, state: state ?? null, wave: wave ?? null },
        { limit: pageSize, offset: (page - 1) * pageSize },
      );
    },
    /** Throws `firmware.not_found|deed`. */
    async change(caller, id, { deed, reason }) {
      return transaction(pool, async (tx) => {
        await find(tx, caller, id);
        const row = await lockRollout(tx, id);
        if (!mayDo(deed, row.state)) throw new AppError('firmware.deed');
        const now = new Date(clock.now());
        await setRollout(tx, id, {
          state: AFTER[deed],
          wave: deed === 'proceed' ? row.wave + 1 : row.wave,
          endedAt: deed === 'cancel' ? now : null,
        });
        if (deed === 'pause') await takeOffersBack(tx, id, now);
        if (deed === 'cancel') await cancelUpgrades(tx, id, ['waiting', 'offered'], now);
        const after = await find(tx, caller, id);
        await audit.record(tx, caller, {
          action: 'change',
          ...objectOf(row),
          before: { state: row.state },
          after: { state: after.state },
          reason,
        });
        return rolloutView(after);
      }).finally(nudge);
    },
  };
}

/** Returns whether the installed version is this one or newer, because devices are never downgraded. */
export function reaches(version: string | null, wanted: string): boolean {
  return version !== null && FIRMWARE_VERSION.test(version) && compareVersions(version, wanted) >= 0;
}

/** Ends the roll-outs of a revoked firmware, whose file can no longer be downloaded. */
export async function endRolloutsOf(tx: Tx, firmwareId: number, now: Date): Promise<void> {
  for (const id of await holdRollouts(tx, { firmwareId })) {
    const row = await lockRollout(tx, id);
    if (isRolling(row.state)) await setRollout(tx, id, { state: 'cancelled', wave: row.wave, endedAt: now });
    await cancelUpgrades(tx, id, ['waiting', 'offered', 'downloading'], now);
  }
}

/**
 * Cancels offers that were not sent, and revokes the permission to download from devices that already have
 * an offer.
 */
export async function cancelUpgrades(
  tx: Tx,
  rolloutId: number,
  states: readonly UpgradeState[],
  now: Date,
): Promise<void> {
  await takeOffersBack(tx, rolloutId, now);
  const open = await listOpenUpgrades(tx, rolloutId);
  await writeUpgrades(
    tx,
    rolloutId,
    open
      .filter(({ state }) => states.includes(state))
      .map((each) => ({ ...each, state: 'cancelled', since: now.getTime() })),
  );
}

const objectOf = (row: RolloutRow) => ({
  objectKind: 'firmware-rollout',
  objectId: row.id,
  objectName: `${row.model} ${row.version}`,
  organizationPath: row.organization_path,
});
