import { createHmac, timingSafeEqual } from 'node:crypto';
import { chinaTime } from '@isotherm/domain/notifications/receipt';

/** How far the time of a signed request may be from ours. */
const CLOCK_TOLERANCE_MS = 10 * 60_000;
const DIGESTS: Readonly<Record<string, string>> = { 'hmac-sha256': 'sha256', hmac: 'md5' };

/** A request of the messaging gateway: its query and its body as it was sent. */
export interface GatewayRequest {
  query: Readonly<Record<string, string>>;
  body: string;
}

/**
 * Signature of the Alibaba gateway (`router/rest`): HMAC in upper-case hex of the sorted query parameters, each as its
 * name and value, followed by the body. Null for an unknown method.
 */
export function gatewaySignature({ query, body }: GatewayRequest, secret: string): string | null {
  const digest = DIGESTS[query.sign_method ?? ''];
  if (!digest) return null;
  const text = Object.keys(query)
    .filter((name) => name !== 'sign')
    .sort()
    .map((name) => `${name}${query[name]}`)
    .join('');
  return createHmac(digest, secret).update(text).update(body).digest('hex').toUpperCase();
}

/** True if a request was signed with the secret, and recently. */
export function isSignedByGateway(request: GatewayRequest, secret: string, now: number): boolean {
  const at = chinaTime(request.query.timestamp ?? null);
  if (secret === '' || at === null || Math.abs(now - at) > CLOCK_TOLERANCE_MS) return false;
  const expected = gatewaySignature(request, secret);
  return expected !== null && isSame(expected, (request.query.sign ?? '').toUpperCase());
}

/** Compares in a time that does not depend on where the texts differ. */
export function isSame(expected: string, given: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}
