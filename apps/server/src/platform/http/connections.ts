import proxyAddr from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import { admissionOf } from '../connections/admitted.ts';
import { type ConnectionLimit, createConnectionLimit } from '../connections/connection-limits.ts';

/**
 * Creates the connection limit for HTTP. A trusted proxy stands for many callers, and has to limit them
 * itself.
 */
export function createHttpLimit(most: number, trustProxy: false | number | string[]): ConnectionLimit {
  const isProxy = Array.isArray(trustProxy) ? proxyAddr.compile(trustProxy) : () => trustProxy !== false;
  return createConnectionLimit({ most, isShared: (address) => isProxy(address, 0) });
}

/** Called when the caller is authenticated: the connection no longer counts as unauthenticated. */
export function proveCaller(request: FastifyRequest): void {
  admissionOf(request.raw.socket)?.prove();
}
