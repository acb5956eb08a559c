import { createHash, timingSafeEqual } from 'node:crypto';
import { channelKey, DEVICE_TOKEN, splitToken } from '@isotherm/contracts/ingest';
import type { Binding } from '@isotherm/domain/devices/binding';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import { type Mapping, NO_MAPPING } from '@isotherm/domain/readings/payload-mapping';
import type pg from 'pg';
import { createCache } from '../../platform/cache/cache.ts';
import type { Invalidations } from '../../platform/cache/invalidations.ts';
import type { Sealing } from '../../platform/sealing.ts';
import type { Contacts, Sender } from './contacts.ts';
import {
  type DeviceChannelRow,
  findDevicesByNumber,
  findNumberByEui,
  findNumberByName,
  findNumbersByToken,
} from './devices.repo.ts';
import { findMappingsFor } from './mappings/mappings.repo.ts';
import { openPacketSecret } from './packet-secrets.ts';

/** The device data that ingest needs to accept its readings. */
export interface KnownDevice {
  id: number;
  number: string;
  organizationId: number;
  assetId: number | null;
  keyHash: Buffer;
  /** Hash of the access token that the device kept from ThingsBoard, if any. */
  tokenHash: Buffer | null;
  /**
   * Hash of the key or token with which the device authenticated; without authentication, the hash of its
   * key.
   */
  credentialHash: Buffer;
  /**
   * Secret from which the packet keys are derived (docs/gateway-packet.md); null for devices that were
   * registered before the server supported packets.
   */
  packetSecret: Buffer | null;
  acquisitionIntervalMs: number;
  /** Payload mapping of the device's model, for devices with another protocol. */
  mapping: Mapping;
  /** Device time minus real time; 0 while the clock is right (decision 34). */
  clockOffsetMs: number;
  /** Number that changes with every change of the device's bindings. */
  bindingVersion: number;
  /** Channels of the device by channel key, such as `temperature-1`. */
  channels: ReadonlyMap<string, KnownChannel>;
}

/** A quantity that a device measures, and the channels to which its readings belong. */
interface KnownChannel {
  indicator: Indicator;
  /** Bindings of the quantity to channels, the newest first; usually one. */
  bindings: readonly KnownBinding[];
}

export interface KnownBinding extends Binding {
  channelId: number;
  /**
   * The device whose lane (group lock that serialises writes) the channel uses: the device whose readings
   * belong to the channel now.
   */
  laneDeviceId: number;
}

export interface DeviceDirectory {
  /** Returns the device with this number, or null. The number alone does not authenticate the caller. */
  find(number: string): Promise<KnownDevice | null> | KnownDevice | null;
  /**
   * Returns the device with this number and key, or null; both outcomes are recorded as contacts of the
   * device.
   */
  authenticate(number: string, key: string, sender: Sender): Promise<KnownDevice | null>;
  /**
   * Returns the device with this access token, which consists of number and key, or was kept from
   * ThingsBoard.
   */
  authenticateToken(token: string, sender: Sender): Promise<KnownDevice | null>;
  /**
   * Returns the device as it is in the registry now; null if it was deleted or its key or token was changed.
   * It returns synchronously while the device is cached, which is nearly always: it is called with every
   * message of a connection.
   */
  refresh(device: KnownDevice): Promise<KnownDevice | null> | KnownDevice | null;
  /** Reads the device from the database; used when the cached entry is known to be stale. */
  reload(number: string): Promise<KnownDevice | null>;
  /** Returns the device with this LoRaWAN DevEUI within the scope, or null. */
  findByEui(scope: string, devEui: string): Promise<KnownDevice | null>;
  /** Returns the device behind the gateway with this name or number, or null. */
  findByName(gatewayId: number, name: string): Promise<KnownDevice | null>;
}

export const hashDeviceKey = (key: string): Buffer => createHash('sha256').update(key).digest();

/** Returns the hash of an access token kept from ThingsBoard; null for an empty one. */
export const hashDeviceToken = (token: string): Buffer | null =>
  token === '' ? null : createHash('sha256').update(token).digest();

const MAX_ENTRIES = 200_000;

/**
 * Creates a cache over the registry, because a device sends every few seconds and changes about once a year.
 * Entries stay until a database trigger notifies that the device was changed.
 */
export function createDeviceDirectory(
  pool: pg.Pool,
  invalidations: Invalidations,
  sealing: Pick<Sealing, 'open'>,
  contacts: Pick<Contacts, 'connected' | 'refused'>,
): DeviceDirectory {
  const devices = createCache<string, KnownDevice, void>({
    invalidations,
    topic: 'device',
    keyOf: (number) => number,
    max: MAX_ENTRIES,
    load,
  });
  /**
   * Cache of device numbers by other identifiers. Any change of a device empties it, because the previous
   * identifiers of a changed device are not known.
   */
  const numbers = createCache<string, { number: string }, void>({
    invalidations,
    topic: 'device',
    max: MAX_ENTRIES,
    async load(names) {
      const found = new Map<string, { number: string }>();
      // All tokens are looked up in one query, because unauthenticated callers may send any number of them.
      const hashes = names.flatMap((name) =>
        name.startsWith(TOKEN_NAME) ? name.slice(TOKEN_NAME.length) : [],
      );
      if (hashes.length > 0)
        for (const [hash, number] of await findNumbersByToken(pool, hashes))
          found.set(TOKEN_NAME + hash, { number });
      for (const name of names) {
        if (name.startsWith(TOKEN_NAME)) continue;
        const number = await findNumber(pool, JSON.parse(name) as DeviceName);
        if (number !== null) found.set(name, { number });
      }
      return found;
    },
  });

  async function load(wanted: readonly string[]): Promise<Map<string, KnownDevice>> {
    const rows = await findDevicesByNumber(pool, wanted);
    const mappings = await findMappingsFor(pool, rows);
    const found = new Map<string, KnownDevice & { channels: GrowingChannels }>();
    for (const row of rows) {
      let device = found.get(row.number);
      if (!device) {
        device = {
          id: row.id,
          number: row.number,
          organizationId: row.organization_id,
          assetId: row.asset_id,
          keyHash: row.key_hash,
          tokenHash: row.token_hash,
          credentialHash: row.key_hash,
          packetSecret: openPacketSecret(sealing, row.packet_secret),
          acquisitionIntervalMs: row.acquisition_interval_ms,
          mapping: mappings(row) ?? NO_MAPPING,
          clockOffsetMs: row.clock_offset_ms,
          bindingVersion: row.binding_version,
          channels: new Map(),
        };
        found.set(row.number, device);
      }
      addBinding(device.channels, row);
    }
    return found;
  }

  function find(number: string): Promise<KnownDevice | null> | KnownDevice | null {
    return /^\d{8}$/.test(number) ? devices.get(number) : null;
  }

  /** Returns a device by another identifier. */
  async function named(name: string): Promise<KnownDevice | null> {
    const found = await numbers.get(name);
    return found && find(found.number);
  }

  async function authenticate(number: string, key: string, sender: Sender): Promise<KnownDevice | null> {
    const device = await find(number);
    if (!device) return null;
    const isRight = timingSafeEqual(device.keyHash, hashDeviceKey(key));
    contacts[isRight ? 'connected' : 'refused'](device.id, sender);
    return isRight ? device : null;
  }

  return {
    find,
    authenticate,
    async authenticateToken(token, sender) {
      const { number, key } = splitToken(token);
      if (number !== '') return authenticate(number, key, sender);
      if (!DEVICE_TOKEN.test(token)) return null;
      const tokenHash = hashDeviceToken(token) as Buffer;
      const device = await named(TOKEN_NAME + tokenHash.toString('hex'));
      // The number may have been cached before the token was revoked.
      if (!device?.tokenHash?.equals(tokenHash)) return null;
      contacts.connected(device.id, sender);
      return { ...device, credentialHash: tokenHash };
    },
    refresh(device) {
      const same = (found: KnownDevice | null) => (found && hasCredential(found, device) ? found : null);
      const found = find(device.number);
      return found instanceof Promise ? found.then(same) : same(found);
    },
    async reload(number) {
      invalidations.invalidate('device', [number]);
      return find(number);
    },
    findByEui: (scope, devEui) => named(nameOf({ scope, devEui })),
    findByName: (gatewayId, name) => named(nameOf({ gatewayId, name })),
  };
}

/** Returns whether the device still has the credential with which `known` was authenticated. */
function hasCredential(found: KnownDevice, { credentialHash }: KnownDevice): boolean {
  return found.keyHash.equals(credentialHash) || (found.tokenHash?.equals(credentialHash) ?? false);
}

type GrowingChannels = Map<string, { indicator: Indicator; bindings: KnownBinding[] }>;

function addBinding(channels: GrowingChannels, row: DeviceChannelRow): void {
  if (row.channel_id === null) return;
  const indicator = row.indicator as Indicator;
  const key = channelKey(indicator, row.sensor_index as number);
  const channel = channels.get(key) ?? { indicator, bindings: [] };
  channels.set(key, channel);
  channel.bindings.push({
    channelId: row.channel_id,
    laneDeviceId: row.channel_device_id as number,
    from: row.valid_from as number,
    until: row.valid_until as number,
  });
}

/** Identifies a device by something other than its number. */
type DeviceName = { scope: string; devEui: string } | { gatewayId: number; name: string };
const nameOf = (name: DeviceName): string => JSON.stringify(name);
/** Prefix of names that contain the hash of a token in hexadecimal, to distinguish them from other names. */
const TOKEN_NAME = 'token ';

function findNumber(pool: pg.Pool, name: DeviceName): Promise<string | null> {
  return 'devEui' in name
    ? findNumberByEui(pool, name.scope, name.devEui)
    : findNumberByName(pool, name.gatewayId, name.name);
}
