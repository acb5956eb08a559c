import type { ExplainedField, ExplainedPacket } from '@isotherm/contracts/packets';

/** Neighbouring bytes that belong to one field, or to none. */
export interface ByteRun {
  offset: number;
  bytes: string[];
  /** Place of the field among all that are listed; null for bytes without one. */
  field: number | null;
  isFault: boolean;
}

/** Every field of an explanation, with the packet that it stands in. */
export function fieldsOf(packets: readonly ExplainedPacket[]): ExplainedField[] {
  return packets.flatMap(({ fields }) => fields);
}

/**
 * Cuts the bytes where a field begins or ends. Where fields lie above one another, as a sealed text and what it
 * says, a byte belongs to the one that is listed last: the most exact.
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

/** Whether the bytes of one field are among those of another, or are the same. */
export function covers(outer: ExplainedField, inner: ExplainedField): boolean {
  return outer.offset <= inner.offset && inner.offset + inner.length <= outer.offset + outer.length;
}
