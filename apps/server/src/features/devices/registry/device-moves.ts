import type { Actor, Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db/pool.ts';
import { type Bond, earlierBindingMoment, rebind } from './bindings.repo.ts';
import type { HoldChannels, OnChannelsRetired } from './device-batches.ts';
import {
  holdMovableAssets,
  holdMovableDevices,
  type MovableAsset,
  type MovableDevice,
} from './device-moves.repo.ts';

/** Moves devices from asset to asset in the transaction of another feature, which has checked that it may. */
export interface DeviceMoves {
  /**
   * Locks devices, and assets to which they may be moved, until the end of the transaction. Deleted assets are left out.
   */
  hold(
    tx: Tx,
    deviceIds: readonly number[],
    assetIds: readonly number[],
  ): Promise<{ devices: ReadonlyMap<number, MovableDevice>; assets: ReadonlyMap<number, MovableAsset> }>;
  /**
   * Binds held devices, each from `at` on, or from the first moment afterwards from which nothing was received yet. Returns these
   * moments by device; `announce` runs after the commit.
   */
  move(
    tx: Tx,
    actor: Actor,
    bonds: readonly Bond[],
    why: { at: number; reason: string },
  ): Promise<{ since: ReadonlyMap<number, Date>; announce: () => void }>;
}

export function createDeviceMoves(parts: {
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  changed: (numbers: readonly string[]) => void;
  onChannelsRetired: OnChannelsRetired;
  holdChannels: HoldChannels;
}): DeviceMoves {
  const { audit, clock, changed, onChannelsRetired, holdChannels } = parts;
  return {
    async hold(tx, deviceIds, assetIds) {
      // Assets before devices, as batches of bindings lock them.
      const assets = await holdMovableAssets(tx, assetIds);
      return { assets, devices: await holdMovableDevices(tx, deviceIds) };
    },
    async move(tx, actor, bonds, { at, reason }) {
      const ids = bonds.map(({ deviceId }) => deviceId);
      const before = await holdMovableDevices(tx, ids);
      await holdChannels(tx, ids);
      const now = clock.now();
      const since = new Map<number, Date>();
      const retired: number[] = [];
      for (const bond of bonds) {
        const from = await earlierBindingMoment(tx, [bond.deviceId], at, now);
        retired.push(...(await rebind(tx, [bond], actor.username, from, new Date(now))));
        since.set(bond.deviceId, from);
      }
      const afterCommit = await onChannelsRetired(tx, ids, retired);
      const after = await holdMovableDevices(tx, ids);
      for (const [id, device] of after)
        await audit.record(tx, actor, {
          action: 'change',
          objectKind: 'device',
          objectId: device.number,
          objectName: device.name,
          organizationPath: device.organizationPath,
          before: { asset: before.get(id)?.assetCode ?? null },
          after: { asset: device.assetCode },
          reason,
        });
      return {
        since,
        announce() {
          changed([...after.values()].map(({ number }) => number));
          afterCommit();
        },
      };
    },
  };
}
