import type { FastifyRequest } from 'fastify';

/** Returns the body of a request as bytes, empty if it has none (`bodiesAsBytes`). */
export const bodyOf = ({ body }: FastifyRequest): Buffer => (Buffer.isBuffer(body) ? body : Buffer.alloc(0));
