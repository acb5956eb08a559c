import { createRequire } from 'node:module';
import { AppError } from '@isotherm/contracts/errors';
import { IMPORT_EXTENSIONS, type UploadedFile } from '@isotherm/contracts/fields';
import { createGate } from '../gate.ts';
import { runInThread } from '../in-thread.ts';
import { portionsOf } from '../portions.ts';
import { createTimeBudget } from '../time-budget.ts';
import { type StreamSheet, streamWorkbook } from './workbook-stream.ts';

/** Time limit; a spreadsheet that takes longer is treated as malicious. */
const READ_WITHIN_MS = 15_000;
const WRITE_WITHIN_MS = 30_000;
/** Budget of reading time for one user's uploads, per quarter of an hour. */
const READING_MS = 90_000;
/** Maximum number of columns; further columns are ignored. */
const MOST_COLUMNS = 256;
const MEMORY_LIMIT_MB = 512;
/** Number of rows that are written before other work of the process comes. */
const WRITTEN_AT_ONCE = 100;
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/**
 * Worker script: spreadsheets are read in a separate thread. The first visible sheet is read as text; formulas are
 * not evaluated, and their last value is used. Macros are refused. Numeric cells are read as
 * numbers too, since their text may have a thousands separator, rounding or a unit. Dates and percentages, whose
 * number is not the one that users see, are not.
 */
const WORKER = `
const { parentPort, workerData } = require('node:worker_threads');
const xlsx = require(workerData.library);
const fflate = require(workerData.zipLibrary);
function unpacked(bytes) {
  const zip = bytes[0] === 0x50;
  if (!zip) return bytes;
  // The file is compressed again from its actual content, which is counted during decompression, because the
  // declared sizes may be wrong.
  const entries = {};
  let total = 0;
  const unzip = new fflate.Unzip((file) => {
    const chunks = [];
    file.ondata = (error, chunk, final) => {
      if (error) throw error;
      total += chunk.length;
      if (total > workerData.maxUnpacked) throw new Error('too large');
      chunks.push(chunk);
      if (final) entries[file.name] = [Buffer.concat(chunks), { level: 0 }];
    };
    file.start();
  });
  unzip.register(fflate.UnzipInflate);
  for (let i = 0; i < bytes.length; i += 4096)
    unzip.push(bytes.subarray(i, i + 4096), i + 4096 >= bytes.length);
  return Buffer.from(fflate.zipSync(entries));
}
function read({ bytes, maxRows }) {
  const book = xlsx.read(unpacked(bytes), { type: 'buffer', dense: true, cellFormula: false, cellHTML: false, cellNF: true, bookVBA: true, dateNF: 'yyyy-mm-dd', sheetRows: 2 * (maxRows + 1) });
  if (book.vbaraw) return { refused: 'macro' };
  const states = (book.Workbook && book.Workbook.Sheets) || [];
  const visible = book.SheetNames.find((_, i) => !(states[i] && states[i].Hidden));
  if (visible === undefined) return { refused: 'empty' };
  const sheet = book.Sheets[visible];
  if (!sheet['!ref']) return { rows: [], numbers: [] };
  // The range starts at the first row, so that reported row numbers match those that users see.
  const range = xlsx.utils.decode_range(sheet['!ref']);
  range.s.r = 0;
  range.e.c = Math.min(range.e.c, range.s.c + workerData.mostColumns - 1);
  range.e.r = Math.min(range.e.r, 2 * (maxRows + 1));
  const rows = xlsx.utils.sheet_to_json(sheet, { header: 1, raw: false, dateNF: 'yyyy-mm-dd', blankrows: true, range });
  const numberIn = (cell) => {
    if (!cell || cell.t !== 'n' || xlsx.SSF.is_date(String(cell.z || 'General')) || /%/.test(cell.w || '')) return null;
    // Fifteen digits are what spreadsheets show: 0.1 + 0.2 is 0.3.
    return Number(cell.v.toPrecision(15));
  };
  return {
    numbers: rows.map((row, r) => {
      const found = {};
      for (let c = 0; c < row.length; c++) {
        const number = numberIn((sheet['!data'][r] || [])[range.s.c + c]);
        if (number !== null) found[c] = number;
      }
      return found;
    }),
    rows: rows.map((row) => {
      const cells = Array.from(row, (cell) => String(cell ?? '').slice(0, 2000));
      return cells.some((cell) => cell.trim() !== '') ? cells : [];
    }),
  };
}
parentPort.postMessage(read(workerData.read));
`;

interface Answer {
  refused?: 'macro' | 'empty';
  rows?: string[][];
  numbers?: Record<number, number>[];
}

/** Limits of parallel work: reading may use half a gigabyte, and writing delays other requests. Users are served in turn. */
const PARALLEL = { atOnce: 2, waiting: 32, ofOne: { atOnce: 1, waiting: 4 } };
const gate = createGate(PARALLEL, () => new AppError('request.too_many'));
const reading = createTimeBudget(READING_MS);

function readInThread(bytes: Buffer, maxRows: number): Promise<Answer> {
  const { resolve: pathOf } = createRequire(import.meta.url);
  // Only the older format has texts in code pages, whose tables take three quarters of the time to load the library.
  const library = isZip(bytes) ? '@e965/xlsx/dist/xlsx.core.min.js' : '@e965/xlsx';
  return runInThread(
    WORKER,
    {
      library: pathOf(library),
      zipLibrary: pathOf('fflate'),
      maxUnpacked: MAX_UNPACKED_BYTES,
      mostColumns: MOST_COLUMNS,
      read: { bytes, maxRows },
    },
    { withinMs: READ_WITHIN_MS, megabytes: MEMORY_LIMIT_MB },
  );
}

const isZip = (bytes: Buffer) => bytes.subarray(0, 4).equals(ZIP);

export interface ReadSheet {
  /** Cells as text, as they are displayed; blank rows are empty. */
  rows: string[][];
  /** Of each row, the numeric cells by their index in it. */
  numbers: Record<number, number>[];
}

/**
 * Reads the rows of a spreadsheet uploaded by `owner`, including the header.
 *
 * @throws {AppError} `import.format` if it is not an xls or xlsx, is damaged or contains macros;
 * `import.too_many_rows`; `request.too_many` if the owner's uploads have used up their reading time
 */
export async function readSheet(file: UploadedFile, maxRows: number, owner: string): Promise<ReadSheet> {
  const extension = file.name.toLowerCase().split('.').pop() ?? '';
  const bytes = Buffer.from(file.bytes);
  const isBook = isZip(bytes) || bytes.subarray(0, 8).equals(COMPOUND);
  if (!isBook || !IMPORT_EXTENSIONS.some((each) => each === extension)) throw new AppError('import.format');
  const read = () => reading.spend(owner, () => readInThread(bytes, maxRows));
  const answer = await gate.pass(read, owner).catch((cause: Error) => {
    if (cause instanceof AppError) throw cause;
    throw new AppError('import.format', {}, { cause });
  });
  if (!answer.rows || !answer.numbers) throw new AppError('import.format');
  if (answer.rows.filter((cells) => cells.length > 0).length > maxRows + 1)
    throw new AppError('import.too_many_rows', { max: maxRows });
  return { rows: answer.rows, numbers: answer.numbers };
}

export interface Sheet {
  name: string;
  rows: readonly (readonly string[])[];
  widths: readonly number[];
}

/**
 * Writes a spreadsheet (xlsx) for `owner`. Cells are text: none is evaluated as a formula.
 *
 * @throws {AppError} `request.too_many` if too much is being read and written
 */
export function writeBook(owner: string, ...sheets: readonly Sheet[]): Promise<Buffer> {
  return gate.pass(async () => {
    const endsAt = performance.now() + WRITE_WITHIN_MS;
    const pieces: Uint8Array[] = [];
    for await (const piece of streamWorkbook(streamed(sheets))) {
      if (performance.now() > endsAt) throw new Error('writing the spreadsheet took too long');
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }, owner);
}

async function* streamed(sheets: readonly Sheet[]): AsyncGenerator<StreamSheet> {
  for (const { name, widths, rows } of sheets) {
    const [head = [], ...others] = rows;
    yield { name, head, widths, rows: portionsOf(others, WRITTEN_AT_ONCE) };
  }
}
