import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { admitConnections, hangUpSilent } from '../connections/admitted.ts';
import type { Certificates } from '../connections/certificates.ts';
import type { ConnectionLimit } from '../connections/connection-limits.ts';

const HANDSHAKE_MS = 20_000;
const SWEEP_EVERY_MS = 50;

export interface HttpsServer {
  port: number;
  /** Stops after waiting for responses in progress. */
  close(): Promise<void>;
}

/** Serves an app over TLS in addition to plain HTTP, including WebSockets. */
export async function listenHttps(
  app: FastifyInstance,
  certificates: Certificates,
  limit: ConnectionLimit,
  { host, port }: { host: string; port: number },
): Promise<HttpsServer> {
  const { server: plain } = app;
  const server = https.createServer({ ...certificates.current(), handshakeTimeout: HANDSHAKE_MS });
  server.requestTimeout = plain.requestTimeout;
  server.headersTimeout = plain.headersTimeout;
  server.keepAliveTimeout = plain.keepAliveTimeout;
  admitConnections(server, limit);
  for (const event of ['request', 'upgrade', 'clientError'])
    server.on(event, (...args: unknown[]) => plain.emit(event, ...args));
  certificates.onRenewed((certificate) => server.setSecureContext(certificate));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      // Connections become idle only when their responses finish, so idle connections are closed repeatedly.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_EVERY_MS);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      hangUpSilent(server);
      await closed;
      clearInterval(sweep);
    },
  };
}
