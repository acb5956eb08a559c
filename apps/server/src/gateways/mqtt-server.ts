import net from 'node:net';
import tls from 'node:tls';
import { admissionOf, admitConnections, hangUpSilent } from '../platform/connections/admitted.ts';
import type { Certificates } from '../platform/connections/certificates.ts';
import type { ConnectionLimit } from '../platform/connections/connection-limits.ts';
import { listen } from './listen.ts';
import { type MqttApplication, type MqttConnection, REASON, serveMqtt } from './mqtt-connection.ts';

/** Maximum time from the connection to a CONNECT with valid credentials. */
const HANDSHAKE_MS = 20_000;
const LOOK_EVERY_MS = 2_000;
/** TCP keep-alive interval, which detects a vanished peer even if it uses no MQTT keep-alive. */
const TCP_KEEP_ALIVE_MS = 60_000;

export interface MqttServer {
  listen(host: string, port: number): Promise<number>;
  /** Also listens with TLS. */
  listenTls(certificates: Certificates, host: string, port: number): Promise<number>;
  stop(): Promise<void>;
}

/**
 * Creates an MQTT 3.1.1 and 5 server for devices. It does not route between clients: their messages go to
 * the application, and the application sends to single clients.
 */
export function createMqttServer<S>(
  application: MqttApplication<S>,
  maxPacketBytes: number,
  limit: ConnectionLimit,
  onFault: (error: Error, connection: MqttConnection) => void,
): MqttServer {
  const connections = new Set<MqttConnection>();
  const named = new Map<string, MqttConnection>();

  function serve(socket: net.Socket): void {
    const admission = admissionOf(socket);
    if (!admission) return void socket.destroy();
    const connection = serveMqtt({
      socket,
      application,
      maxPacketBytes,
      opened: admission.prove,
      takeOver(name, taker) {
        named.get(name)?.close(REASON.sessionTakenOver);
        named.set(name, taker);
      },
      closed(gone) {
        connections.delete(gone);
        if (gone.name !== null && named.get(gone.name) === gone) named.delete(gone.name);
      },
      onFault: (error) => onFault(error, connection),
    });
    connections.add(connection);
  }

  const options = { noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
  const servers: net.Server[] = [];
  const listeners = { plain: 'connection', tls: 'secureConnection' } as const;

  function listenOn(server: net.Server, kind: keyof typeof listeners, host: string, port: number) {
    admitConnections(server, limit);
    server.on(listeners[kind], serve);
    servers.push(server);
    return listen(server, host, port);
  }

  const look = setInterval(() => {
    const now = performance.now();
    for (const connection of connections)
      if (connection.isOverdue(now, HANDSHAKE_MS)) connection.close(REASON.keepAliveTimeout);
  }, LOOK_EVERY_MS);
  look.unref();

  return {
    listen: (host, port) => listenOn(net.createServer(options), 'plain', host, port),
    listenTls(certificates, host, port) {
      const server = tls.createServer({
        ...options,
        ...certificates.current(),
        handshakeTimeout: HANDSHAKE_MS,
      });
      certificates.onRenewed((certificate) => server.setSecureContext(certificate));
      return listenOn(server, 'tls', host, port);
    },
    async stop() {
      clearInterval(look);
      const closed = servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve())));
      for (const connection of connections) connection.close(REASON.shuttingDown);
      // Connections whose peer does not read, and connections in a TLS handshake, are closed explicitly,
      // because they never finish by themselves.
      setImmediate(() => servers.forEach(hangUpSilent));
      await Promise.all(closed);
    },
  };
}
