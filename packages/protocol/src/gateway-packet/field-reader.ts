import type { Indicator } from '@isotherm/domain/readings/indicator';
import { PacketFault, type PacketFaultCode, wordOf } from './packet-words.ts';

/** Meaning of a field's value. */
export type Meaning =
  | { kind: 'time'; value: number }
  | { kind: 'word'; value: string }
  | { kind: 'quantity'; value: number; indicator: Indicator | null };

/** A field of a packet. Its offset is counted from the first byte of the packet. */
export interface Field {
  name: string;
  offset: number;
  length: number;
  value: number | string | null;
  meaning: Meaning | null;
  fault: PacketFaultCode | null;
  children: Field[];
}

/** Records fields during decoding, so that explanations always match the decoder. */
export interface Trace {
  fields: Field[];
  /** Position of the reader's first byte within the packet. */
  base: number;
}

const MAX_VARINT_BYTES = 5;

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');

/**
 * Reads fields in sequence, big-endian; throws `PacketFault`. With a trace it also records their positions,
 * so that decoding and explaining use the same code.
 */
export class FieldReader {
  readonly bytes: Uint8Array;
  offset = 0;
  private readonly base: number;
  private readonly stack: Field[][];
  /** The recorded fields; null without a trace. */
  private fields: Field[] | null;

  constructor(bytes: Uint8Array, trace?: Trace) {
    this.bytes = bytes;
    this.base = trace ? trace.base : 0;
    this.fields = trace ? trace.fields : null;
    this.stack = [];
  }

  get left(): number {
    return this.bytes.length - this.offset;
  }

  /** Reads an unsigned number of 1 to 8 bytes. Above 2^53 − 1 it is out of range. */
  uint(name: string, length: number): number {
    const start = this.offset;
    if (this.left < length) this.fail('truncated', name, start);
    let value = 0;
    for (let i = 0; i < length; i++) value = value * 256 + (this.bytes[start + i] as number);
    this.offset = start + length;
    if (value > Number.MAX_SAFE_INTEGER) this.fail('out-of-range', name, start);
    if (this.fields !== null) this.note(name, start, value);
    return value;
  }

  /** Reads a varint (LEB128) of at most 5 bytes, below 2^35. */
  varint(name: string): number {
    const start = this.offset;
    const value = this.leb128(name);
    if (this.fields !== null) this.note(name, start, value);
    return value;
  }

  /** Reads a zigzag-encoded varint: 0, −1, 1, −2, … are encoded as 0, 1, 2, 3, … */
  zigzag(name: string): number {
    const start = this.offset;
    const raw = this.leb128(name);
    // Division is used, because a shift is limited to 32 bits.
    const value = raw % 2 === 0 ? raw / 2 : -(raw + 1) / 2;
    if (this.fields !== null) this.note(name, start, value);
    return value;
  }

  raw(name: string, length: number): Uint8Array {
    const start = this.offset;
    if (this.left < length) this.fail('truncated', name, start);
    this.offset = start + length;
    const value = this.bytes.subarray(start, this.offset);
    if (this.fields !== null) this.note(name, start, hex(value));
    return value;
  }

  /** Reads a keyword that is encoded as one byte. */
  word<T extends string>(name: string, words: Record<T, number>): T {
    const start = this.offset;
    const word = wordOf(words, this.uint(name, 1));
    if (word === null) {
      this.mark('unknown-word');
      throw new PacketFault('unknown-word');
    }
    this.explain(start, { kind: 'word', value: word });
    return word;
  }

  /** Reads a time of 6 bytes: milliseconds since 1970. */
  time(name: string): number {
    const start = this.offset;
    const value = this.uint(name, 6);
    this.explain(start, { kind: 'time', value });
    return value;
  }

  /** Sets the meaning of the field that started at `start`. */
  explain(start: number, meaning: Meaning): void {
    const field = this.fields?.at(-1);
    if (field && field.offset === this.base + start) field.meaning = meaning;
  }

  /** Marks an error at the last field. */
  mark(fault: PacketFaultCode): void {
    const field = this.fields?.at(-1);
    if (field) field.fault = fault;
  }

  /** Rejects the last field by throwing its error. */
  refuse(fault: PacketFaultCode): never {
    this.mark(fault);
    throw new PacketFault(fault);
  }

  get traced(): boolean {
    return this.fields !== null;
  }

  /** Starts a field that contains the following fields until `close`. */
  open(name: string): void {
    if (this.fields === null) return;
    this.note(name, this.offset, null);
    this.stack.push(this.fields);
    this.fields = (this.fields.at(-1) as Field).children;
  }

  close(): void {
    const parent = this.stack.pop();
    if (!parent) return;
    this.fields = parent;
    const field = parent.at(-1) as Field;
    field.length = this.base + this.offset - field.offset;
  }

  /** Closes fields that an error left open. */
  closeAll(): void {
    while (this.stack.length > 0) this.close();
  }

  /** Rejects bytes that remain after the last field. */
  end(): void {
    if (this.left === 0) return;
    const start = this.offset;
    this.raw('trailing', this.left);
    this.offset = start;
    this.refuse('trailing-bytes');
  }

  private leb128(name: string): number {
    const start = this.offset;
    const { bytes } = this;
    const first = bytes[start];
    if (first !== undefined && first < 0x80) {
      this.offset = start + 1;
      return first;
    }
    let value = 0;
    let factor = 1;
    for (let i = start; i < start + MAX_VARINT_BYTES; i++) {
      const byte = bytes[i];
      if (byte === undefined) this.fail('truncated', name, start);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        this.offset = i + 1;
        return value;
      }
      factor *= 128;
    }
    this.offset = start + MAX_VARINT_BYTES;
    return this.fail('out-of-range', name, start);
  }

  private note(name: string, start: number, value: number | string | null): void {
    (this.fields as Field[]).push({
      name,
      offset: this.base + start,
      length: this.offset - start,
      value,
      meaning: null,
      fault: null,
      children: [],
    });
  }

  private fail(fault: PacketFaultCode, name: string, start: number): never {
    if (fault === 'truncated') this.offset = this.bytes.length;
    if (this.fields !== null) {
      this.note(name, start, null);
      this.mark(fault);
    }
    throw new PacketFault(fault);
  }
}
