import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A connection to a server that can be cut, as by a cable that is pulled. */
export interface NetworkLine {
  /** Address by which the server is reached over this line. */
  url: string;
  /** Breaks all connections and refuses new ones. */
  cut(): void;
  restore(): void;
  stop(): Promise<void>;
}

/** Forwards TCP connections to the server at `target`, on a port of its own. */
export async function startNetworkLine(target: string): Promise<NetworkLine> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    // A broken connection is what this line is for; the other end notices by itself.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(Number(port), hostname);
    keep(near);
    keep(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    restore: () => {
      isCut = false;
    },
    stop: () =>
      new Promise<void>((closed) => {
        cut();
        server.close(() => closed());
      }),
  };
}
