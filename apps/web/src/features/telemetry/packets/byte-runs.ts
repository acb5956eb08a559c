import type { ExplainedField, ExplainedPacket } from '@isotherm/contracts/packets';

/** Adjacent bytes of the same field, or of none. */
export interface ByteRun {
  offset: number;
  bytes: string[];
  /** Index of the field in the list; null for bytes without a field. */
  field: number | null;
  isFault: boolean;
}

/** All fields of an explanation, with their packet. */
export function fieldsOf(packets: readonly ExplainedPacket[]): ExplainedField[] {
  return packets.flatMap(({ fields }) => fields);
}

/**
 * Splits the bytes at the boundaries of fields. If fields overlap, such as an encrypted text and its content,
 * a byte belongs to the last listed, most specific one.
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

/** Whether one field contains the bytes of another, or equals it. */
export function covers(outer: ExplainedField, inner: ExplainedField): boolean {
  return outer.offset <= inner.offset && inner.offset + inner.length <= outer.offset + outer.length;
}
