import type { FirmwareOffer } from '@isotherm/contracts/commands';
import { decideRollout, stepUpgrade, type WaveCount } from '@isotherm/domain/devices/rollout';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import { insertBatch } from '../commands/commands.repo.ts';
import { findFirmware } from './firmware.repo.ts';
import {
  findRollout,
  listLiveRollouts,
  lockRollout,
  type RolloutRow,
  rolloutView,
  setRollout,
} from './rollouts.repo.ts';
import { cancelUpgrades } from './rollouts.service.ts';
import { listOpenUpgrades, noteOffered, type OpenUpgrade, writeUpgrades } from './upgrades.repo.ts';

const TICK_MS = 2_000;
/** Delay after a report, since many devices of a wave report at the same time. */
const SOON_MS = 200;

export interface RolloutWatch {
  start(): void;
  /** Call this when something has changed: checks soon instead of at the next tick. */
  nudge(): void;
  stop(): Promise<void>;
}

/**
 * Runs roll-outs: sends offers, begins and ends waves. All state is in the database, so that another process
 * continues after a crash.
 */
export function createRolloutWatch(
  pool: pg.Pool,
  clock: Clock,
  log: Logger,
  /** Called with the devices that have new offers. */
  wake: (deviceIds: readonly number[]) => void,
): RolloutWatch {
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function tick(): Promise<void> {
    for (const id of await listLiveRollouts(pool)) {
      const told = await transaction(pool, (tx) => advance(tx, id, clock.now()));
      if (told.length > 0) wake(told);
    }
  }

  function look(): void {
    running = running
      .then(tick)
      .catch((error: Error) => log.warn({ error: error.message }, 'roll-outs wait for the database'));
  }

  return {
    start() {
      timer = setInterval(look, TICK_MS);
    },
    nudge() {
      if (!timer) return;
      soon ??= setTimeout(() => {
        soon = undefined;
        look();
      }, SOON_MS);
    },
    async stop() {
      clearInterval(timer);
      clearTimeout(soon);
      timer = undefined;
      await running;
    },
  };
}

/** Advances a roll-out and returns the devices that got an offer. */
async function advance(tx: Tx, id: number, now: number): Promise<number[]> {
  const row = await lockRollout(tx, id);
  const open = await listOpenUpgrades(tx, id);
  const after = open.map((each) => stepped(each, now));
  const changed = after.filter((each, at) => each !== open[at]);
  if (changed.length > 0) await writeUpgrades(tx, id, changed);
  if (row.state !== 'running') return [];
  const wave = await decide(tx, row, changed.length > 0, now);
  if (wave === null) return [];
  const toTell = after.filter((each) => each.state === 'waiting' && !each.isTold && each.wave <= wave);
  await offer(tx, row, toTell, now);
  return toTell.map(({ deviceId }) => deviceId);
}

/** Applies the result of the offer first, then timeouts. */
function stepped(upgrade: OpenUpgrade, now: number): OpenUpgrade {
  const { command } = upgrade;
  const answered = command
    ? stepUpgrade(
        upgrade,
        {
          type: 'command',
          state: command.state,
          reason: command.reason,
          isTakenBack: command.failure === 'cancelled',
        },
        now,
      )
    : upgrade;
  const after = stepUpgrade(answered, { type: 'tick' }, now);
  return after === upgrade ? upgrade : { ...upgrade, ...after };
}

/** Returns the wave whose devices may get offers; null if none may. */
async function decide(tx: Tx, before: RolloutRow, isChanged: boolean, now: number): Promise<number | null> {
  const row = isChanged ? ((await findRollout(tx, '', before.id)) as RolloutRow) : before;
  const waves = rolloutView(row).waves.map(
    ({ devices, states }): WaveCount => ({
      devices,
      done: states.done,
      failed: states.failed,
      open: states.waiting + states.offered + states.downloading + states.installing,
    }),
  );
  const plan = {
    isAutomatic: row.is_automatic,
    successShare: row.success_share,
    failureShare: row.failure_share,
  };
  const decision = decideRollout(plan, waves.slice(0, row.wave), row.wave === waves.length);
  const { id, wave } = row;
  const endedAt = new Date(now);
  switch (decision) {
    case 'go-on':
      return wave;
    case 'next-wave':
      await setRollout(tx, id, { state: 'running', wave: wave + 1, endedAt: null });
      return wave + 1;
    case 'hold':
      await setRollout(tx, id, { state: 'held', wave, endedAt: null });
      return null;
    case 'finish':
      await setRollout(tx, id, { state: 'finished', wave, endedAt });
      return null;
    case 'stop':
      await setRollout(tx, id, { state: 'stopped', wave, endedAt });
      await cancelUpgrades(tx, id, ['waiting'], endedAt);
      return null;
  }
}

async function offer(tx: Tx, row: RolloutRow, devices: readonly OpenUpgrade[], now: number): Promise<void> {
  const firmware = devices.length > 0 ? await findFirmware(tx, row.organization_path, row.firmware_id) : null;
  if (!firmware) return;
  const order: FirmwareOffer = {
    kind: 'firmware',
    title: firmware.model,
    version: firmware.version,
    size: firmware.size_bytes,
    checksum: firmware.checksum,
    checksumAlgorithm: 'SHA256',
    signature: firmware.signature,
  };
  const deviceIds = devices.map(({ deviceId }) => deviceId);
  const batch = await insertBatch(tx, {
    organizationId: row.organization_id,
    order,
    note: row.note,
    requestedBy: row.created_by,
    now: new Date(now),
    expiresAt: new Date(now + row.offer_within_s * 1000),
    deviceIds,
  });
  await noteOffered(tx, row.id, deviceIds, batch);
}
