/** Pseudo-random numbers that are reproducible by their seed (mulberry32). */
export interface Dice {
  /** Returns an integer from 0 to `below` (exclusive). */
  number(below: number): number;
  pick<T>(list: readonly T[]): T;
  bytes(length: number): Buffer;
}

export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const number = (below: number) => Math.floor(next() * below);
  return {
    number,
    pick: (list) => list[number(list.length)] as (typeof list)[number],
    bytes: (length) => Buffer.from(Array.from({ length }, () => number(256))),
  };
}

/** Returns a valid message with random changes: flipped bits, cuts, repetitions, other lengths. */
export function mutated(dice: Dice, valid: Uint8Array): Buffer {
  let bytes = Buffer.from(valid);
  for (let i = dice.number(4); i >= 0 && bytes.length > 0; i--) {
    const at = dice.number(bytes.length);
    switch (dice.number(6)) {
      case 0:
        bytes[at] = (bytes[at] as number) ^ (1 << dice.number(8));
        break;
      case 1:
        bytes[at] = dice.pick([0, 1, 0x7f, 0x80, 0xff]);
        break;
      case 2:
        bytes = bytes.subarray(0, at);
        break;
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at), dice.bytes(1 + dice.number(16)), bytes.subarray(at)]);
        break;
      case 4:
        bytes = Buffer.concat([bytes, bytes.subarray(at)]);
        break;
      default:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + dice.number(8))]);
    }
  }
  return bytes;
}
