import { createServer } from 'node:net';
import { OperatorError } from './settings.ts';

/** @throws {OperatorError} when `port` cannot be had; the sentence names the variable that changes it. */
export async function requireFreePort(host: string, port: number, variable: string): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explain(error, host, port, variable)));
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}

function explain(error: NodeJS.ErrnoException, host: string, port: number, variable: string): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new OperatorError(
        `Port ${port} on ${host} is in use by another program. Choose another one: ${variable}=${nextTo(port)} npm start`,
      );
    case 'EACCES':
      return new OperatorError(
        `Port ${port} needs rights that this account does not have. Choose one above 1023: ${variable}=${port + 8000} npm start`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new OperatorError(`HOST is "${host}", which is no address of this machine.`);
    default:
      return error;
  }
}

function nextTo(port: number): number {
  return port < 65_535 ? port + 1 : port - 1;
}
