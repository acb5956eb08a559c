import { once } from 'node:events';
import { createDeflateRaw } from 'node:zlib';
import { Zip, ZipPassThrough } from 'fflate';

/** Media type of a spreadsheet. */
export const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Row limit of Excel. */
const MOST_ROWS = 1_048_576;
/** Limit of Excel for the text of a cell; it calls a workbook with a longer one damaged. */
const MOST_CHARACTERS = 32_767;
const DAY_MS = 86_400_000;
/** Days from Excel's epoch to 1970. */
const EXCEL_EPOCH_DAYS = 25_569;

/** A cell: text, a number, a local time, or nothing. */
export type StreamCell = string | number | { clock: number } | null;

export interface StreamSheet {
  name: string;
  head: readonly string[];
  /** Width of each column, in characters; the default is one wide first column. */
  widths?: readonly number[];
  /** Portions of rows, of which only one is in memory at a time. */
  rows: AsyncIterable<readonly (readonly StreamCell[])[]>;
}

/**
 * Writes a workbook (xlsx) as a stream of bytes, with one portion of rows in memory. A sheet with more rows
 * than Excel allows continues on another one. Compression runs outside the event loop.
 */
export async function* streamWorkbook(sheets: AsyncIterable<StreamSheet>): AsyncGenerator<Uint8Array> {
  const out: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    out.push(chunk);
  });
  const names: string[] = [];
  const taken = new Set<string>();

  async function* file(name: string, portions: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
    const entry = new DeflatedEntry(name);
    zip.add(entry);
    for await (const portion of portions) {
      await entry.write(portion);
      yield* out.splice(0);
    }
    await entry.end();
    yield* out.splice(0);
  }

  for await (const sheet of sheets) {
    const rows = sheet.rows[Symbol.asyncIterator]();
    const rest: { portion: readonly (readonly StreamCell[])[]; done: boolean } = { portion: [], done: false };
    do {
      names.push(freeName(sheet.name, taken));
      yield* file(`xl/worksheets/sheet${names.length}.xml`, sheetXml(sheet, rows, rest));
    } while (!rest.done);
  }
  for (const [name, text] of frameOf(names)) yield* file(name, only(text));
  zip.end();
  yield* out.splice(0);
}

/** An entry compressed by zlib in a thread of its own; the superclass computes size and checksum. */
class DeflatedEntry extends ZipPassThrough {
  readonly #deflate = createDeflateRaw({ level: 4 });

  constructor(name: string) {
    super(name);
    this.compression = 8;
    this.#deflate.on('data', (chunk: Buffer) => this.ondata(null, chunk as never, false));
  }

  protected override process(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#deflate.write(chunk);
  }

  async write(text: string): Promise<void> {
    this.push(Buffer.from(text));
    if (this.#deflate.writableNeedDrain) await once(this.#deflate, 'drain');
  }

  async end(): Promise<void> {
    // An empty last chunk completes the checksum; the entry ends with the compressor.
    this.push(new Uint8Array(0), true);
    this.#deflate.end();
    await once(this.#deflate, 'end');
    this.ondata(null, new Uint8Array(0) as never, true);
  }
}

async function* only(text: string): AsyncGenerator<string> {
  yield text;
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const WIDTHS = [22];

async function* sheetXml(
  { head, widths = WIDTHS }: StreamSheet,
  rows: AsyncIterator<readonly (readonly StreamCell[])[]>,
  rest: { portion: readonly (readonly StreamCell[])[]; done: boolean },
): AsyncGenerator<string> {
  const columns = widths
    .map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`)
    .join('');
  yield `${XML}<worksheet xmlns="${MAIN}"><cols>${columns}</cols><sheetData>${rowXml(head)}`;
  for (let room = MOST_ROWS - 1; room > 0; ) {
    if (rest.portion.length === 0) {
      const next = await rows.next();
      if (next.done) {
        rest.done = true;
        break;
      }
      rest.portion = next.value;
    }
    const own = rest.portion.slice(0, room);
    rest.portion = rest.portion.slice(own.length);
    room -= own.length;
    yield own.map(rowXml).join('');
  }
  yield '</sheetData></worksheet>';
}

function rowXml(cells: readonly StreamCell[]): string {
  return `<row>${cells.map(cellXml).join('')}</row>`;
}

function cellXml(cell: StreamCell): string {
  if (cell === null) return '<c/>';
  if (typeof cell === 'number') return `<c><v>${cell}</v></c>`;
  if (typeof cell === 'string')
    return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(cell.slice(0, MOST_CHARACTERS))}</t></is></c>`;
  return `<c s="1"><v>${cell.clock / DAY_MS + EXCEL_EPOCH_DAYS}</v></c>`;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  // XML 1.0 allows neither control characters, except these three, nor the last two code points of the first plane.
  return text
    .replace(/(?![\t\n\r])\p{Cc}|[\uFFFE\uFFFF]/gu, '')
    .replace(/[&<>"]/g, (sign) => ENTITIES[sign] as string);
}

/** Returns a unique sheet name within Excel's limits of length and characters. */
function freeName(wanted: string, taken: Set<string>): string {
  const base = wanted.replace(/[[\]:*?/\\']/g, ' ').trim() || 'Sheet';
  for (let count = 1; ; count++) {
    const suffix = count === 1 ? '' : ` (${count})`;
    const name = base.slice(0, 31 - suffix.length) + suffix;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}

function frameOf(names: readonly string[]): [name: string, text: string][] {
  const each = (xml: (number: number, name: string) => string) =>
    names.map((name, index) => xml(index + 1, escaped(name))).join('');
  return [
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPES}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPES}.styles+xml"/>${each((number) => `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${TYPES}.worksheet+xml"/>`)}</Types>`,
    ],
    [
      '_rels/.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${each((number, name) => `<sheet name="${name}" sheetId="${number}" r:id="rId${number}"/>`)}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `${XML}<Relationships xmlns="${PACKAGE}/relationships">${each((number) => `<Relationship Id="rId${number}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${number}.xml"/>`)}<Relationship Id="rId0" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
    ],
    [
      'xl/styles.xml',
      `${XML}<styleSheet xmlns="${MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`,
    ],
  ];
}
