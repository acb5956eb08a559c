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
   * Returns the claims of a request before its body is read: its time (epoch ms) and its signature, not yet
   * compared with the body. Throws `signature.missing|skewed`.
   */
  claims(request: FastifyRequest): Claims;
  /**
   * Verifies the signature. Throws `signature.missing|wrong|skewed`, and `signature.replayed` if a request
   * that is valid only once is repeated.
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

/** Creates the check of signatures (decision 14); requests that change something are valid only once. */
export function createRequestVerifier(salt: string, usedTokens: UsedTokens, clock: Clock): RequestVerifier {
  function claims(request: FastifyRequest): Claims {
    const signature = headerOf(request, HEADER.signature);
    // An absent or empty header must not become a number; Number('') would be 0, the year 1970.
    const timestamp = Number(headerOf(request, HEADER.timestamp) || Number.NaN);
    if (!signature || !Number.isSafeInteger(timestamp)) throw new AppError('signature.missing');
    if (Math.abs(clock.now() - timestamp) > MAX_SKEW_MS) throw new AppError('signature.skewed');
    return { timestamp, signature };
  }

  return {
    claims,
    async verify(request, parts, once) {
      const { timestamp, signature } = claims(request);
      // This does the same as `requestSignature` of the contracts, in native code.
      const text = signedText(salt, request.method, pathOf(request), parts, timestamp);
      const expected = createHash('sha256').update(text).digest('hex').toUpperCase();
      if (!equalText(signature, expected)) throw new AppError('signature.wrong');
      if (once) {
        // The proof of session is part of a request's identity, because two users may send the same bytes.
        const identity = `${signature}\n${headerOf(request, HEADER.session) ?? ''}`;
        const firstUse = await usedTokens.use(`signature:${identity}`, timestamp + 2 * MAX_SKEW_MS);
        if (!firstUse) throw new AppError('signature.replayed');
      }
      return { timestamp, signature };
    },
  };
}
