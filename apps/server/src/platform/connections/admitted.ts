import type { Server, Socket } from 'node:net';
import type { Admission, ConnectionLimit } from './connection-limits.ts';

/** Admissions by both addresses of the connection: over TLS, two sockets represent one connection. */
const admissions = new Map<string, Admission>();

/** Connections that have brought no request yet, by both ends. */
const silent = new Map<string, { server: Server; socket: Socket }>();

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Ends) =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;

/** Closes connections above the limit before anything is read from them: over TLS, before the handshake. */
export function admitConnections(server: Server, limit: ConnectionLimit): void {
  server.on('connection', (socket: Socket) => {
    const admission = limit.admit(socket.remoteAddress ?? '');
    if (!admission) return void socket.destroy();
    const ends = endsOf(socket);
    admissions.set(ends, admission);
    silent.set(ends, { server, socket });
    socket.once('close', () => {
      admission.release();
      if (admissions.get(ends) === admission) admissions.delete(ends);
      if (silent.get(ends)?.socket === socket) silent.delete(ends);
    });
  });
}

/** How a connection was admitted; undefined if it was refused. */
export function admissionOf(socket: Ends): Admission | undefined {
  return admissions.get(endsOf(socket));
}

/** The connection has brought a request. */
export function noteRequest(socket: Ends): void {
  silent.delete(endsOf(socket));
}

/**
 * Hangs up on the connections of a server that have brought no request, those in a TLS handshake included. Browsers open some
 * in advance; the `close` of a server would wait for them without end.
 */
export function hangUpSilent(closing: Server): void {
  for (const { server, socket } of silent.values()) if (server === closing) socket.destroy();
}
