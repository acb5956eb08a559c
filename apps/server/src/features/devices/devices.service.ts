import type { provisionItem } from '@isotherm/contracts/devices';
import { AppError, invalidField } from '@isotherm/contracts/errors';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../platform/audit/audit.ts';
import { LOCK_KEYS } from '../../platform/db/lock-keys.ts';
import { isDuplicate, type Tx, transaction } from '../../platform/db/pool.ts';
import type { Caller } from '../../platform/http/caller.ts';
import type { Sealing } from '../../platform/sealing.ts';
import { findOrganizationsByCode } from '../identity/index.ts';
import { hashDeviceKey, hashDeviceToken } from './device-directory.ts';
import {
  bindGateways,
  filterScope,
  findExisting,
  insertItems,
  type NewItem,
  setPacketSecret,
} from './devices.repo.ts';
import { openPacketSecret, sealPacketSecret } from './packet-secrets.ts';

type ProvisionItem = z.output<typeof provisionItem>;
export type RuleInput = ProvisionItem['sensors'][number]['channels'][number]['rules'][number];

/**
 * Receives the alarm rules requested with a channel; the alarms feature, which depends on devices, stores
 * them.
 */
export type OnChannelsCreated = (
  tx: Tx,
  channels: readonly { channelId: number; rules: readonly RuleInput[] }[],
) => Promise<void>;

/**
 * Receives assets that devices are to be bound to; the assets feature, which depends on devices, creates
 * missing ones.
 */
export type OnAssetsWanted = (
  tx: Tx,
  assets: readonly (ProvisionItem['asset'] & { organizationId: number })[],
) => Promise<void>;

export interface DevicesService {
  provision(caller: Caller, items: readonly ProvisionItem[]): Promise<{ created: number; existing: number }>;
}

export function createDevicesService(
  pool: pg.Pool,
  onAssetsWanted: OnAssetsWanted,
  onChannelsCreated: OnChannelsCreated,
  audit: Pick<Audit, 'record'>,
  sealing: Sealing,
): DevicesService {
  return {
    /**
     * Registers devices; idempotent by device number. Throws `device.number_taken|eui_taken|token_taken`,
     * `request.invalid`.
     */
    async provision(caller, items) {
      const byNumber = new Map(items.map((item) => [item.device.number, item]));
      const codes = [...new Set(items.flatMap((item) => item.asset.organizationCode ?? []))];
      const organizations = new Map(
        (await findOrganizationsByCode(pool, caller.scope, codes)).map((row) => [row.code, row]),
      );
      const stored = transaction(pool, async (tx) => {
        // Registrations are serialised: the second of two simultaneous calls with the same devices must find
        // them as `existing`.
        await tx.query('select pg_advisory_xact_lock($1)', [LOCK_KEYS.registrations]);
        const existing = await findExisting(tx, [...byNumber.keys()]);
        const inScope = new Set(
          await filterScope(
            tx,
            caller.scope,
            existing.map((row) => row.organization_id),
          ),
        );
        const taken = existing.find((row) => row.deleted || !inScope.has(row.organization_id));
        if (taken) throw new AppError('device.number_taken', { number: taken.number });
        for (const row of existing) {
          const key = byNumber.get(row.number)?.device.key;
          // The packet secret is missing for devices that were registered before the server supported
          // packets, and unreadable if it was encrypted with an installation secret that was lost.
          const isShut = openPacketSecret(sealing, row.packet_secret) === null;
          if (isShut && key !== undefined && row.key_hash.equals(hashDeviceKey(key)))
            await setPacketSecret(tx, row.id, sealPacketSecret(sealing, key));
          byNumber.delete(row.number);
        }

        const fresh: (NewItem & { organizationPath: string })[] = [...byNumber.values()].map((item) => {
          const code = item.asset.organizationCode;
          const organization =
            code === undefined ? { id: caller.organizationId, path: caller.scope } : organizations.get(code);
          if (organization === undefined) throw invalidField(`organizationCode ${code}`, 'choice');
          return {
            ...item,
            organizationId: organization.id,
            organizationPath: organization.path,
            keyHash: hashDeviceKey(item.device.key),
            tokenHash: hashDeviceToken(item.device.token ?? ''),
            packetSecret: sealPacketSecret(sealing, item.device.key),
          };
        });
        if (fresh.length > 0) {
          await onAssetsWanted(
            tx,
            fresh.map(({ asset, organizationId }) => ({ ...asset, organizationId })),
          );
          const made = await insertItems(tx, fresh);
          const bonds = fresh.flatMap(({ device: { number, gatewayNumber } }) =>
            gatewayNumber === undefined ? [] : [{ number, gatewayNumber }],
          );
          const bound = new Set(await bindGateways(tx, caller.scope, bonds));
          const loose = bonds.find(({ number }) => !bound.has(number));
          if (loose) throw invalidField(`gatewayNumber ${loose.gatewayNumber}`, 'choice');
          const ids = new Map(
            made.map((row) => [`${row.number}/${row.index}/${row.indicator}`, row.channelId]),
          );
          await onChannelsCreated(
            tx,
            fresh.flatMap((item) =>
              item.sensors.flatMap((sensor) =>
                sensor.channels.map((channel) => ({
                  channelId: ids.get(`${item.device.number}/${sensor.index}/${channel.indicator}`) as number,
                  rules: channel.rules,
                })),
              ),
            ),
          );
          await audit.record(
            tx,
            caller,
            ...fresh.map(({ asset, device, sensors, organizationPath }) => ({
              action: 'provision' as const,
              objectKind: 'device',
              objectId: device.number,
              objectName: device.name,
              after: { asset, device, sensors },
              organizationPath,
            })),
          );
        }
        return { created: fresh.length, existing: existing.length };
      });
      return stored.catch((error: unknown) => {
        if (isDuplicate(error, 'device_dev_eui_key'))
          throw new AppError('device.eui_taken', {}, { cause: error });
        if (isDuplicate(error, 'device_token_key'))
          throw new AppError('device.token_taken', {}, { cause: error });
        throw error;
      });
    },
  };
}
