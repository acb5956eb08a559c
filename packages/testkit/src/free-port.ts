import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Below the range of source ports for outgoing connections (from 32768 on Linux, 49152 elsewhere), because a
 * free port in that range may be taken before a program listens on it.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const CLAIMS = join(tmpdir(), 'isotherm-test-ports');
const claimed = new Set<number>();

/**
 * A free TCP port of the loopback interface, reserved for this process until it ends, so that parallel tests
 * never get the same port, even before their programs listen.
 */
export async function freePort(): Promise<number> {
  mkdirSync(CLAIMS, { recursive: true });
  for (let attempt = 0; attempt < PORTS; attempt++) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (!claim(port)) continue;
    if (await isFree(port)) return port;
  }
  throw new Error(`no free port from ${FIRST_PORT} on`);
}

const claimOf = (port: number) => join(CLAIMS, String(port));

/** False if a running process has claimed the port. */
function claim(port: number): boolean {
  try {
    writeFileSync(claimOf(port), String(process.pid), { flag: 'wx' });
  } catch {
    if (!isAbandoned(port)) return false;
    rmSync(claimOf(port), { force: true });
    return claim(port);
  }
  if (claimed.size === 0) process.once('exit', releaseAll);
  claimed.add(port);
  return true;
}

function isAbandoned(port: number): boolean {
  try {
    const pid = Number(readFileSync(claimOf(port), 'utf8'));
    // Empty while the other process is writing its id.
    if (pid === 0) return false;
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function releaseAll(): void {
  for (const port of claimed) rmSync(claimOf(port), { force: true });
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
