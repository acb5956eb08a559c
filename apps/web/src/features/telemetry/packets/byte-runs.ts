import type { ExplainedField, ExplainedPacket } from '@isotherm/contracts/packets';

/** A run of adjacent bytes that belong to the same field, or to none. */
export interface ByteRun {
  offset: number;
  bytes: string[];
  /** Index of the field in the list; null for bytes that belong to no field. */
  field: number | null;
  isFault: boolean;
}

/** Returns all fields of the explained packets, in one list. */
export function fieldsOf(packets: readonly ExplainedPacket[]): ExplainedField[] {
  return packets.flatMap(({ fields }) => fields);
}

/**
 * Splits the bytes at the boundaries of fields. If fields overlap, such as an encrypted text and its
 * content, a byte belongs to the last listed field, which is the most specific one.
 */
export function byteRuns(hex: string, fields: readonly ExplainedField[]): ByteRun[] {
  const owner = new Array<number | null>(hex.length / 2).fill(null);
  fields.forEach(({ offset, length }, index) => {
    for (let at = offset; at < Math.min(offset + length, owner.length); at++) owner[at] = index;
  });
  const runs: ByteRun[] = [];
  owner.forEach((field, offset) => {
    const byte = hex.slice(offset * 2, offset * 2 + 2);
    const last = runs.at(-1);
    if (last && last.field === field) last.bytes.push(byte);
    else {
      const isFault = field !== null && fields[field]?.fault !== null;
      runs.push({ offset, bytes: [byte], field, isFault });
    }
  });
  return runs;
}

/** Returns true if one field contains the bytes of the other, or equals it. */
export function covers(outer: ExplainedField, inner: ExplainedField): boolean {
  return outer.offset <= inner.offset && inner.offset + inner.length <= outer.offset + outer.length;
}
