import { AppError } from '@isotherm/contracts/errors';
import type { IngestResult } from '@isotherm/contracts/ingest';
import { createPacketKeys, type PacketKeys } from '@isotherm/contracts/packet-cipher';
import {
  MAX_LENGTH,
  MAX_PARTS,
  type OpenedPacket,
  openPacket,
} from '@isotherm/protocol/gateway-packet/packet';
import { readBody } from '@isotherm/protocol/gateway-packet/packet-body';
import { createPacketReader } from '@isotherm/protocol/gateway-packet/packet-reader';
import type { Encryption, PacketFaultCode, PacketType } from '@isotherm/protocol/gateway-packet/packet-words';
import type { Readings } from '@isotherm/protocol/gateway-packet/readings-body';
import {
  createReassembly,
  type Reassembly,
  type WholeMessage,
} from '@isotherm/protocol/gateway-packet/reassembly';
import type { PacketEvent } from '@isotherm/protocol/gateway-packet/record-bodies';
import type { ReplayWindow } from '@isotherm/protocol/gateway-packet/replay-window';
import type { KnownDevice } from '../features/devices/index.ts';
import type { DecodedMessage, Ingest } from '../features/telemetry/index.ts';

/** The device behind a connection and the state of its packets. */
export interface PacketSource {
  gateway: 'tcp' | 'mqtt';
  address: string;
  keys: PacketKeys | null;
  window: ReplayWindow | null;
  reassembly: Reassembly;
}

/**
 * Packet types that contain something to store. The data are identified by their times, so that a resend is
 * harmless.
 */
const DATA: ReadonlySet<PacketType> = new Set(['readings', 'backlog', 'events', 'positions']);

export const keysOf = (device: KnownDevice): PacketKeys | null =>
  device.packetSecret && createPacketKeys(device.packetSecret);

/** The reason why a packet is refused: an error found by the codec, or one of its sender. */
export type Refusal = PacketFaultCode | 'gateway' | 'direction' | 'encryption' | 'unexpected';

export type Arrival =
  | { kind: 'refused'; code: Refusal; messageId: number }
  /** The packet is a replay, or so late that it cannot be distinguished from one. */
  | { kind: 'replayed'; messageId: number }
  /** The message was already processed, and is durable. */
  | { kind: 'repeated'; messageId: number }
  /** The packet is one part of a message that is not complete yet. */
  | { kind: 'part' }
  | { kind: 'message'; message: WholeMessage };

/**
 * Decrypts a packet of this device and assembles parts. `sealedWith` is the encryption that the device has
 * chosen; null if each packet may choose its own.
 */
export function admitPacket(
  source: PacketSource,
  device: KnownDevice,
  bytes: Uint8Array,
  sealedWith: Encryption | null,
  now: number,
): Arrival {
  const opened = openPacket(bytes, ({ encryption }) => cipherOf(source, encryption));
  // The header can be used even if the packet cannot be decrypted, because the reader has validated it.
  const messageId = bytes[9]! * 256 + bytes[10]!;
  if (!opened.ok) return { kind: 'refused', code: opened.fault, messageId };
  const refusal = refusalOf(opened.value, device, sealedWith);
  if (refusal) return { kind: 'refused', code: refusal, messageId };
  const { counter } = opened.value;
  if (counter !== null && source.window) {
    const freshness = source.window.judge(counter);
    if (freshness === 'too-old') return { kind: 'replayed', messageId };
    if (freshness === 'seen') return { kind: 'repeated', messageId };
  }
  const message = source.reassembly.accept(opened.value, now);
  return message ? { kind: 'message', message } : { kind: 'part' };
}

function cipherOf({ keys }: PacketSource, encryption: Encryption) {
  return keys && encryption !== 'none' ? keys.uplink(encryption) : null;
}

function refusalOf(
  { header }: OpenedPacket,
  device: KnownDevice,
  sealedWith: Encryption | null,
): Refusal | null {
  if (header.gatewayId !== Number(device.number)) return 'gateway';
  // The server has sent this packet, and an attacker has sent it back.
  if (header.fromServer) return 'direction';
  // The encryption differs from the one of the handshake, so the packet is not from the same sender.
  if (sealedWith !== null && header.encryption !== sealedWith) return 'encryption';
  return null;
}

/**
 * Stores the content of a complete message; resolves after the commit. Its counters are marked only then, so
 * that a message that was not stored can be sent again. Throws what `Ingest.takeDecoded` throws, and
 * `request.malformed` with the error.
 */
export async function storeMessage(
  ingest: Ingest,
  source: PacketSource,
  device: KnownDevice,
  message: WholeMessage,
  payload: Uint8Array,
): Promise<IngestResult> {
  const incoming = {
    gateway: source.gateway,
    format: 'packet' as const,
    address: source.address,
    device,
    payload: Buffer.from(payload.buffer, payload.byteOffset, payload.length),
  };
  const read = DATA.has(message.type) ? readBody(message.type, message.content) : null;
  if (!read?.ok) {
    const code = packetCode(read ? read.fault : 'unexpected');
    ingest.refuse(incoming, code);
    throw new AppError('request.malformed', {}, { cause: code });
  }
  const result = await ingest.takeDecoded(incoming, decoded(read.value));
  for (const counter of message.counters) source.window?.mark(counter);
  return result;
}

/** Returns the error code of a message kept for inspection. */
export const packetCode = (refusal: Refusal): string => `packet.${refusal}`;

function decoded({ type, body }: { type: PacketType; body: unknown }): DecodedMessage {
  if (type === 'positions') return { readings: null, positions: body as DecodedMessage['positions'] };
  if (type === 'events') return { readings: readingsOf(body as PacketEvent[]), positions: [] };
  return { readings: body as Readings, positions: [] };
}

/** Converts events to readings, since an event is a reading of its channel. */
function readingsOf(events: readonly PacketEvent[]): Readings {
  return {
    series: events.map(({ sensor, indicator }, index) => ({ sensor, indicator, from: index, to: index + 1 })),
    at: Float64Array.from(events, ({ at }) => at),
    value: Float64Array.from(events, ({ value }) => value),
  };
}

/**
 * Processes an MQTT payload of complete messages; resolves when everything that could be accepted is
 * durable. The first refusal is returned as `error`. Throws what `Ingest.takeDecoded` throws if the payload
 * must be sent again.
 */
export async function takePayload(
  ingest: Ingest,
  sender: Omit<PacketSource, 'reassembly'>,
  device: KnownDevice,
  payload: Buffer,
  now: number,
): Promise<IngestResult & { error?: string }> {
  // PUBACK acknowledges the whole payload, so parts cannot be completed by another payload.
  const reassembly = createReassembly(1, MAX_PARTS * MAX_LENGTH, 0);
  const source = { ...sender, reassembly };
  const reader = createPacketReader();
  const total: IngestResult & { error?: string } = { accepted: 0, rejected: [], rejectedPositions: 0 };
  const incoming = { gateway: 'mqtt' as const, format: 'packet' as const, address: sender.address, device };
  const refuse = (code: string, bytes: Buffer) => {
    ingest.refuse({ ...incoming, payload: bytes }, code);
    total.error ??= code;
  };
  let count = 0;
  for (const { kind, bytes } of [...reader.accept(payload), ...reader.giveUp()]) {
    if (kind === 'thrown-away') {
      refuse(packetCode('no-sync'), Buffer.from(bytes));
      continue;
    }
    const arrival = admitPacket(source, device, bytes, null, now);
    if (arrival.kind === 'refused') refuse(packetCode(arrival.code), Buffer.from(bytes));
    else if (arrival.kind === 'replayed') total.error ??= 'packet.replayed';
    else if (arrival.kind === 'message') {
      try {
        const result = await storeMessage(ingest, source, device, arrival.message, bytes);
        total.accepted += result.accepted;
        total.rejectedPositions += result.rejectedPositions;
        for (const { index, fault } of result.rejected) total.rejected.push({ index: index + count, fault });
        count += result.accepted + result.rejected.length;
      } catch (error) {
        if (!(error instanceof AppError) || error.code !== 'request.malformed') throw error;
        total.error ??= String(error.cause);
      }
    }
  }
  if (reassembly.expire(now) > 0) refuse(packetCode('bad-split'), payload);
  return total;
}
