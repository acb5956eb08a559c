/** A statement that uses one of these tables may use no other table (docs/scale.md). */
export const ALONE_IN_STATEMENT: readonly string[] = ['reading', 'sealed_day'];
/** Tables that grow with readings: `channel_id` first in every key, no foreign keys, no triggers. */
export const KEYED_BY_CHANNEL: readonly string[] = [...ALONE_IN_STATEMENT, 'estimated_reading'];
