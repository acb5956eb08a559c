import { csvFile, csvRow } from '@isotherm/domain/csv';
import type { Language } from '@isotherm/i18n/languages';
import type { Content } from 'pdfmake';
import { cell, facts, grid, type PdfDocument } from '../../platform/documents/pdf.ts';
import { portionsOf } from '../../platform/portions.ts';
import { type StreamSheet, streamWorkbook } from '../../platform/sheets/workbook-stream.ts';

/** A table of a report. */
export interface ReportSection {
  heading: string;
  columns: readonly {
    title: string;
    /** Width on paper in points; columns without one share the rest, and those with 0 are in the other files only. */
    width?: number;
    figure?: boolean;
  }[];
  rows: readonly (readonly string[])[];
  /** Said instead of a table without rows. */
  empty: string;
  /** Largest number of rows on paper, and what is said if there are more. */
  onPaper?: { most: number; limited: string };
}

/** A report as tables, from which its files are written. */
export interface ReportDocument {
  title: string;
  /** What it is about. */
  subject: string;
  period: string;
  /** The answer comes first. */
  answer: string;
  facts: readonly (readonly [label: string, value: string])[];
  sections: readonly ReportSection[];
  /** How the numbers are computed. */
  method: string;
}

/** Writes all tables into one file, below each other. */
export async function* documentCsv(report: ReportDocument): AsyncGenerator<Uint8Array> {
  const { title, answer, facts: stated, sections, method } = report;
  yield Buffer.from(csvFile([[title], [answer], ...stated.map((pair) => [...pair])]));
  for (const { heading, columns, rows, empty } of sections) {
    yield Buffer.from(textOf([[], [heading], columns.map((column) => column.title)]));
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
      yield Buffer.from(textOf(rows.slice(at, at + ROWS_AT_ONCE)));
    if (rows.length === 0) yield Buffer.from(textOf([[empty]]));
  }
  yield Buffer.from(textOf([[], [method]]));
}

const ROWS_AT_ONCE = 500;
const textOf = (rows: readonly (readonly string[])[]) => rows.map(csvRow).join('');

/** Writes a workbook: the facts, and a sheet for each table. */
export const documentWorkbook = (report: ReportDocument, summary: string): AsyncGenerator<Uint8Array> =>
  streamWorkbook(sheetsOf(report, summary));

async function* sheetsOf(report: ReportDocument, summary: string): AsyncGenerator<StreamSheet> {
  const { title, answer, facts: stated, sections, method } = report;
  yield { name: summary, head: [title], rows: portionsOf([[answer], ...stated, [], [method]], ROWS_AT_ONCE) };
  for (const { heading, columns, rows, empty } of sections)
    yield {
      name: heading,
      head: columns.map((column) => column.title),
      rows: portionsOf(rows.length === 0 ? [[empty]] : rows, ROWS_AT_ONCE),
    };
}

/** Lays the report out on paper. */
export function documentPaper(
  report: ReportDocument,
  about: { brand: string; foot: string; language: Language; at: Date },
): PdfDocument {
  const content: Content[] = [
    { text: report.subject, style: 'title' },
    cell(report.period, { margin: [0, 2, 0, 8] }),
    { text: report.answer, fontSize: 11, bold: true, margin: [0, 0, 0, 10] },
    facts(report.facts),
    ...report.sections.flatMap(sectionOf),
    { text: report.method, style: 'note', margin: [0, 14, 0, 0] },
  ];
  return { ...about, title: `${report.title}: ${report.subject}`, content };
}

function sectionOf({ heading, columns, rows, empty, onPaper }: ReportSection): Content[] {
  if (rows.length === 0) return [{ text: heading, style: 'heading' }, cell(empty)];
  const printed = columns.flatMap(({ title, width, figure }, index) =>
    width === 0 ? [] : [{ index, title, width: width ?? ('*' as const), figure: figure ?? false }],
  );
  const some = onPaper ? rows.slice(0, onPaper.most) : rows;
  const table = grid(
    printed,
    some.map((row) => printed.map(({ index }) => row[index] ?? '')),
    heading,
  );
  return [
    table,
    ...(onPaper && rows.length > some.length ? [cell(onPaper.limited, { margin: [0, 4, 0, 0] })] : []),
  ];
}
