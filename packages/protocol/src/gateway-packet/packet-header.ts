import { crc8 } from './checksums.ts';
import { FieldReader, type Trace } from './field-reader.ts';
import { faulty, type Result } from './packet-body.ts';
import {
  ENCRYPTIONS,
  type Encryption,
  PACKET_TYPES,
  type PacketFaultCode,
  SYNC,
  VERSION,
  wordOf,
} from './packet-words.ts';

/** Length of the header, from the sync word to the header check. */
export const HEADER_BYTES = 16;
export const CRC_BYTES = 2;
const HEADER_CHECK_AT = HEADER_BYTES - 1;

const SPLIT = 0b0001;
const FROM_SERVER = 0b0010;
const ENCRYPTION_SHIFT = 2;
const RESERVED = 0b1111_0000;

/** The header that every packet has. It is never encrypted. */
export interface PacketHeader {
  /** Code of the type as transmitted. Packets of unknown types are recognised as well. */
  typeCode: number;
  split: boolean;
  fromServer: boolean;
  encryption: Encryption;
  /** Number of the gateway that sends or receives the packet. */
  gatewayId: number;
  /**
   * Message number from 1 to 65,535, chosen by the sender. It is the same for all parts of a split message;
   * 0 requests no acknowledgement.
   */
  messageId: number;
  /** Number of the message that this packet acknowledges; 0 for none. */
  ackId: number;
  /** Number of bytes between header and CRC. */
  length: number;
}

/**
 * Reads the header at `offset`; returns it, or its error. With a trace, its fields are recorded as far as
 * bytes are available.
 */
export function readHeader(
  bytes: Uint8Array,
  offset: number,
  maxLength: number,
  trace?: Trace,
): Result<PacketHeader> {
  const reader = new FieldReader(bytes.subarray(offset, offset + HEADER_BYTES), trace);
  let fault: PacketFaultCode | null = null;
  const check = (right: boolean, code: PacketFaultCode) => {
    if (right) return;
    reader.mark(code);
    fault ??= code;
  };
  try {
    check(reader.uint('sync', 2) === SYNC[0] * 256 + SYNC[1], 'no-sync');
    check(reader.uint('version', 1) === VERSION, 'unknown-version');
    const typeCode = reader.uint('type', 1);
    const type = wordOf(PACKET_TYPES, typeCode);
    if (type) reader.explain(3, { kind: 'word', value: type });
    const flags = reader.uint('flags', 1);
    const encryption = wordOf(ENCRYPTIONS, (flags & ~RESERVED) >> ENCRYPTION_SHIFT);
    check(encryption !== null, 'unknown-encryption');
    check((flags & RESERVED) === 0, 'unknown-flags');
    if (encryption) reader.explain(4, { kind: 'word', value: encryption });
    const header = {
      typeCode,
      split: (flags & SPLIT) !== 0,
      fromServer: (flags & FROM_SERVER) !== 0,
      encryption: encryption ?? 'none',
      gatewayId: reader.uint('gateway-id', 4),
      messageId: reader.uint('message-id', 2),
      ackId: reader.uint('ack-id', 2),
      length: reader.uint('length', 2),
    };
    check(header.length <= maxLength, 'too-long');
    check(reader.uint('header-check', 1) === crc8(bytes, offset, offset + HEADER_CHECK_AT), 'header-check');
    return fault === null ? { ok: true, value: header } : faulty(fault);
  } catch {
    return faulty(fault ?? 'too-short');
  }
}

/** Writes the header into the first bytes of `packet`. */
export function writeHeader(packet: Uint8Array, header: PacketHeader): void {
  const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
  packet.set(SYNC, 0);
  view.setUint8(2, VERSION);
  view.setUint8(3, header.typeCode);
  view.setUint8(
    4,
    (header.split ? SPLIT : 0) |
      (header.fromServer ? FROM_SERVER : 0) |
      (ENCRYPTIONS[header.encryption] << ENCRYPTION_SHIFT),
  );
  view.setUint32(5, header.gatewayId);
  view.setUint16(9, header.messageId);
  view.setUint16(11, header.ackId);
  view.setUint16(13, header.length);
  view.setUint8(HEADER_CHECK_AT, crc8(packet, 0, HEADER_CHECK_AT));
}
