import { createRequire } from 'node:module';
import { AppError } from '@isotherm/contracts/errors';
import { IMPORT_EXTENSIONS, type UploadedFile } from '@isotherm/contracts/fields';
import { createGate } from '../gate.ts';
import { runInThread } from '../in-thread.ts';
import { inPortions } from '../portions.ts';
import { createTimeBudget } from '../time-budget.ts';

/** Time limit; a spreadsheet that takes longer is treated as malicious. */
const READ_WITHIN_MS = 15_000;
const WRITE_WITHIN_MS = 30_000;
/** Budget of reading time for one user's uploads, per quarter of an hour. */
const READING_MS = 90_000;
/** Maximum number of columns; further columns are ignored. */
const MOST_COLUMNS = 256;
const MEMORY_LIMIT_MB = 512;
/** Number of rows that are copied to the thread at a time. */
const COPIED_AT_ONCE = 500;
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const ZIP = Buffer.from('PK\u0003\u0004', 'latin1');
const COMPOUND = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/**
 * Worker script: spreadsheets are read and written in a separate thread. The first visible sheet is read as
 * text; formulas are not evaluated, and their last value is used. Macros are refused. Numeric cells are read as
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
function write(sheets) {
  const book = xlsx.utils.book_new();
  for (const { name, rows, widths } of sheets) {
    const sheet = xlsx.utils.aoa_to_sheet(rows);
    sheet['!cols'] = widths.map((wch) => ({ wch }));
    xlsx.utils.book_append_sheet(book, sheet, name.slice(0, 31));
  }
  return { bytes: xlsx.write(book, { type: 'buffer', bookType: 'xlsx', compression: true }) };
}
if (workerData.read) parentPort.postMessage(read(workerData.read));
else {
  const sheets = workerData.write.map((sheet) => ({ ...sheet, rows: [] }));
  parentPort.on('message', (portion) => {
    if (portion) sheets[portion.sheet].rows.push(...portion.rows);
    else {
      parentPort.postMessage(write(sheets));
      parentPort.close();
    }
  });
}
`;

interface Answer {
  refused?: 'macro' | 'empty';
  rows?: string[][];
  numbers?: Record<number, number>[];
  bytes?: Uint8Array;
}

/** Limits of parallel threads, since each may use half a gigabyte. Users are served in turn. */
const THREADS = { atOnce: 2, waiting: 32, ofOne: { atOnce: 1, waiting: 4 } };
const gate = createGate(THREADS, () => new AppError('request.too_many'));
const reading = createTimeBudget(READING_MS);

type Feed = Parameters<typeof runInThread>[3];

function runThread(task: object, withinMs: number, feed?: Feed): Promise<Answer> {
  const { resolve: pathOf } = createRequire(import.meta.url);
  const library = pathOf('@e965/xlsx');
  const zipLibrary = pathOf('fflate');
  return runInThread(
    WORKER,
    { library, zipLibrary, maxUnpacked: MAX_UNPACKED_BYTES, mostColumns: MOST_COLUMNS, ...task },
    { withinMs, megabytes: MEMORY_LIMIT_MB },
    feed,
  );
}

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
  const isBook = bytes.subarray(0, 4).equals(ZIP) || bytes.subarray(0, 8).equals(COMPOUND);
  if (!isBook || !IMPORT_EXTENSIONS.some((each) => each === extension)) throw new AppError('import.format');
  const read = () => reading.spend(owner, () => runThread({ read: { bytes, maxRows } }, READ_WITHIN_MS));
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

/** Writes a spreadsheet (xlsx) for `owner`. Cells are text: none is evaluated as a formula. */
export async function writeBook(owner: string, ...sheets: readonly Sheet[]): Promise<Buffer> {
  const task = { write: sheets.map(({ name, widths }) => ({ name, widths })) };
  const feed: Feed = async (post) => {
    for (const [sheet, { rows }] of sheets.entries())
      await inPortions(rows, (portion) => post({ sheet, rows: portion }), COPIED_AT_ONCE);
    post(null);
  };
  const { bytes } = await gate.pass(() => runThread(task, WRITE_WITHIN_MS, feed), owner);
  return Buffer.from(bytes as Uint8Array);
}
