import net from 'node:net';
import { listen } from './listen.ts';
import { createPacketSession, type PacketSession, type SessionParts } from './packet-session.ts';

const MAX_CONNECTIONS = 20_000;
/** Many gateways stand behind one address of a carrier; few say who they are at the same moment. */
const MAX_CONNECTIONS_PER_ADDRESS = 2_000;
const MAX_STRANGERS_PER_ADDRESS = 500;
/** Wrong greetings of an address in a minute; then it is not listened to until the minute is over. */
const MAX_REFUSED_PER_MINUTE = 100;
const SWEEP_EVERY_MS = 500;

export interface TcpGateway {
  listen(host: string, port: number): Promise<number>;
  stop(): Promise<void>;
}

/** Gateway packets over TCP (docs/gateway-packet.md): acknowledged after the commit that holds what they bring. */
export function createTcpGateway(parts: Omit<SessionParts, 'onRefused'>): TcpGateway {
  const { metrics, clock } = parts;
  const sessions = new Map<PacketSession, string>();
  const perAddress = new Map<string, number>();
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
    if ((refused.get(address) ?? 0) >= MAX_REFUSED_PER_MINUTE) return false;
    const connections = perAddress.get(address) ?? 0;
    if (sessions.size >= MAX_CONNECTIONS || connections >= MAX_CONNECTIONS_PER_ADDRESS) return false;
    if (connections < MAX_STRANGERS_PER_ADDRESS) return true;
    let strangers = 0;
    for (const [session, from] of sessions) if (from === address && !session.isKnown()) strangers++;
    return strangers < MAX_STRANGERS_PER_ADDRESS;
  }

  const server = net.createServer({ noDelay: true, keepAlive: true }, (socket) => {
    const address = socket.remoteAddress ?? '';
    // A reset is the end of a connection, which is told by `close`.
    socket.on('error', () => socket.destroy());
    if (!isWelcome(address)) return socket.destroy();
    const session = createPacketSession(socket, address, {
      ...parts,
      onRefused: () => countRefused(address),
    });
    sessions.set(session, address);
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1);
    socket.on('close', () => {
      sessions.delete(session);
      const left = (perAddress.get(address) as number) - 1;
      if (left === 0) perAddress.delete(address);
      else perAddress.set(address, left);
    });
  });
  const sweep = setInterval(() => {
    const now = clock.now();
    for (const session of sessions.keys()) session.sweep(now);
  }, SWEEP_EVERY_MS);

  return {
    listen: (host, port) => listen(server, host, port),
    async stop() {
      clearInterval(sweep);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([...sessions.keys()].map((session) => session.drain()));
      await closed;
    },
  };
}
