import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

/** Request headers of requirements §7, with the changes of decision 14. */
export const HEADER = {
  timestamp: 'x-timestamp',
  language: 'x-language',
  username: 'x-username',
  session: 'x-session',
  signature: 'x-signature',
} as const;

/**
 * Largest difference between the time of a request and the server's clock. A request outside this range is
 * refused (decision 14).
 */
export const MAX_SKEW_MS = 5 * 60_000;

/** The parts of a request that are signed: its query, and its body as sent. */
export interface SignedParts {
  query: Iterable<readonly [string, string]>;
  /** JSON text as sent, or '' without a JSON body. */
  json: string;
  /** Fields of a multipart body; a file is represented by the `fileDigest` of its bytes. */
  fields: Iterable<readonly [string, string]>;
}

/** Returns the value of a file field that is signed instead of its bytes. */
export function fileDigest(bytes: Uint8Array): string {
  return `sha256:${bytesToHex(sha256(bytes))}`;
}

/** Computes the SHA-256 of a file that is read in portions. */
export function createDigest(): { update(bytes: Uint8Array): void; hex(): string } {
  const hash = sha256.create();
  return { update: (bytes) => void hash.update(bytes), hex: () => bytesToHex(hash.digest()) };
}

/**
 * Returns the sorted parameters of a request as one line: `key=value` joined by `&`, keys and values
 * percent-encoded, sorted by key, then by value. A JSON body counts as one parameter named `$json`.
 */
export function canonicalParameters(parts: SignedParts): string {
  const pairs = [...parts.query, ...parts.fields].map(
    ([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`,
  );
  if (parts.json !== '') pairs.push(`$json=${encodeURIComponent(parts.json)}`);
  return pairs.sort().join('&');
}

/** Returns the text from which `x-signature` is computed. */
export function signedText(
  salt: string,
  method: string,
  path: string,
  parts: SignedParts,
  timestampMs: number,
): string {
  return [salt, method.toUpperCase(), path, canonicalParameters(parts), String(timestampMs)].join('\n');
}

/**
 * Returns the header `x-signature`: upper-case SHA-256 over salt, method, path, sorted parameters and
 * timestamp.
 */
export function requestSignature(
  salt: string,
  method: string,
  path: string,
  parts: SignedParts,
  timestampMs: number,
): string {
  return bytesToHex(sha256(utf8ToBytes(signedText(salt, method, path, parts, timestampMs)))).toUpperCase();
}

/**
 * Returns the header `x-session`: HMAC-SHA-256 with the session token as key. The token itself is never sent
 * after login. The HMAC covers the signature and thereby method and parameters. Otherwise a recorded header
 * could be reused with another body, because the salt is public (docs/decisions/0004).
 */
export function sessionProof(
  token: string,
  path: string,
  username: string,
  timestampMs: number,
  signature: string,
): string {
  const text = [path, username, timestampMs, signature].join('\n');
  return bytesToHex(hmac(sha256, utf8ToBytes(token), utf8ToBytes(text)));
}
