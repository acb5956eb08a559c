import { type AddressInfo, createServer } from 'node:net';
import { OperatorError } from './settings.ts';

const NEARBY = 50;

/**
 * Checks that a port is free.
 * @throws {OperatorError} if `port` is in use; the message names the variable that changes it.
 */
export async function requireFreePort(host: string, port: number, variable: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => server.close(() => resolve()));
  }).catch(async (error: NodeJS.ErrnoException) => {
    throw await explain(error, host, port, variable);
  });
}

/** Returns the nearest free port above `from`, or any free one. */
async function freePortAfter(host: string, from: number): Promise<number> {
  const nearby = Array.from({ length: NEARBY }, (_, i) => from + 1 + i).filter((port) => port <= 65_535);
  for (const port of [...nearby, 0]) {
    const server = createServer();
    const taken = await new Promise<number | undefined>((resolve) => {
      server.once('error', () => resolve(undefined));
      server.listen({ host, port }, () => resolve((server.address() as AddressInfo).port));
    });
    if (taken === undefined) continue;
    await new Promise((resolve) => server.close(resolve));
    return taken;
  }
  return from;
}

async function explain(
  error: NodeJS.ErrnoException,
  host: string,
  port: number,
  variable: string,
): Promise<Error> {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} on ${host} is in use by another program. Set ${variable} to another one; ${await freePortAfter(host, port)} is free.`,
      );
    case 'EACCES':
      return new OperatorError(
        `Port ${port} needs rights that this account does not have. Set ${variable} to one above 1023; ${await freePortAfter(host, port + 8000)} is free.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(`HOST is "${host}", which is no address of this machine.`);
    default:
      return error;
  }
}
