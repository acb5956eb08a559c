function table(bits: 8 | 16, polynomial: number): Uint16Array {
  const top = 1 << (bits - 1);
  const mask = bits === 8 ? 0xff : 0xffff;
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let crc = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & top ? polynomial : 0)) & mask;
    return crc;
  });
}

const CRC8 = table(8, 0x07);
const CRC16 = table(16, 0x1021);

/** Computes CRC-8/SMBUS (polynomial 07, initial value 00) of `bytes[from, to)`. */
export function crc8(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0;
  for (let i = from; i < to; i++) crc = CRC8[crc ^ (bytes[i] as number)] as number;
  return crc;
}

/**
 * Computes CRC-16/IBM-3740, often called CCITT-FALSE (polynomial 1021, initial value FFFF), of `bytes[from,
 * to)`.
 */
export function crc16(bytes: Uint8Array, from: number, to: number): number {
  let crc = 0xffff;
  for (let i = from; i < to; i++)
    crc = ((crc << 8) & 0xffff) ^ (CRC16[(crc >> 8) ^ (bytes[i] as number)] as number);
  return crc;
}

/** Returns whether the two bytes at `end` are the CRC of the bytes from `from` to `end`. */
export function isCrcRight(bytes: Uint8Array, from: number, end: number): boolean {
  return crc16(bytes, from, end) === (bytes[end] as number) * 256 + (bytes[end + 1] as number);
}
