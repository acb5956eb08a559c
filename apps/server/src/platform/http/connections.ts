import type { Socket } from 'node:net';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  type Admission,
  type ConnectionLimit,
  createConnectionLimit,
} from '../connections/connection-limits.ts';

const admissions = new WeakMap<Socket, Admission>();

/** The limit for HTTP: behind a trusted proxy there are many callers, which the proxy has to tell apart. */
export function createHttpLimit(most: number, trustProxy: false | number | string[]): ConnectionLimit {
  const isProxy = Array.isArray(trustProxy) ? proxyAddr.compile(trustProxy) : () => trustProxy !== false;
  return createConnectionLimit({ most, isShared: (address) => isProxy(address, 0) });
}

/** Hangs up on connections above the limit, before anything is read from them. */
export function limitConnections(app: FastifyInstance, limit: ConnectionLimit): void {
  app.server.on('connection', (socket: Socket) => {
    const admission = limit.admit(socket.remoteAddress ?? '');
    if (!admission) return void socket.destroy();
    admissions.set(socket, admission);
    socket.once('close', admission.release);
  });
}

/** Called where it is known who calls: the connection no longer counts as a stranger's. */
export function proveCaller(request: FastifyRequest): void {
  admissions.get(request.raw.socket)?.prove();
}
