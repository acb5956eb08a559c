import type { FastifyRequest } from 'fastify';

/** Parses the payload as JSON; returns undefined if it is not JSON. */
export function jsonOf(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Returns the body of a request as bytes, empty if it has none (`bodiesAsBytes`). */
export const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));
