/** A value as JSON holds it, with keys in order: two that are equal read equal. */
export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

const MAX_TEXT = 4_000;

/**
 * What never enters an entry, whatever it is called around it: `totp_secret`, `newPassword`, `tokenHash`. Names
 * are compared in lower case, without `_` and `-`.
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

/** Flags such as `mustChangePassword` only sound like secrets. */
function isSecret(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return false;
  const bare = name.toLowerCase().replaceAll(/[_-]/g, '');
  return SECRET_NAMES.has(bare) || SECRET_ENDINGS.test(bare);
}

/** Text that PostgreSQL stores as it is: without NUL and halves of characters, and not without end. */
export function storable(text: string, most = MAX_TEXT): string {
  return Buffer.from(text.replaceAll('\u0000', '').slice(0, most)).toString('utf8');
}

/** The value as an entry keeps it: JSON only, keys sorted, secrets left out. */
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

/** What is hashed: the same text for the same value, whatever order its keys came in. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, held: unknown) =>
    held !== null && typeof held === 'object' && !Array.isArray(held)
      ? Object.fromEntries(Object.entries(held).sort(([a], [b]) => (a < b ? -1 : 1)))
      : held,
  );
}
