/** A JSON value with sorted keys, so that equal values have equal texts. */
export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

const MAX_TEXT = 4_000;

/**
 * Field names that are never stored in an entry, also as part of a longer name: `totp_secret`,
 * `newPassword`, `tokenHash`. They are compared in lower case, without `_` and `-`.
 */
const SECRET_NAMES = new Set([
  'apikey',
  'authorization',
  'devicekey',
  'key',
  'nonce',
  'onetimecode',
  'otp',
  'pin',
  'privatekey',
  'recoverycodes',
  'salt',
  'sealed',
  'signature',
  'verificationcode',
]);
const SECRET_ENDINGS = /(password|passwords|secret|secrets|token|tokens|hash|cipher|ciphers)$/;

/** Returns whether a field is secret; flags such as `mustChangePassword` are not secrets. */
function isSecret(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return false;
  const bare = name.toLowerCase().replaceAll(/[_-]/g, '');
  return SECRET_NAMES.has(bare) || SECRET_ENDINGS.test(bare);
}

/** Returns text that PostgreSQL can store: without NUL and unpaired surrogates, and of limited length. */
export function storable(text: string, most = MAX_TEXT): string {
  return Buffer.from(text.replaceAll('\u0000', '').slice(0, most)).toString('utf8');
}

/** Returns the value as stored in an entry: JSON only, keys sorted, secrets removed. */
export function plain(value: unknown): Plain {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return storable(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (value instanceof Set) return [...value].map(plain);
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value)
    .filter(([name, held]) => held !== undefined && !isSecret(name, held))
    .map(([name, held]) => [storable(name), plain(held)] as const);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns the text to hash: equal for equal values, in any order of keys. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, held: unknown) =>
    held !== null && typeof held === 'object' && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  );
}
