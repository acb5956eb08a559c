/**
 * Storage of result files: a local folder, or an S3-compatible service (docs/reports.md). A file is written to the
 * spool folder first, so that its size is known and nothing incomplete is ever stored under its key.
 */
export interface FileStore {
  /** Stores the file at `path` under a key; the file at `path` may be moved. Throws {@link StoreAway}, or `ENOSPC`. */
  put(key: string, path: string): Promise<void>;
  /** Opens a stored file; null if there is none. Throws {@link StoreAway}. */
  read(key: string): Promise<AsyncIterable<Uint8Array> | null>;
  /** Deletes a file; does nothing if there is none. Throws {@link StoreAway}. */
  remove(key: string): Promise<void>;
}

/** Thrown when the storage service cannot be reached or refuses the request. */
export class StoreAway extends Error {
  override name = 'StoreAway';
}

/** Returns true if an error says that there is no disk space left. */
export function isNoSpace(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as { code?: string } | null)?.code ?? '');
}
