import { isCrcRight } from './checksums.ts';
import { type Field, FieldReader, type Trace } from './field-reader.ts';
import { type CipherFor, COUNTER_BYTES, MAX_LENGTH, openContent } from './packet.ts';
import { readBody } from './packet-body.ts';
import { CRC_BYTES, HEADER_BYTES, readHeader } from './packet-header.ts';
import { type PacketFaultCode, SYNC } from './packet-words.ts';

/** A range of bytes: either a packet with its fields, or bytes outside packets. */
export interface Explained {
  kind: 'packet' | 'garbage';
  offset: number;
  length: number;
  /** The first error, as the decoder reports it; null if there is none. */
  fault: PacketFaultCode | null;
  fields: Field[];
  /** The decrypted text and its position; null if nothing was decrypted. */
  opened: { offset: number; bytes: Uint8Array } | null;
}

/**
 * Explains bytes field by field, with the same readers that decode them. It continues after errors as long
 * as the bytes have a meaning: a packet with a wrong CRC is explained, with the CRC marked as wrong.
 */
export function explain(bytes: Uint8Array, cipherFor: CipherFor): Explained[] {
  const found: Explained[] = [];
  let at = 0;
  while (at < bytes.length) {
    const begin = nextSync(bytes, at);
    if (begin > at) {
      found.push({
        kind: 'garbage',
        offset: at,
        length: begin - at,
        fault: 'no-sync',
        fields: [],
        opened: null,
      });
      at = begin;
      continue;
    }
    const packet = explainPacket(bytes, at, cipherFor);
    found.push(packet);
    at += packet.length;
  }
  return found;
}

function nextSync(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at++)
    if (bytes[at] === SYNC[0] && bytes[at + 1] === SYNC[1]) return at;
  return bytes.length;
}

function explainPacket(bytes: Uint8Array, offset: number, cipherFor: CipherFor): Explained {
  const fields: Field[] = [];
  const group = (name: string, from: number): Trace => {
    const field: Field = {
      name,
      offset: from,
      length: 0,
      value: null,
      meaning: null,
      fault: null,
      children: [],
    };
    fields.push(field);
    return { fields: field.children, base: from };
  };
  const explained: Explained = { kind: 'packet', offset, length: 0, fault: null, fields, opened: null };
  const finish = (length: number, fault: PacketFaultCode | null): Explained => {
    for (const field of fields) {
      const last = field.children.at(-1);
      if (last) field.length = last.offset + last.length - field.offset;
    }
    return { ...explained, length, fault: explained.fault ?? fault };
  };

  const header = readHeader(bytes, offset, MAX_LENGTH, group('header', offset));
  if (!header.ok) return finish(Math.min(HEADER_BYTES, nextSync(bytes, offset + 1) - offset), header.fault);
  const { length, encryption, split } = header.value;
  const end = offset + HEADER_BYTES + length;
  const isWhole = end + CRC_BYTES <= bytes.length;
  if (!isWhole) explained.fault = 'too-short';
  else if (!isCrcRight(bytes, offset, end)) explained.fault = 'crc';

  const here = bytes.subarray(offset, Math.min(end, bytes.length));
  const sealing = { ...group('content', offset + HEADER_BYTES), base: offset };
  const opened = openContent(here, header.value, cipherFor, sealing);
  let fault = opened.ok ? null : opened.fault;
  if (opened.ok) {
    const { content, part, type } = opened.value;
    const sealedBytes = encryption === 'none' ? 0 : COUNTER_BYTES;
    const contentAt = offset + HEADER_BYTES + sealedBytes + (split ? 2 : 0);
    if (encryption !== 'none') explained.opened = { offset: contentAt, bytes: content };
    // A single part cannot be explained: the content is known only when all parts of the message have
    // arrived.
    if (part === null) {
      const body = readBody(type, content, { fields: sealing.fields, base: contentAt });
      if (!body.ok) fault = body.fault;
    }
  }
  if (!isWhole) return finish(bytes.length - offset, fault);
  const crc = group('checksum', end);
  const reader = new FieldReader(bytes.subarray(end, end + CRC_BYTES), crc);
  reader.uint('crc', CRC_BYTES);
  if (explained.fault) reader.mark(explained.fault);
  return finish(end + CRC_BYTES - offset, fault);
}
