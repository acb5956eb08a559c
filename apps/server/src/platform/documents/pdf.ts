import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Content, createPdf, Style } from 'pdfmake';

const require = createRequire(import.meta.url);
/** One font covers Latin and Chinese, so that names in either appear in a document of any language. */
const FACES = {
  normal: require.resolve('@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf'),
  bold: require.resolve('@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf'),
};
const FAMILY = 'Noto Sans SC';
const MARGIN = 42;
const GREY = '#555555';
/** Maximum length of a word that fits into a table column. */
const LONGEST_WORD = 16;

const STYLES: Record<string, Style> = {
  title: { fontSize: 18, bold: true },
  heading: { fontSize: 12, bold: true, margin: [0, 14, 0, 4] },
  head: { bold: true, fillColor: '#eeeeee' },
  note: { fontSize: 8, color: GREY },
};

export interface PdfDocument {
  title: string;
  /** Brand name, at the top of each page. */
  brand: string;
  /** Text in the footer of each page, before its number. */
  foot: string;
  /** Language as a BCP 47 tag, for screen readers. */
  language: string;
  at: Date;
  content: Content[];
}

/** Loaded with the first document, because library and fonts take 21 MB of memory. */
let loading: Promise<typeof import('pdfmake')> | null = null;

async function load() {
  const { default: pdfmake } = await import('pdfmake');
  const { virtualfs } = pdfmake as unknown as {
    virtualfs: { writeFileSync(name: string, bytes: Buffer): void };
  };
  for (const [face, path] of Object.entries(FACES)) virtualfs.writeFileSync(face, await readFile(path));
  pdfmake.setFonts({ [FAMILY]: { normal: 'normal', bold: 'bold' } });
  // This policy prevents texts of users from making the server fetch anything.
  pdfmake.setUrlAccessPolicy(() => false);
  pdfmake.setLocalAccessPolicy(() => false);
  return pdfmake;
}

/** Writes A4 pages with brand, footer and page numbers; only the used glyphs of the fonts are embedded. */
export async function writePdf(document: PdfDocument): Promise<Buffer> {
  loading ??= load();
  const pdfmake = await loading.catch((error) => {
    loading = null;
    throw error;
  });
  const { title, brand, foot, language, at, content } = document;
  const definition: Parameters<typeof createPdf>[0] = {
    pageSize: 'A4',
    pageMargins: [MARGIN, MARGIN + 14, MARGIN, MARGIN + 6],
    language,
    info: { title, author: brand, creator: 'Isotherm', producer: 'Isotherm', creationDate: at },
    defaultStyle: { font: FAMILY, fontSize: 9, lineHeight: 1.1 },
    styles: STYLES,
    header: { text: brand, style: 'note', margin: [MARGIN, 24, MARGIN, 0] },
    footer: (page, pages) => ({
      columns: [
        { text: foot, width: '*' },
        { text: `${page} / ${pages}`, width: 50, alignment: 'right' },
      ],
      style: 'note',
      margin: [MARGIN, 12, MARGIN, 0],
    }),
    content,
  };
  return pdfmake.createPdf(definition).getBuffer();
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

/** Lays out rows below a header that is repeated on every page; the alignment is per column. */
export function grid(
  columns: readonly { title: string; width: number | '*'; figure?: boolean }[],
  rows: readonly (readonly string[])[],
): Content {
  const alignment = (column: number) => (columns[column]?.figure ? 'right' : 'left');
  return {
    fontSize: 8,
    table: {
      headerRows: 1,
      dontBreakRows: true,
      widths: columns.map(({ width }) => width),
      body: [
        columns.map(({ title }, at) => cell(title, { ...STYLES.head, alignment: alignment(at) })),
        ...rows.map((row) => row.map((text, at) => cell(text, { alignment: alignment(at) }))),
      ],
    },
    layout: 'lightHorizontalLines',
  };
}
