import { configure, ZipWriter } from '@zip.js/zip.js';

// Node compresses in its own threads.
configure({ useWebWorkers: false });

export interface ArchiveEntry {
  /** Path in the archive. */
  name: string;
  body: AsyncIterable<Uint8Array>;
}

/**
 * Writes a ZIP archive as a stream of bytes, with one chunk of an entry in memory. Archives and entries of more than 4 GB
 * have the format Zip64. `entries` may depend on the entries before, since they are read one after the other.
 */
export async function* streamZip(entries: AsyncIterable<ArchiveEntry>, at: Date): AsyncGenerator<Uint8Array> {
  let output: TransformStreamDefaultController<Uint8Array> | undefined;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({
    start(controller) {
      output = controller;
    },
  });
  const stopping = new AbortController();
  const zip = new ZipWriter(writable, { lastModDate: at });
  async function writeAll(): Promise<void> {
    for await (const { name, body } of entries) {
      stopping.signal.throwIfAborted();
      const chunks = body[Symbol.asyncIterator]();
      try {
        await zip.add(name, readableOf(chunks), { signal: stopping.signal });
      } finally {
        await chunks.return?.();
      }
    }
    await zip.close();
  }
  const writing = writeAll().catch((error: unknown) => output?.error(error));
  try {
    for await (const chunk of readable) yield chunk;
  } finally {
    // The reader may stop before the end, when the work is cancelled.
    stopping.abort();
    await writing;
  }
}

/** A stream whose source is asked for a chunk only when there is room for it. */
function readableOf(chunks: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
    },
    { highWaterMark: 0 },
  );
}
