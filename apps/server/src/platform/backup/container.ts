import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createDeflate, createInflate } from 'node:zlib';

/**
 * Format of a backup file: a signature, then records of one byte for the kind, four for the length (big
 * endian) and the content. The first record is the header, the last one the SHA-256 of all bytes before it.
 * The data of a part are the records between its begin and end record, as one deflate stream.
 */
const SIGNATURE = Buffer.from('ISOTHERM BACKUP\n', 'latin1');
const PREFIX_BYTES = 5;
const KIND = { header: 1, begin: 2, data: 3, end: 4, closing: 5, checksum: 6 } as const;
type Kind = (typeof KIND)[keyof typeof KIND];
/** Maximum record length; longer records are not written, so a longer length means damage. */
const LONGEST_RECORD = 16 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** Level 1 is several times faster than the default, and sealed readings are already compressed. */
const DEFLATE = { level: constants.Z_BEST_SPEED, chunkSize: CHUNK_BYTES };

/** Suffix of a backup that is being written. */
export const UNFINISHED = '.unfinished';

/**
 * Thrown if the file is not a backup, or its bytes differ from those that were written. `message` is for the
 * operator.
 */
export class DamagedBackupError extends Error {
  constructor(what: string) {
    super(`The backup cannot be used: ${what}. Nothing of it was kept. Use another backup.`);
    this.name = 'DamagedBackupError';
  }
}

/** Name of a part: a table, or a file of the data folder. */
export interface PartName {
  kind: 'table' | 'file';
  name: string;
}

/** Data stored at the end of a part; sizes and hash are those of the uncompressed data. */
export interface PartEnd {
  rows: number;
  bytes: number;
  sha256: string;
}

function meter(): { stream: Transform; result(): Omit<PartEnd, 'rows'> } {
  const hash = createHash('sha256');
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return { stream, result: () => ({ bytes, sha256: hash.digest('hex') }) };
}

/** Writes a backup under a temporary name; `finish` flushes it to disk and renames it. */
export class BackupWriter {
  private readonly hash = createHash('sha256');

  private constructor(
    private readonly path: string,
    private readonly file: FileHandle,
  ) {}

  static async create(path: string, header: object): Promise<BackupWriter> {
    const writer = new BackupWriter(path, await open(`${path}${UNFINISHED}`, 'w', 0o600));
    await writer.write(SIGNATURE);
    await writer.record(KIND.header, json(header));
    return writer;
  }

  /**
   * Stores what `openSource` returns as a part; `rows` is called when it has ended. The stream is opened when it is read at once: the
   * error of a stream that nobody reads yet would end the process.
   */
  async part(name: PartName, openSource: () => Readable, rows: () => number): Promise<PartEnd> {
    await this.record(KIND.begin, json(name));
    const { stream, result } = meter();
    const store = async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) await this.record(KIND.data, chunk);
    };
    await pipeline(openSource(), stream, createDeflate(DEFLATE), store);
    const end = { rows: rows(), ...result() };
    await this.record(KIND.end, json(end));
    return end;
  }

  /** Returns the size of the file. */
  async finish(closing: object): Promise<number> {
    await this.record(KIND.closing, json(closing));
    await this.record(KIND.checksum, this.hash.copy().digest());
    await this.file.sync();
    const { size } = await this.file.stat();
    await this.file.close();
    await rename(`${this.path}${UNFINISHED}`, this.path);
    // The new name is durable only after the folder was flushed, too.
    const folder = await open(dirname(this.path), 'r');
    await folder.sync().finally(() => folder.close());
    return size;
  }

  async abandon(): Promise<void> {
    await this.file.close().catch(() => undefined);
    await rm(`${this.path}${UNFINISHED}`, { force: true });
  }

  private async record(kind: Kind, content: Uint8Array): Promise<void> {
    const prefix = Buffer.alloc(PREFIX_BYTES);
    prefix.writeUInt8(kind, 0);
    prefix.writeUInt32BE(content.length, 1);
    await this.write(prefix, content);
  }

  private async write(...pieces: Uint8Array[]): Promise<void> {
    for (const piece of pieces) this.hash.update(piece);
    // Unlike `writev`, `writeFile` continues after a short write, as on a disk that is nearly full.
    for (const piece of pieces) await this.file.writeFile(piece);
  }
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

interface StoredRecord {
  kind: number;
  content: Buffer;
}

/**
 * Yields all records of a file; throws {@link DamagedBackupError} at the first byte that differs from what
 * was written.
 */
async function* readRecords(path: string): AsyncGenerator<StoredRecord, void, undefined> {
  const hash = createHash('sha256');
  const bytes = createByteReader(path);
  if (!(await bytes.take(SIGNATURE.length))?.equals(SIGNATURE))
    throw new DamagedBackupError('it is not a backup of Isotherm');
  hash.update(SIGNATURE);
  for (;;) {
    const prefix = await bytes.take(PREFIX_BYTES);
    if (!prefix) throw new DamagedBackupError('its end is missing');
    const length = prefix.readUInt32BE(1);
    if (length > LONGEST_RECORD) throw new DamagedBackupError('it is damaged');
    const content = await bytes.take(length);
    if (!content) throw new DamagedBackupError('its end is missing');
    const kind = prefix.readUInt8(0);
    if (kind === KIND.checksum) {
      await expectEnd(bytes, hash, content);
      return;
    }
    hash.update(prefix).update(content);
    yield { kind, content };
  }
}

async function expectEnd(bytes: ByteReader, hash: Hash, checksum: Buffer): Promise<void> {
  if (!hash.digest().equals(checksum)) throw new DamagedBackupError('its checksum is wrong');
  if (await bytes.take(1)) throw new DamagedBackupError('there are bytes after its end');
}

interface ByteReader {
  /** Returns the next bytes; null if fewer bytes are left. */
  take(count: number): Promise<Buffer | null>;
}

function createByteReader(path: string): ByteReader {
  const chunks = createReadStream(path, { highWaterMark: 4 * CHUNK_BYTES })[Symbol.asyncIterator]();
  let rest: Buffer = Buffer.alloc(0);
  return {
    async take(count) {
      const pieces = [rest];
      let have = rest.length;
      while (have < count) {
        const { value, done } = await chunks.next();
        if (done) return null;
        pieces.push(value as Buffer);
        have += (value as Buffer).length;
      }
      const all = pieces.length === 1 ? rest : Buffer.concat(pieces, have);
      rest = all.subarray(count);
      return all.subarray(0, count);
    },
  };
}

/** Reads the whole file and compares its checksum; returns the header. Nothing is decompressed. */
export async function checkBackup(path: string): Promise<unknown> {
  let header: unknown;
  for await (const { kind, content } of readRecords(path)) if (kind === KIND.header) header = parse(content);
  if (header === undefined) throw new DamagedBackupError('it has no header');
  return header;
}

/** Receives the parts of a backup in the order in which they were written. */
export interface BackupTarget {
  /**
   * Returns the stream for the data of this part, and a function for the number of rows, called after the
   * end.
   */
  open(part: PartName): { stream: Writable; rows(): number };
  stored(part: PartName, end: PartEnd): void;
}

/** Passes all parts to `target` and compares sizes, rows and hashes; returns the closing record. */
export async function readBackup(path: string, target: BackupTarget): Promise<unknown> {
  const records = readRecords(path);
  let closing: unknown;
  for (let next = await records.next(); !next.done; next = await records.next()) {
    const { kind, content } = next.value;
    if (kind === KIND.closing) closing = parse(content);
    if (kind === KIND.begin) await readPart(records, parse(content) as PartName, target);
  }
  return closing;
}

async function readPart(
  records: AsyncGenerator<StoredRecord, void, undefined>,
  part: PartName,
  target: BackupTarget,
): Promise<void> {
  let expected: PartEnd | undefined;
  async function* data() {
    for (;;) {
      const next = await records.next();
      if (next.done) return;
      if (next.value.kind === KIND.data) yield next.value.content;
      else {
        expected = parse(next.value.content) as PartEnd;
        return;
      }
    }
  }
  const { stream, rows } = target.open(part);
  const { stream: measured, result } = meter();
  await pipeline(Readable.from(data()), createInflate({ chunkSize: CHUNK_BYTES }), measured, stream);
  const found = { rows: rows(), ...result() };
  if (JSON.stringify(found) !== JSON.stringify(expected))
    throw new DamagedBackupError(`${part.kind} ${part.name} is not what was stored`);
  target.stored(part, found);
}

function parse(content: Buffer): unknown {
  return JSON.parse(content.toString('utf8'));
}
