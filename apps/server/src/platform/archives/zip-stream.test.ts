import { BlobReader, ZipReader } from '@zip.js/zip.js';
import { expect, test } from 'vitest';
import { type ArchiveEntry, streamZip } from './zip-stream.ts';

async function* chunksOf(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
async function collected(chunks: AsyncIterable<Uint8Array>): Promise<Blob> {
  const all: Uint8Array<ArrayBuffer>[] = [];
  for await (const chunk of chunks) all.push(new Uint8Array(chunk));
  return new Blob(all);
}

test('an archive has the entries with their content and their date', async () => {
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    yield { name: 'devices/1.csv', body: chunksOf('time,', 'value\r\n') };
    yield { name: '空.txt', body: chunksOf() };
  }
  const blob = await collected(streamZip(entries(), new Date('2026-11-26T00:00:00Z')));
  const found = await new ZipReader(new BlobReader(blob)).getEntries();
  expect(found.map(({ filename, uncompressedSize }) => [filename, uncompressedSize])).toEqual([
    ['devices/1.csv', 12],
    ['空.txt', 0],
  ]);
  const [first] = found;
  const text =
    first && 'arrayBuffer' in first ? Buffer.from(await first.arrayBuffer({ checkSignature: true })) : null;
  expect(text?.toString()).toBe('time,value\r\n');
});

test('a failure of an entry is the failure of the archive', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begin');
    throw new Error('no such channel');
  }
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    yield { name: 'a', body: broken() };
  }
  await expect(collected(streamZip(entries(), new Date()))).rejects.toThrow('no such channel');
});

test('a reader that stops early ends the entries, of which only a little was read ahead', async () => {
  let made = 0;
  let isEnded = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        made++;
        // Random bytes cannot be compressed, so that each chunk of the source is one of the archive.
        yield crypto.getRandomValues(new Uint8Array(65_536));
      }
    } finally {
      isEnded = true;
    }
  }
  async function* entries(): AsyncGenerator<ArchiveEntry> {
    yield { name: 'a', body: endless() };
  }
  let read = 0;
  for await (const chunk of streamZip(entries(), new Date())) {
    read += chunk.length;
    if (read > 6_000_000) break;
  }
  expect(made - read / 65_536).toBeLessThan(50);
  expect(isEnded).toBe(true);
});
