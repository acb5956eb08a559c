import net from 'node:net';
import type { Invalidations } from '../platform/cache/invalidations.ts';
import type { ConnectionLimit } from '../platform/connections/connection-limits.ts';
import { listen } from './listen.ts';
import { createPacketSession, type PacketSession, type SessionParts } from './packet-session.ts';
import { createKeyWatch } from './withdrawn-keys.ts';

/** Number of wrong hellos of an address per minute, after which it is blocked until the end of the minute. */
const MAX_REFUSED_PER_MINUTE = 100;
const SWEEP_EVERY_MS = 500;

export interface TcpGateway {
  listen(host: string, port: number): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Creates the gateway for gateway packets over TCP (docs/gateway-packet.md). Packets are acknowledged after
 * the commit that contains their data.
 */
export function createTcpGateway(
  parts: Omit<SessionParts, 'onRefused' | 'onKnown' | 'keys'> & {
    invalidations: Invalidations;
    limit: ConnectionLimit;
  },
): TcpGateway {
  const { metrics, clock, limit } = parts;
  const keys = createKeyWatch(parts.invalidations, parts.ingest.refresh);
  const sessions = new Set<PacketSession>();
  const refused = new Map<string, number>();
  metrics.gauge('isotherm_packet_connections', 'Gateways connected by TCP', () => sessions.size);
  let minute = 0;

  function countRefused(address: string): void {
    metrics.refusedLogins.inc({ gateway: 'tcp' });
    refused.set(address, (refused.get(address) ?? 0) + 1);
  }

  function isWelcome(address: string): boolean {
    const now = Math.floor(clock.now() / 60_000);
    if (now !== minute) refused.clear();
    minute = now;
    return (refused.get(address) ?? 0) < MAX_REFUSED_PER_MINUTE;
  }

  const server = net.createServer({ noDelay: true, keepAlive: true }, (socket) => {
    const address = socket.remoteAddress ?? '';
    // An error such as a reset ends the connection; the `close` handler cleans up.
    socket.on('error', () => socket.destroy());
    const admission = isWelcome(address) ? limit.admit(address) : null;
    if (!admission) return void socket.destroy();
    const session = createPacketSession(socket, address, {
      ...parts,
      keys,
      onRefused: () => countRefused(address),
      onKnown: admission.prove,
    });
    sessions.add(session);
    socket.on('close', () => {
      sessions.delete(session);
      admission.release();
    });
  });
  const sweep = setInterval(() => {
    const now = clock.now();
    for (const session of sessions) session.sweep(now);
  }, SWEEP_EVERY_MS);

  return {
    listen: (host, port) => listen(server, host, port),
    async stop() {
      clearInterval(sweep);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([...sessions].map((session) => session.drain()));
      await closed;
    },
  };
}
