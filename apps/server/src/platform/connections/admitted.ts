import type { Server, Socket } from 'node:net';
import type { Admission, ConnectionLimit } from './connection-limits.ts';

/** Admissions by both addresses of the connection: over TLS, two sockets represent one connection. */
const admissions = new Map<string, Admission>();

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
    socket.once('close', () => {
      admission.release();
      if (admissions.get(ends) === admission) admissions.delete(ends);
    });
  });
}

/** How a connection was admitted; undefined if it was refused. */
export function admissionOf(socket: Ends): Admission | undefined {
  return admissions.get(endsOf(socket));
}
