import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

/**
 * First port to try. It is below the source ports of outgoing connections (from 32768 on Linux, 49152
 * elsewhere), because a free port in that range may be taken before a program listens on it.
 */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const CLAIMS = join(tmpdir(), 'isotherm-test-ports');
const claimed = new Set<number>();

/**
 * Returns a free TCP port of the loopback interface. It is reserved for this process until the process ends,
 * so that parallel tests never get the same port, even before their programs listen.
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

const claimOf = (port: number) => join(CLAIMS, `${port}-${process.pid}`);

/**
 * Claims a port; false if another running process has claimed it. Each process writes a file of its own
 * before it looks for others, so that of two processes that claim a port at the same time, at least one sees
 * the other.
 */
function claim(port: number): boolean {
  if (claimed.has(port)) return false;
  const own = claimOf(port);
  writeFileSync(own, '');
  const others = readdirSync(CLAIMS).filter((name) => name.startsWith(`${port}-`) && name !== basename(own));
  if (others.some(isHeld)) {
    rmSync(own, { force: true });
    return false;
  }
  if (claimed.size === 0) process.once('exit', releaseAll);
  claimed.add(port);
  return true;
}

/** Returns whether a claim is valid. The claim of a process that has ended is removed. */
function isHeld(name: string): boolean {
  try {
    process.kill(Number(name.slice(name.indexOf('-') + 1)), 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') return true;
    rmSync(join(CLAIMS, name), { force: true });
    return false;
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
