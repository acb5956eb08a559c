import { BlobReader, Uint8ArrayWriter, ZipReader } from '@zip.js/zip.js';

/** Returns the files of a ZIP archive by name, with their checksums compared. */
export async function unzip(archive: Uint8Array): Promise<Map<string, Buffer>> {
  const reader = new ZipReader(new BlobReader(new Blob([new Uint8Array(archive)])));
  const files = new Map<string, Buffer>();
  for (const entry of await reader.getEntries())
    if (!entry.directory)
      files.set(
        entry.filename,
        Buffer.from(await entry.getData(new Uint8ArrayWriter(), { checkSignature: true })),
      );
  await reader.close();
  return files;
}
