import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileStore, StoreAway } from './file-store.ts';

/** Creates a storage in a folder of this machine. Several processes may share the folder. */
export function createLocalStore(folder: string): FileStore {
  const pathOf = (key: string) => join(folder, key);
  return {
    async put(key, path) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // The spool folder is in the same file system, so that the file appears as a whole.
      await rename(path, pathOf(key));
    },
    async read(key) {
      try {
        const file = await open(pathOf(key));
        return file.createReadStream();
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw new StoreAway((error as Error).message, { cause: error });
      }
    },
    remove: (key) => rm(pathOf(key), { force: true }),
  };
}
