import { crc16, isCrcRight } from './checksums.ts';
import { FieldReader, type Trace } from './field-reader.ts';
import { faulty, type Result } from './packet-body.ts';
import { CRC_BYTES, HEADER_BYTES, type PacketHeader, readHeader, writeHeader } from './packet-header.ts';
import { type Encryption, PACKET_TYPES, type PacketType, wordOf } from './packet-words.ts';

/** Largest number of bytes between header and CRC. A gateway must be able to buffer them. */
export const MAX_LENGTH = 16_384;
export const MAX_PACKET_BYTES = HEADER_BYTES + MAX_LENGTH + CRC_BYTES;
export const COUNTER_BYTES = 8;
export const SEAL_TAG_BYTES = 16;
export const NONCE_BYTES_OF_SEAL = 12;
const PART_BYTES = 2;
/** Largest number of parts of a message, which gives 256 KiB. */
export const MAX_PARTS = 16;
/** Largest content that fits into one packet with any flags. */
export const MAX_CONTENT_BYTES = MAX_LENGTH - COUNTER_BYTES - SEAL_TAG_BYTES - PART_BYTES;

/**
 * A cipher (AEAD) with one key: AES-128-GCM or SM4-GCM, with a nonce of 12 bytes and a tag of 16 bytes after
 * the encrypted text.
 */
export interface PacketCipher {
  seal(nonce: Uint8Array, plain: Uint8Array, associated: Uint8Array): Uint8Array;
  /** Decrypts; returns null if the tag is wrong. */
  open(nonce: Uint8Array, sealed: Uint8Array, associated: Uint8Array): Uint8Array | null;
}

/** Returns the cipher for a packet with this header, or null if its key is unknown. */
export type CipherFor = (header: PacketHeader) => PacketCipher | null;

/** A complete packet after decryption. */
export interface OpenedPacket {
  header: PacketHeader;
  type: PacketType;
  /**
   * Counter of an encrypted packet, which increases with each packet; null if the packet is not encrypted.
   */
  counter: number | null;
  /** Position in a split message, with an index from 0; null if the message is not split. */
  part: { index: number; count: number } | null;
  content: Uint8Array;
}

/** A packet to be written. */
export interface PacketToSend {
  type: PacketType;
  fromServer?: boolean;
  gatewayId: number;
  messageId: number;
  ackId?: number;
  content: Uint8Array;
  part?: { index: number; count: number };
  /** Encrypts the packet. The counter must be unique for the key. */
  seal?: { encryption: Exclude<Encryption, 'none'>; cipher: PacketCipher; counter: number };
}

/**
 * Returns the nonce `gateway id ‖ counter`. It is unique for a key, because each direction has its own key.
 */
function nonceOf(gatewayId: number, counter: Uint8Array): Uint8Array {
  const nonce = new Uint8Array(NONCE_BYTES_OF_SEAL);
  new DataView(nonce.buffer).setUint32(0, gatewayId);
  nonce.set(counter, 4);
  return nonce;
}

/** Writes a packet. Throws `RangeError` if the content does not fit; the caller must split it first. */
export function writePacket(packet: PacketToSend): Uint8Array {
  const { type, gatewayId, messageId, content, part, seal } = packet;
  const plain = new Uint8Array((part ? PART_BYTES : 0) + content.length);
  if (part) plain.set([part.index, part.count], 0);
  plain.set(content, plain.length - content.length);
  const length = plain.length + (seal ? COUNTER_BYTES + SEAL_TAG_BYTES : 0);
  if (length > MAX_LENGTH) throw new RangeError(`a packet holds ${MAX_LENGTH} bytes, not ${length}`);
  const bytes = new Uint8Array(HEADER_BYTES + length + CRC_BYTES);
  const view = new DataView(bytes.buffer);
  writeHeader(bytes, {
    typeCode: PACKET_TYPES[type],
    split: part !== undefined,
    fromServer: packet.fromServer ?? false,
    encryption: seal?.encryption ?? 'none',
    gatewayId,
    messageId,
    ackId: packet.ackId ?? 0,
    length,
  });
  if (seal) {
    view.setBigUint64(HEADER_BYTES, BigInt(seal.counter));
    const textAt = HEADER_BYTES + COUNTER_BYTES;
    const nonce = nonceOf(gatewayId, bytes.subarray(HEADER_BYTES, textAt));
    bytes.set(seal.cipher.seal(nonce, plain, bytes.subarray(0, textAt)), textAt);
  } else bytes.set(plain, HEADER_BYTES);
  view.setUint16(HEADER_BYTES + length, crc16(bytes, 0, HEADER_BYTES + length));
  return bytes;
}

/**
 * Writes a message as one packet, or as many parts as needed. `sealer` is called for each packet, which has
 * its own counter. Throws `RangeError` if there were more than `MAX_PARTS`.
 */
export function writeMessage(
  message: Omit<PacketToSend, 'part' | 'seal'>,
  sealer: () => PacketToSend['seal'],
  partBytes = MAX_CONTENT_BYTES,
): Uint8Array[] {
  const { content } = message;
  const count = Math.ceil(content.length / partBytes);
  if (count > MAX_PARTS) throw new RangeError(`a message has ${MAX_PARTS} parts at most, not ${count}`);
  const packet = (part: PacketToSend['part'], piece: Uint8Array) => {
    const seal = sealer();
    return writePacket({ ...message, content: piece, ...(part ? { part } : {}), ...(seal ? { seal } : {}) });
  };
  if (count <= 1) return [packet(undefined, content)];
  return Array.from({ length: count }, (_, index) =>
    packet({ index, count }, content.subarray(index * partBytes, (index + 1) * partBytes)),
  );
}

/** Decodes a complete packet, from sync word to CRC. Never throws. */
export function openPacket(bytes: Uint8Array, cipherFor: CipherFor, trace?: Trace): Result<OpenedPacket> {
  const header = readHeader(bytes, 0, MAX_LENGTH, trace);
  if (!header.ok) return header;
  const end = HEADER_BYTES + header.value.length;
  if (bytes.length !== end + CRC_BYTES) return faulty('wrong-length');
  if (!isCrcRight(bytes, 0, end)) return faulty('crc');
  return openContent(bytes.subarray(0, end), header.value, cipherFor, trace);
}

/** Decodes the content between the header and the end of `bytes`. */
export function openContent(
  bytes: Uint8Array,
  header: PacketHeader,
  cipherFor: CipherFor,
  trace?: Trace,
): Result<OpenedPacket> {
  const type = wordOf(PACKET_TYPES, header.typeCode);
  if (type === null) return faulty('unknown-type');
  const reader: FieldReader = new FieldReader(bytes, trace);
  reader.offset = HEADER_BYTES;
  let counter: number | null = null;
  let plain: Uint8Array | null = bytes.subarray(HEADER_BYTES);
  let plainAt = HEADER_BYTES;
  try {
    if (header.encryption !== 'none') {
      counter = reader.uint('counter', COUNTER_BYTES);
      plainAt = reader.offset;
      const sealed = reader.raw('sealed', Math.max(reader.left, SEAL_TAG_BYTES));
      const cipher = cipherFor(header);
      if (!cipher) reader.refuse('no-key');
      const nonce = nonceOf(header.gatewayId, bytes.subarray(HEADER_BYTES, plainAt));
      plain = cipher.open(nonce, sealed, bytes.subarray(0, plainAt));
      if (!plain) reader.refuse('seal');
    }
    if (!header.split) return { ok: true, value: { header, type, counter, part: null, content: plain } };
    const parts: FieldReader = new FieldReader(
      plain,
      trace && { fields: trace.fields, base: trace.base + plainAt },
    );
    const index = parts.uint('part', 1);
    const count = parts.uint('parts', 1);
    if (count < 2 || count > MAX_PARTS || index >= count) parts.refuse('bad-split');
    const content = plain.subarray(PART_BYTES);
    return { ok: true, value: { header, type, counter, part: { index, count }, content } };
  } catch (error) {
    return faulty((error as { code: 'truncated' }).code);
  }
}
