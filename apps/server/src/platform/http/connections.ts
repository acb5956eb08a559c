import proxyAddr from '@fastify/proxy-addr';
import type { FastifyRequest } from 'fastify';
import { admissionOf } from '../connections/admitted.ts';
import { type ConnectionLimit, createConnectionLimit } from '../connections/connection-limits.ts';

/** The limit for HTTP: behind a trusted proxy there are many callers, which the proxy has to tell apart. */
export function createHttpLimit(most: number, trustProxy: false | number | string[]): ConnectionLimit {
  const isProxy = Array.isArray(trustProxy) ? proxyAddr.compile(trustProxy) : () => trustProxy !== false;
  return createConnectionLimit({ most, isShared: (address) => isProxy(address, 0) });
}

/** Called where it is known who calls: the connection no longer counts as a stranger's. */
export function proveCaller(request: FastifyRequest): void {
  admissionOf(request.raw.socket)?.prove();
}
