import type { Content, Style, TableCell } from 'pdfmake';
import { FAMILY, layOut, type PdfDefinition, type PdfLayout, RULE } from './pdf-thread.ts';

const MARGIN = 42;
/** Width between the margins: A4 is 595.28 pt wide. */
export const PAGE_WIDTH = 595.28 - 2 * MARGIN;
const SIGNATURE_GAP = 24;
/** Height at the bottom of each page for the QR code and the lines beside it. */
const FOOT = 84;
const QR_SIZE = 52;
/** Largest size of the logo of a head. */
const LOGO_SIZE: [width: number, height: number] = [150, 56];
export const GREY = '#555555';
/** Maximum length of a word that fits into a table column. */
const LONGEST_WORD = 16;

const STYLES: Record<string, Style> = {
  title: { fontSize: 18, bold: true },
  heading: { fontSize: 12, bold: true, margin: [0, 14, 0, 4] },
  head: { color: GREY },
  note: { fontSize: 8, color: GREY },
};

/** Head that an organisation has on its reports, above the content, and its boxes for signatures below. */
export interface PdfHead {
  title: string;
  /** Logo as a data address; null if there is none. */
  logo: string | null;
  /** Lines such as `Document number: SOP-017`. */
  fields: readonly string[];
  /** Labels of boxes for signatures. */
  signatures: readonly string[];
}

export interface PdfDocument {
  title: string;
  /** Brand name, at the top of each page. */
  brand: string;
  /** Text in the footer of each page. */
  foot: string;
  /** Language as a BCP 47 tag, for screen readers. */
  language: string;
  at: Date;
  content: Content[];
  /** Boxes for signatures below the content, unless the head has its own. */
  signatures?: readonly Omit<SignatureBox, 'svg'>[];
  /** Null or absent: the report has no head. */
  head?: PdfHead | null;
  /** Word for the date of a signature of the head. */
  dateWord?: string;
}

/** What the register of reports adds to each page. */
export interface PdfMark {
  /** Number in the register. */
  number: string;
  /** Address at which the file can be verified, also as QR code; null: none is printed. */
  address: string | null;
  /** Says what the address is for. */
  verify: string;
  /** Which page it is, with `{page}` and `{pages}`. */
  pageOf: string;
}

/**
 * Writes A4 pages. Each has the brand and the number of the report at the top, and at the bottom how to verify it and the page
 * number. Only the used glyphs of the fonts are embedded.
 */
export function writePdf(document: PdfDocument, mark: PdfMark): Promise<Buffer<ArrayBuffer>> {
  const { title, brand, foot, language, at, content, head = null, dateWord = '' } = document;
  const definition: PdfDefinition = {
    pageSize: 'A4',
    pageMargins: [MARGIN, MARGIN + 18, MARGIN, FOOT],
    language,
    info: { title, author: brand, creator: 'Isotherm', producer: 'Isotherm', creationDate: at },
    defaultStyle: { font: FAMILY, fontSize: 9, lineHeight: 1.1 },
    styles: STYLES,
    header: {
      columns: [
        { text: brand, width: '*' },
        { text: mark.number, width: 'auto', alignment: 'right', bold: true },
      ],
      style: 'note',
      margin: [MARGIN, 26, MARGIN, 0],
    },
    foot: {
      stack: [
        { canvas: [{ type: 'line', x1: 0, y1: 0, x2: PAGE_WIDTH, y2: 0, lineWidth: 0.75, lineColor: RULE }] },
        {
          columns: [
            ...(mark.address === null ? [] : [{ qr: mark.address, fit: QR_SIZE, width: QR_SIZE + 8 }]),
            {
              stack: [
                foot,
                ...(mark.address === null
                  ? []
                  : [mark.verify, { text: mark.address, link: mark.address, fontSize: 7 }]),
              ],
              width: '*',
            },
            { text: mark.pageOf, width: 90, alignment: 'right' },
          ],
          columnGap: 4,
          margin: [0, 8, 0, 0],
        },
      ],
      style: 'note',
      margin: [MARGIN, 12, MARGIN, 0],
    },
    content: [...(head === null ? [] : headOf(head)), ...content, ...boxesOf(document, dateWord)],
  };
  return layOut(definition);
}

/** Lays out a head: the logo, and beside it the title and the fields, above a line. */
function headOf({ title, logo, fields }: PdfHead): Content[] {
  if (title === '' && logo === null && fields.length === 0) return [];
  return [
    {
      columns: [
        ...(logo === null ? [] : [{ image: logo, fit: LOGO_SIZE, width: LOGO_SIZE[0] }]),
        {
          stack: [
            ...(title === '' ? [] : [cell(title, { fontSize: 12, bold: true })]),
            ...fields.map((field) => cell(field, { fontSize: 8, color: GREY })),
          ],
          width: '*',
        },
      ],
      columnGap: 14,
    },
    {
      canvas: [{ type: 'line', x1: 0, y1: 0, x2: PAGE_WIDTH, y2: 0, lineWidth: 0.75, lineColor: RULE }],
      margin: [0, 8, 0, 12],
    },
  ];
}

/** Lays out the boxes for signatures of the head, or else of the document: up to three side by side, four in two rows. */
function boxesOf({ head, signatures: usual = [] }: PdfDocument, date: string): Content[] {
  const own = head?.signatures.map((label) => ({ label, name: '', date })) ?? [];
  const boxes = (own.length > 0 ? own : usual).map((box) => ({ ...box, svg: null }));
  const inRow = boxes.length === 3 ? 3 : 2;
  return Array.from({ length: Math.ceil(boxes.length / inRow) }, (_, row) =>
    signatures(boxes.slice(row * inRow, (row + 1) * inRow)),
  );
}

/**
 * Returns the text of a cell: words too long for the column are broken, so that the table stays on the page.
 */
export function cell(text: string, more: Style = {}): Content {
  const isLong = text.split(/\s/).some((word) => word.length > LONGEST_WORD);
  return { text, ...(isLong ? { wordBreak: 'break-all' as const } : {}), ...more };
}

/** Lays out labels and values, two pairs per line. */
export function facts(pairs: readonly (readonly [label: string, value: string])[]): Content {
  const cells = pairs.flatMap(([label, value]) => [cell(label, { color: GREY }), cell(value)]);
  if (pairs.length % 2 === 1) cells.push('', '');
  const rows = Array.from({ length: cells.length / 4 }, (_, row) => cells.slice(row * 4, row * 4 + 4));
  return { table: { widths: [90, '*', 90, '*'], body: rows }, layout: 'noBorders' };
}

/** Lays out figures side by side between two lines, each below its label. */
export function strip(figures: readonly (readonly [label: string, value: string, note?: string])[]): Content {
  return {
    table: {
      widths: figures.map(() => '*'),
      body: [
        figures.map(([label, value, note = '']) => ({
          stack: [
            { text: label, style: 'note' },
            { text: value, fontSize: 12, bold: true },
            { text: note, style: 'note' },
          ],
        })),
      ],
    },
    layout: 'strip' satisfies PdfLayout,
    margin: [0, 8, 0, 8],
  };
}

export interface SignatureBox {
  label: string;
  /** Printed name; empty: to be written by hand. */
  name: string;
  /** Time of the signature, or the word for its date. */
  date: string;
  /** Drawing of the signature as SVG; null: to be signed by hand. */
  svg: string | null;
}

/** Lays out boxes for signatures side by side, which are not torn apart. A box alone has half the width. */
export function signatures(boxes: readonly SignatureBox[]): Content {
  const inRow = Math.max(2, boxes.length);
  const width = (PAGE_WIDTH - SIGNATURE_GAP * (inRow - 1)) / inRow;
  return {
    unbreakable: true,
    columns: boxes.map(({ label, name, date, svg }) => ({
      stack: [
        svg === null ? { text: '', margin: [0, 44, 0, 0] } : { svg, fit: [150, 40], margin: [0, 2, 0, 2] },
        { canvas: [{ type: 'line', x1: 0, y1: 0, x2: width, y2: 0, lineWidth: 0.75 }] },
        {
          columns: [
            { text: label, style: 'note', width: '*' },
            { text: date, style: 'note', width: 'auto', alignment: 'right' },
          ],
          margin: [0, 3, 0, 0],
        },
        { text: name },
      ],
      width,
    })),
    columnGap: SIGNATURE_GAP,
    margin: [0, 16, 0, 0],
  };
}

/**
 * Lays out rows below a header that is repeated on every page; the alignment is per column. A heading is part of the header, so
 * that it never stands alone at the end of a page.
 */
export function grid(
  columns: readonly { title: string; width: number | '*'; figure?: boolean }[],
  rows: readonly (readonly string[])[],
  heading?: string,
): Content {
  const alignment = (column: number) => (columns[column]?.figure ? 'right' : 'left');
  const above: TableCell[][] =
    heading === undefined
      ? []
      : [[{ text: heading, ...STYLES.heading, colSpan: columns.length }, ...columns.slice(1).map(() => '')]];
  const headerRows = above.length + 1;
  return {
    fontSize: 8,
    table: {
      headerRows,
      keepWithHeaderRows: 1,
      dontBreakRows: true,
      widths: columns.map(({ width }) => width),
      body: [
        ...above,
        columns.map(({ title }, at) => cell(title, { ...STYLES.head, alignment: alignment(at) })),
        ...rows.map((row) => row.map((text, at) => cell(text, { alignment: alignment(at) }))),
      ],
    },
    layout: 'rows' satisfies PdfLayout,
  };
}
