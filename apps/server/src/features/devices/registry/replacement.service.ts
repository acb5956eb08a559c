import { AppError } from '@isotherm/contracts/errors';
import { transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { bindingMoment } from './bindings.repo.ts';
import type { HoldChannels, OnChannelsRetired } from './device-batches.ts';
import { objectOf } from './device-view.ts';
import { findDevices } from './registry.repo.ts';
import type { RegistryParts } from './registry.service.ts';
import { handOver, listSuccession } from './replacement.repo.ts';

export interface Replacement {
  /** Throws `device.not_found|bound|other_organization|model_mismatch`. */
  replace(caller: Caller, number: string, next: string, reason: string): Promise<void>;
}

/**
 * Creates the service that replaces a device by another one: the history stays with the measuring point
 * (decision 9).
 */
export function createReplacement(
  parts: Pick<RegistryParts, 'pool' | 'audit' | 'clock' | 'changed'> & {
    onChannelsRetired: OnChannelsRetired;
    holdChannels: HoldChannels;
  },
): Replacement {
  const { pool, audit, clock, changed, onChannelsRetired, holdChannels } = parts;
  return {
    async replace(caller, number, next, reason) {
      const after = await transaction(pool, async (tx) => {
        const rows = await findDevices(tx, caller.scope, [number, next], { lock: true });
        const device = rows.find((row) => row.number === number);
        const other = rows.find((row) => row.number === next);
        if (!device || !other || device === other) throw new AppError('device.not_found');
        if (device.organization_id !== other.organization_id) throw new AppError('device.other_organization');
        if (other.asset_name !== null) throw new AppError('device.bound', { asset: other.asset_name });
        const points = await listSuccession(tx, device.id, other.id);
        const retired = points.flatMap((point) => point.next_channel_id ?? []);
        // The new device must measure every quantity that the old one did.
        if (retired.length < points.length)
          throw new AppError('device.model_mismatch', { model: other.model });
        const ids = [device.id, other.id];
        await holdChannels(tx, ids);
        const ended = await onChannelsRetired(tx, ids, retired);
        const now = await bindingMoment(tx, ids, clock.now());
        await handOver(tx, device, other.id, points, caller.username, now);
        await audit.record(tx, caller, {
          action: 'replace',
          ...objectOf(device),
          before: { number, asset: device.asset_code },
          after: { number: next, asset: null },
          reason,
        });
        return ended;
      });
      changed([number, next]);
      after();
    },
  };
}
