import { chmodSync, lstatSync, mkdirSync } from 'node:fs';

/**
 * Ensures that `folder` is a real directory with mode 0700 that belongs to `owner`. Its name in the shared
 * temporary directory is predictable, so a folder that another user has created is refused.
 */
export function makePrivateFolder(folder: string, owner: number): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const ours = found.uid === owner || found.uid === process.getuid?.();
  if (!found.isDirectory() || !ours)
    throw new Error(`${folder} belongs to somebody else; remove it and start again.`);
  chmodSync(folder, 0o700);
}
