/**
 * Writes integers with as few bytes as possible: seven bits per byte, lowest first; the eighth bit marks
 * continuation (LEB128). Signed integers are zigzag-encoded (0, -1, 1, -2, …), so that small numbers stay
 * short. Exact within ±2^52.
 */
export interface VarintWriter {
  unsigned(value: number): void;
  signed(value: number): void;
  /** Writes a number as an 8-byte float. */
  float(value: number): void;
  bytes(): Uint8Array;
}

const LONGEST = 8;
const INT_BITS = 2 ** 31;

export function createVarintWriter(expected: number): VarintWriter {
  let buffer = new Uint8Array(Math.max(16, expected * 2));
  let size = 0;
  function makeRoom(): void {
    if (size + LONGEST <= buffer.length) return;
    const larger = new Uint8Array(buffer.length * 2);
    larger.set(buffer);
    buffer = larger;
  }
  function unsigned(value: number): void {
    makeRoom();
    let rest = value;
    while (rest >= INT_BITS) {
      buffer[size++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      buffer[size++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    buffer[size++] = rest;
  }
  return {
    unsigned,
    signed: (value) => unsigned(value < 0 ? -2 * value - 1 : 2 * value),
    float(value) {
      makeRoom();
      new DataView(buffer.buffer).setFloat64(size, value);
      size += 8;
    },
    bytes: () => buffer.slice(0, size),
  };
}

export interface VarintReader {
  unsigned(): number;
  signed(): number;
  float(): number;
}

export function createVarintReader(bytes: Uint8Array): VarintReader {
  let position = 0;
  function unsigned(): number {
    let byte = bytes[position++] as number;
    if (byte < 128) return byte;
    let value = byte & 127;
    let weight = 128;
    do {
      byte = bytes[position++] as number;
      value += (byte & 127) * weight;
      weight *= 128;
    } while (byte >= 128);
    return value;
  }
  return {
    unsigned,
    signed() {
      const folded = unsigned();
      return folded % 2 === 1 ? -(folded + 1) / 2 : folded / 2;
    },
    float() {
      position += 8;
      return new DataView(bytes.buffer, bytes.byteOffset + position - 8).getFloat64(0);
    },
  };
}
