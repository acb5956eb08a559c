import { AppError } from '@isotherm/contracts/errors';
import { createPacketKeys, type PacketKeys } from '@isotherm/contracts/packet-cipher';
import {
  type ExplainedField,
  type Explanation,
  type getPacket,
  type listPackets,
  MAX_EXPLAINED_FIELDS,
} from '@isotherm/contracts/packets';
import type { ResponseOf } from '@isotherm/contracts/route';
import { can } from '@isotherm/domain/access/can';
import { explain } from '@isotherm/protocol/gateway-packet/explain';
import type { Field } from '@isotherm/protocol/gateway-packet/field-reader';
import type pg from 'pg';
import type { z } from 'zod';
import type { Caller } from '../../../platform/http/caller.ts';
import type { DeviceDirectory } from '../../devices/index.ts';
import { countPackets, findPacket, isInScope, listPacketRows } from './packets.repo.ts';

/** Position of bytes 5 to 8 of a packet: the gateway id that it claims. */
const GATEWAY_ID_AT = 5;
/**
 * Maximum number of senders whose keys are loaded for one explanation: a stored packet has one, a pasted
 * stream few.
 */
const MAX_SENDERS = 20;

export interface PacketsService {
  list(
    caller: Caller,
    query: z.output<(typeof listPackets)['query']>,
  ): Promise<ResponseOf<typeof listPackets>>;
  get(caller: Caller, id: number): Promise<ResponseOf<typeof getPacket>>;
  explain(caller: Caller, hex: string): Promise<Explanation>;
}

export function createPacketsService(pool: pg.Pool, find: DeviceDirectory['find']): PacketsService {
  /** Returns the keys of these senders, if the caller may use them. The keys never leave the server. */
  async function keysFor(caller: Caller, gatewayIds: readonly number[]): Promise<Map<number, PacketKeys>> {
    const keys = new Map<number, PacketKeys>();
    if (!can(caller.permissions, 'management-packets:decrypt')) return keys;
    for (const gatewayId of gatewayIds.slice(0, MAX_SENDERS)) {
      const device = await find(String(gatewayId).padStart(8, '0'));
      if (device?.packetSecret && (await isInScope(pool, caller.scope, device.organizationId)))
        keys.set(gatewayId, createPacketKeys(device.packetSecret));
    }
    return keys;
  }

  async function explanation(caller: Caller, bytes: Buffer): Promise<Explanation> {
    const senders = new Set<number>();
    for (const { kind, offset, length } of explain(bytes, () => null))
      if (kind === 'packet' && length > GATEWAY_ID_AT + 4)
        senders.add(bytes.readUInt32BE(offset + GATEWAY_ID_AT));
    const keys = await keysFor(caller, [...senders]);
    const packets = explain(bytes, ({ gatewayId, encryption, fromServer }) => {
      // Downlink packets are encrypted with keys that were discarded when their connection ended.
      if (encryption === 'none' || fromServer) return null;
      return keys.get(gatewayId)?.uplink(encryption) ?? null;
    });
    let left = MAX_EXPLAINED_FIELDS;
    let omitted = 0;
    const explained = packets.map(({ fields, opened, ...packet }) => {
      const flat = flatten(fields, 0);
      const shown = flat.slice(0, left);
      left -= shown.length;
      omitted += flat.length - shown.length;
      return {
        ...packet,
        fields: shown,
        opened: opened && { offset: opened.offset, hex: Buffer.from(opened.bytes).toString('hex') },
      };
    });
    return { hex: bytes.toString('hex'), packets: explained, omitted };
  }

  return {
    async list(caller, { page, pageSize, search, gateway, order }) {
      const filter = { scope: caller.scope, search, gateway: gateway ?? null };
      const [items, total] = await Promise.all([
        listPacketRows(pool, filter, order, pageSize, (page - 1) * pageSize),
        countPackets(pool, filter),
      ]);
      return { items, total };
    },
    async get(caller, id) {
      const found = await findPacket(pool, caller.scope, id);
      if (!found) throw new AppError('packet.not_found');
      return { stored: found.stored, ...(await explanation(caller, found.payload)) };
    },
    explain: (caller, hex) => explanation(caller, Buffer.from(hex, 'hex')),
  };
}

function flatten(fields: readonly Field[], level: number): ExplainedField[] {
  return fields.flatMap(({ children, ...field }) => [{ ...field, level }, ...flatten(children, level + 1)]);
}
