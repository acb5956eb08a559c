/**
 * Files of an archive besides its contents: the list of all files with their SHA-256, the seal of this list by the
 * installation, and the same list for `sha256sum -c`.
 */
export const ARCHIVE_MANIFEST = 'manifest.json';
export const ARCHIVE_SEAL = 'manifest.seal';
export const ARCHIVE_SUMS = 'SHA256SUMS';

/** Requirements §5: "Backup file name: letters, digits, hyphen, underscore". */
export const BACKUP_FILE_NAME = /^[A-Za-z0-9_-]+$/;
export const MAX_BACKUP_FILE_NAME = 60;

export interface ArchiveFile {
  /** Path in the archive. */
  name: string;
  bytes: number;
  /** In hexadecimal. */
  sha256: string;
}

export interface ArchiveFault {
  file: string;
  fault: 'changed' | 'missing' | 'extra';
}

/** The list of files in the format of `sha256sum -c`. */
export function sumsOf(files: readonly Pick<ArchiveFile, 'name' | 'sha256'>[]): string {
  return files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
}

/**
 * Compares what an archive contains with what its manifest lists, and names each file that differs, in order of names.
 * `found` has neither the manifest nor the seal.
 */
export function archiveFaults(
  listed: readonly ArchiveFile[],
  found: readonly ArchiveFile[],
): readonly ArchiveFault[] {
  const known = new Map(found.map((file) => [file.name, file]));
  const faults: ArchiveFault[] = [];
  for (const { name, bytes, sha256 } of listed) {
    const file = known.get(name);
    known.delete(name);
    if (!file) faults.push({ file: name, fault: 'missing' });
    else if (file.sha256 !== sha256 || file.bytes !== bytes) faults.push({ file: name, fault: 'changed' });
  }
  for (const file of known.keys()) faults.push({ file, fault: 'extra' });
  return faults.sort((a, b) => (a.file < b.file ? -1 : 1));
}
