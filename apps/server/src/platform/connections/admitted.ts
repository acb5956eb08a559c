import type { Server, Socket } from 'node:net';
import type { Admission, ConnectionLimit } from './connection-limits.ts';

/**
 * Admissions of connections by local and remote address, because over TLS two sockets represent one
 * connection.
 */
const admissions = new Map<string, Admission>();

/** Connections over which no request has arrived yet, by local and remote address. */
const silent = new Map<string, { server: Server; socket: Socket }>();

type Ends = Pick<Socket, 'remoteAddress' | 'remotePort' | 'localAddress' | 'localPort'>;

const endsOf = ({ remoteAddress, remotePort, localAddress, localPort }: Ends) =>
  `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;

/** Closes connections above the limit before anything is read from them; over TLS, before the handshake. */
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

/** Returns how a connection was admitted; undefined if it was refused. */
export function admissionOf(socket: Ends): Admission | undefined {
  return admissions.get(endsOf(socket));
}

/** Records that a request has arrived over the connection. */
export function noteRequest(socket: Ends): void {
  silent.delete(endsOf(socket));
}

/**
 * Closes the connections of a server over which no request has arrived, including those in a TLS handshake.
 * Browsers open some in advance, and the `close` of a server would wait for them forever.
 */
export function hangUpSilent(closing: Server): void {
  for (const { server, socket } of silent.values()) if (server === closing) socket.destroy();
}
