import { type ArchiveManifest, archiveManifest } from '@isotherm/contracts/backups';
import { createDigest } from '@isotherm/contracts/signing';
import {
  ARCHIVE_MANIFEST,
  ARCHIVE_SEAL,
  ARCHIVE_SUMS,
  type ArchiveFault,
  type ArchiveFile,
  archiveFaults,
  sumsOf,
} from '@isotherm/domain/reports/backup-archive';

/** What was found in an archive. */
export interface ReadArchive {
  manifest: ArchiveManifest;
  /** SHA-256 of the file with the manifest, in hexadecimal. */
  manifestHash: string;
  seal: string;
  faults: readonly ArchiveFault[];
}

/** Files whose text is needed; they are small. */
const TEXTS: readonly string[] = [ARCHIVE_MANIFEST, ARCHIVE_SEAL, ARCHIVE_SUMS];

/**
 * Reads a ZIP archive in the browser, one portion of a file in memory, and compares its files with its manifest. Returns null
 * if it is not an archive of a backup. `reading` is called before each file.
 */
export async function readArchive(
  archive: Blob,
  reading: (name: string) => void,
): Promise<ReadArchive | null> {
  // Loaded only when an archive is verified.
  const { BlobReader, configure, ZipReader } = await import('@zip.js/zip.js');
  configure({ useWebWorkers: false });
  const reader = new ZipReader(new BlobReader(archive));
  const entries = await reader.getEntries().catch(() => null);
  if (!entries) return null;
  const found: ArchiveFile[] = [];
  const texts = new Map<string, string>();
  const names = new Set<string>();
  const doubled: ArchiveFault[] = [];
  let manifestHash = '';
  for (const entry of entries) {
    if (entry.directory) continue;
    const { filename: name } = entry;
    if (names.has(name)) {
      doubled.push({ file: name, fault: 'extra' });
      continue;
    }
    names.add(name);
    reading(name);
    const digest = createDigest();
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let bytes = 0;
    const sink = new WritableStream<Uint8Array<ArrayBuffer>>({
      write(chunk) {
        digest.update(chunk);
        bytes += chunk.length;
        if (TEXTS.includes(name)) chunks.push(chunk);
      },
    });
    // Bytes that cannot be decompressed have another hash than listed.
    const isRead = await entry.getData(sink).then(
      () => true,
      () => false,
    );
    const sha256 = isRead ? digest.hex() : '';
    if (name === ARCHIVE_MANIFEST) manifestHash = sha256;
    if (TEXTS.includes(name)) texts.set(name, await new Blob(chunks).text());
    else found.push({ name, bytes, sha256 });
  }
  await reader.close();
  const manifest = manifestOf(texts.get(ARCHIVE_MANIFEST));
  if (!manifest) return null;
  const sums = sumsOf([...manifest.files, { name: ARCHIVE_MANIFEST, sha256: manifestHash }]);
  const sumsFault: readonly ArchiveFault[] =
    texts.get(ARCHIVE_SUMS) === sums
      ? []
      : [{ file: ARCHIVE_SUMS, fault: texts.has(ARCHIVE_SUMS) ? 'changed' : 'missing' }];
  return {
    manifest,
    manifestHash,
    seal: (texts.get(ARCHIVE_SEAL) ?? '').trim(),
    faults: [...archiveFaults(manifest.files, found), ...sumsFault, ...doubled],
  };
}

function manifestOf(text: string | undefined): ArchiveManifest | null {
  if (text === undefined) return null;
  try {
    return archiveManifest.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
