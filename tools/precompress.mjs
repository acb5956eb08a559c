import { readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip, constants as zlib } from 'node:zlib';

const brotli = promisify(brotliCompress);
const deflate = promisify(gzip);

/** Extensions of compressible files; images, WOFF2 fonts and similar files are already compressed. */
const COMPRESSIBLE = new Set(['.js', '.mjs', '.css', '.svg', '.ttf', '.json', '.wasm']);
/** Minimum size to compress; smaller files fit into a packet or two. */
const LEAST_BYTES = 1024;
/**
 * Size from which a lower quality is used, because the best quality takes seconds per megabyte, and large
 * files are loaded rarely.
 */
const LARGE_BYTES = 700_000;

/**
 * Writes `.br` and `.gz` next to the files of a folder, so that the server compresses nothing per request
 * and the best quality can be used.
 * @param {string} folder
 */
export async function precompress(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && COMPRESSIBLE.has(extname(entry.name)));
  await Promise.all(
    files.map(async (entry) => {
      const file = join(entry.parentPath, entry.name);
      const content = await readFile(file);
      if (content.length < LEAST_BYTES) return;
      const quality = content.length > LARGE_BYTES ? 9 : 11;
      const [br, gz] = await Promise.all([
        brotli(content, {
          params: {
            [zlib.BROTLI_PARAM_QUALITY]: quality,
            [zlib.BROTLI_PARAM_SIZE_HINT]: content.length,
          },
        }),
        deflate(content, { level: 9 }),
      ]);
      await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)]);
    }),
  );
}
