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

/** What the device at the other end may send, and what was said of it so far. */
export interface PacketSource {
  gateway: 'tcp' | 'mqtt';
  address: string;
  keys: PacketKeys | null;
  window: ReplayWindow | null;
  reassembly: Reassembly;
}

/** Types that bring something to store. What they bring is known by its time, so that sending it again is harmless. */
const DATA: ReadonlySet<PacketType> = new Set(['readings', 'backlog', 'events', 'positions']);

export const keysOf = (device: KnownDevice): PacketKeys | null =>
  device.packetSecret && createPacketKeys(device.packetSecret);

/** Why a packet is not taken: a fault of the codec, or one of whoever sent it. */
export type Refusal = PacketFaultCode | 'gateway' | 'direction' | 'encryption' | 'unexpected';

export type Arrival =
  | { kind: 'refused'; code: Refusal; messageId: number }
  /** Recorded and sent again, or so late that it cannot be told from that. */
  | { kind: 'replayed'; messageId: number }
  /** Taken before, and durable. */
  | { kind: 'repeated'; messageId: number }
  /** A part; its message is not whole yet. */
  | { kind: 'part' }
  | { kind: 'message'; message: WholeMessage };

/**
 * Opens a packet of this device and puts parts together. `sealedWith` is what the device has said that it seals
 * with; null where each packet may say it for itself.
 */
export function admitPacket(
  source: PacketSource,
  device: KnownDevice,
  bytes: Uint8Array,
  sealedWith: Encryption | null,
  now: number,
): Arrival {
  const opened = openPacket(bytes, ({ encryption }) => cipherOf(source, encryption));
  // Where it is not opened, the header is right all the same: the reader has looked at it.
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
  // What the server has sent, thrown back at it.
  if (header.fromServer) return 'direction';
  // In the clear, between sealed ones: not from who greeted us.
  if (sealedWith !== null && header.encryption !== sealedWith) return 'encryption';
  return null;
}

/**
 * Stores what a whole message brings; resolves after the commit. Its counters are marked then and not before: what
 * was not stored may come again. Throws what `Ingest.takeDecoded` throws, and `request.malformed` with the fault.
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

/** What stands under `code` in what was kept for inspection. */
export const packetCode = (refusal: Refusal): string => `packet.${refusal}`;

function decoded({ type, body }: { type: PacketType; body: unknown }): DecodedMessage {
  if (type === 'positions') return { readings: null, positions: body as DecodedMessage['positions'] };
  if (type === 'events') return { readings: readingsOf(body as PacketEvent[]), positions: [] };
  return { readings: body as Readings, positions: [] };
}

/** An event is a reading of its channel. */
function readingsOf(events: readonly PacketEvent[]): Readings {
  return {
    series: events.map(({ sensor, indicator }, index) => ({ sensor, indicator, from: index, to: index + 1 })),
    at: Float64Array.from(events, ({ at }) => at),
    value: Float64Array.from(events, ({ value }) => value),
  };
}

/**
 * Takes an MQTT payload of whole messages; resolves when all that could be taken is durable. The first that could
 * not is named under `error`, as it was kept for inspection. Throws what `Ingest.takeDecoded` throws when the
 * payload is to come again.
 */
export async function takePayload(
  ingest: Ingest,
  sender: Omit<PacketSource, 'reassembly'>,
  device: KnownDevice,
  payload: Buffer,
  now: number,
): Promise<IngestResult & { error?: string }> {
  // A PUBACK says that all of it is durable: parts cannot wait for another payload.
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
