import type { FirmwareOffer } from '@isotherm/contracts/commands';
import { type ClientAttributes, mergeAttributes } from '@isotherm/domain/devices/client-attributes';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import { transaction } from '../../../platform/db/pool.ts';
import { createGate } from '../../../platform/gate.ts';
import { findOwnUpgrade } from '../firmware/upgrades.repo.ts';
import {
  beginClientAttributes,
  findClientAttributes,
  findIntervals,
  writeClientAttributes,
} from './attributes.repo.ts';

/**
 * Reads and writes attributes of the ThingsBoard device API, independent of the protocol. Values are JSON
 * texts by name.
 */
export interface DeviceAttributes {
  /** Stores attributes that a device published about itself; returns how many were too long or too many. */
  keep(deviceId: number, values: Readonly<Record<string, unknown>>): Promise<number>;
  /** Returns the attributes that the device published. */
  client(deviceId: number): Promise<ClientAttributes>;
  /**
   * Returns the attributes that the server sets for the device: its intervals, and `fw_*` of a firmware that
   * is offered to it.
   */
  shared(deviceId: number): Promise<ClientAttributes>;
}

/**
 * Number of devices whose attributes are written at the same time, so that database connections are left for
 * logins and commands.
 */
const WRITTEN_AT_ONCE = 2;
/** A limit that is never reached, because it exceeds the number of connections. */
const MOST_WAITING = 1_000_000;

export function createDeviceAttributes(pool: pg.Pool, clock: Clock): DeviceAttributes {
  const gate = createGate(
    {
      atOnce: WRITTEN_AT_ONCE,
      waiting: MOST_WAITING,
      ofOne: { atOnce: 1, waiting: MOST_WAITING },
    },
    () => new Error('too many attributes'),
  );

  async function keepNow(deviceId: number, values: Readonly<Record<string, unknown>>): Promise<number> {
    const before = await findClientAttributes(pool, deviceId);
    const { attributes, dropped } = mergeAttributes(before, values);
    // Nothing needs to be written, because most devices repeat the same values with each connection.
    if (attributes === before) return dropped;
    return transaction(pool, async (tx) => {
      const now = new Date(clock.now());
      await beginClientAttributes(tx, deviceId, now);
      const merged = mergeAttributes(await findClientAttributes(tx, deviceId, { lock: true }), values);
      await writeClientAttributes(tx, deviceId, merged.attributes, now);
      return merged.dropped;
    });
  }

  return {
    keep: (deviceId, values) => gate.pass(() => keepNow(deviceId, values), String(deviceId)),
    client: (deviceId) => findClientAttributes(pool, deviceId),
    async shared(deviceId) {
      const intervals = await findIntervals(pool, deviceId);
      if (!intervals) return new Map();
      const upgrade = await findOwnUpgrade(pool, deviceId);
      return attributeTexts({
        acquisitionIntervalS: intervals.acquisitionMs / 1000,
        uploadIntervalS: intervals.uploadMs / 1000,
        ...(upgrade?.isTold ? firmwareAttributes({ ...upgrade, size: upgrade.sizeBytes }) : {}),
      });
    },
  };
}

/**
 * Returns a firmware offer under the attribute names of the ThingsBoard device API; the signature is an
 * addition of this project.
 */
export function firmwareAttributes(
  offer: Pick<FirmwareOffer, 'title' | 'version' | 'size' | 'checksum' | 'signature'>,
): Record<`fw_${string}`, string | number> {
  return {
    fw_title: offer.title,
    fw_version: offer.version,
    fw_size: offer.size,
    fw_checksum: offer.checksum,
    fw_checksum_algorithm: 'SHA256',
    fw_signature: offer.signature,
  };
}

export const isFirmwareAttribute = (key: string): boolean => key.startsWith('fw_');

/** Returns attributes as JSON texts by name. */
export function attributeTexts(values: Readonly<Record<string, string | number>>): Map<string, string> {
  return new Map(Object.entries(values).map(([key, value]) => [key, JSON.stringify(value)]));
}
