/**
 * Adaptive Rice coding: a number takes about as many bits as the recent numbers of its stream. The first part is its
 * quotient in ones, the second its remainder in `k` bits; `k` follows the mean of the stream.
 */
export interface BitWriter {
  /** Writes an integer from 0 to 2^31 - 1. */
  unsigned(stream: BitStream, value: number): void;
  /** Writes an integer within ±2^30. */
  signed(stream: BitStream, value: number): void;
  bytes(): Uint8Array;
}

export interface BitReader {
  unsigned(stream: BitStream): number;
  signed(stream: BitStream): number;
}

/** State of one stream of similar numbers; writer and reader must use the same ones in the same order. */
export interface BitStream {
  sum: number;
  count: number;
}

/** A quotient that is not smaller is replaced by the number itself in 31 bits. */
const LONGEST_QUOTIENT = 16;
const WHOLE_BITS = 31;
/** The mean forgets half of the past after this many numbers. */
const MEMORY = 16;

export const bitStream = (): BitStream => ({ sum: 4, count: 1 });

/** Powers of two, which `**` computes slowly. */
const POWERS = Float64Array.from({ length: WHOLE_BITS + 1 }, (_, bits) => 2 ** bits);

/**
 * The largest number of bits, at most `WHOLE_BITS`, for which `count * 2 ** bits` is not more than `sum`; 0 if there is none.
 * The quotient of a `sum` below that product is never rounded up to the power of two: the largest such number is less than the
 * product by at least one part in 2 ** 53, and the power of two less that part is a number itself.
 */
function remainderBits({ sum, count }: BitStream): number {
  const quotient = Math.min(sum / count, POWERS[WHOLE_BITS] as number);
  return Math.min(WHOLE_BITS, Math.max(0, 31 - Math.clz32(quotient)));
}

function remember(stream: BitStream, value: number): void {
  stream.sum += value;
  stream.count++;
  if (stream.count < MEMORY) return;
  stream.sum /= 2;
  stream.count /= 2;
}

export function createBitWriter(): BitWriter {
  const bytes: number[] = [];
  let free = 0;

  function write(value: number, bits: number): void {
    for (let bit = bits - 1; bit >= 0; bit--) {
      if (free === 0) {
        bytes.push(0);
        free = 8;
      }
      free--;
      if ((value >>> bit) & 1) bytes[bytes.length - 1] = (bytes.at(-1) as number) | (1 << free);
    }
  }

  function unsigned(stream: BitStream, value: number): void {
    const bits = remainderBits(stream);
    const quotient = Math.floor(value / 2 ** bits);
    if (quotient < LONGEST_QUOTIENT) {
      write(2 ** (quotient + 1) - 2, quotient + 1);
      write(value, bits);
    } else {
      write(2 ** LONGEST_QUOTIENT - 1, LONGEST_QUOTIENT);
      write(value, WHOLE_BITS);
    }
    remember(stream, value);
  }

  return {
    unsigned,
    signed: (stream, value) => unsigned(stream, value < 0 ? -2 * value - 1 : 2 * value),
    bytes: () => Uint8Array.from(bytes),
  };
}

/** Reads what a writer wrote. Beyond the end it reads zeros, so that damaged bytes give wrong numbers and no error. */
export function createBitReader(bytes: Uint8Array): BitReader {
  let position = 0;

  function read(bits: number): number {
    let value = 0;
    for (let left = bits; left > 0; ) {
      const free = 8 - (position & 7);
      const taken = Math.min(left, free);
      const part = ((bytes[position >> 3] as number) >> (free - taken)) & ((1 << taken) - 1);
      value = value * (1 << taken) + part;
      position += taken;
      left -= taken;
    }
    return value;
  }

  function bit(): number {
    const value = ((bytes[position >> 3] as number) >> (7 - (position & 7))) & 1;
    position++;
    return value;
  }

  function unsigned(stream: BitStream): number {
    const bits = remainderBits(stream);
    let quotient = 0;
    while (quotient < LONGEST_QUOTIENT && bit() === 1) quotient++;
    const value =
      quotient === LONGEST_QUOTIENT ? read(WHOLE_BITS) : quotient * (POWERS[bits] as number) + read(bits);
    remember(stream, value);
    return value;
  }

  return {
    unsigned,
    signed(stream) {
      const folded = unsigned(stream);
      return folded % 2 === 1 ? -(folded + 1) / 2 : folded / 2;
    },
  };
}
