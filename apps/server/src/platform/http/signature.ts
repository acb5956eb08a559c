import { createHash, timingSafeEqual } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import { HEADER, MAX_SKEW_MS, type SignedParts, signedText } from '@isotherm/contracts/signing';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../clock.ts';
import type { UsedTokens } from '../used-tokens.ts';

export interface Claims {
  timestamp: number;
  signature: string;
}

export interface RequestVerifier {
  /**
   * What a request says of itself, before its body is read: its own time (epoch ms) and its signature, not yet
   * compared with the body. Throws `signature.missing|skewed`.
   */
  claims(request: FastifyRequest): Claims;
  /**
   * Throws `signature.missing|wrong|skewed`, and `signature.replayed` for a request that is taken once.
   */
  verify(request: FastifyRequest, parts: SignedParts, once: boolean): Promise<Claims>;
}

export const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] as string;

export function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

export function equalText(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(left as Buffer, right as Buffer);
}

/** Checks signatures as decision 14 lays down; what changes something is taken once. */
export function createRequestVerifier(salt: string, usedTokens: UsedTokens, clock: Clock): RequestVerifier {
  function claims(request: FastifyRequest): Claims {
    const signature = headerOf(request, HEADER.signature);
    // Absent or empty is no number at all, whereas Number('') would be 1970.
    const timestamp = Number(headerOf(request, HEADER.timestamp) || Number.NaN);
    if (!signature || !Number.isSafeInteger(timestamp)) throw new AppError('signature.missing');
    if (Math.abs(clock.now() - timestamp) > MAX_SKEW_MS) throw new AppError('signature.skewed');
    return { timestamp, signature };
  }

  return {
    claims,
    async verify(request, parts, once) {
      const { timestamp, signature } = claims(request);
      // As `requestSignature` of the contracts, in native code.
      const text = signedText(salt, request.method, pathOf(request), parts, timestamp);
      const expected = createHash('sha256').update(text).digest('hex').toUpperCase();
      if (!equalText(signature, expected)) throw new AppError('signature.wrong');
      if (once) {
        // The proof of session belongs to the identity of a request: two users may send the same bytes.
        const identity = `${signature}\n${headerOf(request, HEADER.session) ?? ''}`;
        const firstUse = await usedTokens.use(`signature:${identity}`, timestamp + 2 * MAX_SKEW_MS);
        if (!firstUse) throw new AppError('signature.replayed');
      }
      return { timestamp, signature };
    },
  };
}
