import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { defineRoute, id, moment, pageOf, paging } from './route.ts';

/** Largest number of bytes that are explained. */
export const MAX_EXPLAINED_BYTES = 65_536;
/** Largest number of fields in an explanation. A packet with ten thousand readings has more. */
export const MAX_EXPLAINED_FIELDS = 1_500;

/**
 * Bytes in any notation: hex digits with or without `0x`, spaces, line ends, commas, colons, dashes. They
 * are normalised to hex digits.
 */
export const packetHex = z
  .string()
  .max(MAX_EXPLAINED_BYTES * 8)
  .transform((text) => text.replace(/0x|[\s,;:_-]/gi, '').toLowerCase())
  .refine((hex) => hex.length > 0, { error: 'required' })
  .refine((hex) => /^([0-9a-f]{2})*$/.test(hex), { error: 'hex' })
  .refine((hex) => hex.length <= MAX_EXPLAINED_BYTES * 2, { error: 'too-long' });

const meaning = z.discriminatedUnion('kind', [
  /** A time in epoch milliseconds. */
  z.object({ kind: z.literal('time'), value: z.number() }),
  /** A keyword of the protocol, such as `readings`. */
  z.object({ kind: z.literal('word'), value: z.string() }),
  z.object({
    kind: z.literal('quantity'),
    value: z.number(),
    /** Null for a value that is not an indicator, such as latitude. */
    indicator: z.enum(INDICATOR_NAMES).nullable(),
  }),
]);

/** A field of a packet. Its nested fields follow it, one level deeper. */
export const explainedField = z.object({
  name: z.string(),
  level: z.number().int(),
  /** Position of the first byte of the field among all bytes. */
  offset: z.number().int(),
  length: z.number().int(),
  value: z.union([z.number(), z.string()]).nullable(),
  meaning: meaning.nullable(),
  fault: z.string().nullable(),
});
export type ExplainedField = z.output<typeof explainedField>;

export const explainedPacket = z.object({
  kind: z.enum(['packet', 'garbage']),
  offset: z.number().int(),
  length: z.number().int(),
  fault: z.string().nullable(),
  fields: z.array(explainedField),
  /** The decrypted text and its position. The bytes that were sent are encrypted. */
  opened: z.object({ offset: z.number().int(), hex: z.string() }).nullable(),
});
export type ExplainedPacket = z.output<typeof explainedPacket>;

const explanation = z.object({
  hex: z.string(),
  packets: z.array(explainedPacket),
  /** Number of fields that were left out because of `MAX_EXPLAINED_FIELDS`. */
  omitted: z.number().int(),
});
export type Explanation = z.output<typeof explanation>;

/** A stored packet, or other bytes, that could not be accepted completely. */
export const storedPacket = z.object({
  id: z.number().int(),
  receivedAt: moment,
  gateway: z.enum(['tcp', 'mqtt']),
  deviceNumber: z.string(),
  organizationName: z.string(),
  address: z.string(),
  /** Error code: `packet.<fault>`, or `readings-refused` if only some readings were refused. */
  code: z.string(),
  bytes: z.number().int(),
});
export type StoredPacket = z.output<typeof storedPacket>;

export const listPackets = defineRoute({
  name: 'listPackets',
  method: 'GET',
  path: '/packet',
  access: 'management-packets:view',
  summary: 'Gateway packets that could not be taken whole, kept for 30 days',
  query: z.object({
    ...paging,
    /** Search text for device number, address or error code. */
    search: z.string().max(100).default(''),
    gateway: z.enum(['tcp', 'mqtt']).optional(),
    sort: z.enum(['receivedAt']).default('receivedAt'),
    order: z.enum(['asc', 'desc']).default('desc'),
  }),
  response: pageOf(storedPacket),
});

/**
 * Explains the fields of a packet. Encrypted packets of the user's own and subordinate devices are decrypted
 * if the user has `management-packets:decrypt`.
 */
export const explainPacket = defineRoute({
  name: 'explainPacket',
  method: 'POST',
  path: '/packet/explain',
  access: 'management-packets:view',
  summary: 'What stands in these bytes, field by field',
  body: z.object({ hex: packetHex }),
  response: explanation,
});

/** Reads a stored packet. Throws `packet.not_found`. */
export const getPacket = defineRoute({
  name: 'getPacket',
  method: 'GET',
  path: '/packet/:id',
  access: 'management-packets:view',
  summary: 'A packet that was kept, field by field',
  params: z.object({ id }),
  response: explanation.extend({ stored: storedPacket }),
});
