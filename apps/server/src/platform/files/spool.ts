import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';

/** An unfinished file that nothing has written to for this time was left by a process that has died. */
const ABANDONED_AFTER_MS = 6 * 3_600_000;
/**
 * Delay of the event loop from which a job pauses: readings, alarms and requests of this process come first.
 */
const BUSY_MS = 25;
const PAUSE_MS = 50;
const MOST_PAUSES = 20;

export interface SpooledFile {
  path: string;
  bytes: number;
  /** SHA-256 in hex. */
  hash: string;
  remove(): Promise<void>;
}

/** Folder of files that are being written. */
export interface Spool {
  /**
   * Writes a stream to a new file. `check` is called after each chunk and may throw to end it. Nothing is left
   * when it throws.
   */
  write(body: AsyncIterable<Uint8Array>, check: () => void): Promise<SpooledFile>;
  /** Deletes files of processes that have died. */
  sweep(now: number): Promise<void>;
}

export function createSpool(folder: string): Spool {
  return {
    async write(body, check) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, randomUUID());
      const remove = () => rm(path, { force: true });
      const hash = createHash('sha256');
      let bytes = 0;
      const file = await open(path, 'wx', 0o600);
      try {
        for await (const chunk of body) {
          check();
          // `writeFile` of an open file writes the whole chunk, where `write` may write a part.
          await file.writeFile(chunk);
          hash.update(chunk);
          bytes += chunk.length;
          await giveWay();
        }
        await file.close();
      } catch (error) {
        await file.close().catch(() => undefined);
        await remove();
        throw error;
      }
      return { path, bytes, hash: hash.digest('hex'), remove };
    },
    async sweep(now) {
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: now }));
        if (now - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true });
      }
    },
  };
}

/** Waits while the event loop of this process is busy with other work, but not for ever. */
async function giveWay(): Promise<void> {
  for (let pauses = 0; pauses < MOST_PAUSES; pauses++) {
    const before = performance.now();
    await setImmediate();
    if (performance.now() - before < BUSY_MS) return;
    await setTimeout(PAUSE_MS);
  }
}
