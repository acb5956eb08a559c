import { csvFile, csvRow } from '@isotherm/contracts/csv';
import { changesOffset, offsetIn } from '../../platform/local-time.ts';
import type { StreamCell, StreamSheet } from '../../platform/sheets/workbook-stream.ts';
import { comparedColumns, comparedRows } from './record-comparison.ts';
import type { MinuteRow } from './record-rows.ts';
import { type ReportInput, type ReportWords, summaryColumns } from './record-words.ts';
import { type DayLines, dayColumns, dayLines } from './reviews/day-lines.ts';

type Rows = AsyncIterable<readonly MinuteRow[]>;

/** Yields the CSV file: what the report states, the summary, and every reading with a column for each channel. */
export async function* recordCsv(
  input: ReportInput,
  words: ReportWords,
  rows: Rows,
): AsyncGenerator<Uint8Array> {
  const columns = summaryColumns(words);
  yield Buffer.from(
    csvFile([
      [words.text('jobs.kind.record-report')],
      ...words.facts(input),
      [],
      columns.map(({ title }) => title),
      ...input.rows.map((row) => columns.map(({ cell }) => cell(row))),
      [],
      [words.text('reports.time'), ...input.rows.map(({ channel }) => words.head(channel))],
    ]),
  );
  const offsetAt = offsetIn(input.zone);
  for await (const portion of rows) {
    let text = '';
    for (const { at, values } of portion) {
      const offset = offsetAt(at);
      text += `${new Date(at + offset.ms).toISOString().slice(0, 16)}${offset.text}`;
      for (const value of values) text += Number.isNaN(value) ? ',' : `,${value}`;
      text += '\r\n';
    }
    yield Buffer.from(text);
  }
  if (input.rows.every(({ statistics }) => statistics === null))
    yield Buffer.from(csvRow([words.text('reports.no-data')]));
}

/** Yields the sheets of the workbook: a summary, the days with their reviews, and every reading with a column for each channel. */
export async function* recordSheets(
  input: ReportInput,
  words: ReportWords,
  rows: Rows,
): AsyncGenerator<StreamSheet> {
  const columns = summaryColumns(words);
  async function* summary(): AsyncGenerator<StreamCell[][]> {
    yield [
      ...words.facts(input),
      [],
      columns.map(({ title }) => title),
      ...input.rows.map((row) => columns.map(({ cell }) => cell(row))),
    ];
  }
  yield {
    name: words.text('reports.summary'),
    head: [words.text('jobs.kind.record-report')],
    rows: summary(),
  };
  if (input.earlier) yield comparisonSheet(input, words);
  const days = dayLines(input.rows, input, words);
  if (days.length > 0) yield daysSheet(days, words);
  const hasOffset = changesOffset(input.zone, input.range.from, input.range.to);
  yield {
    name: words.text('reports.readings'),
    head: [
      `${words.text('reports.time')} (${input.zone})`,
      ...(hasOffset ? [words.text('curve.export.utc-offset')] : []),
      ...input.rows.map(({ channel }) => words.head(channel)),
    ],
    rows: readings(input, words, rows, hasOffset),
  };
}

function comparisonSheet(input: ReportInput, words: ReportWords): StreamSheet {
  const { text } = words;
  const columns = comparedColumns(words);
  async function* rows(): AsyncGenerator<StreamCell[][]> {
    yield comparedRows(input).map(({ row, before }) => [
      row.channel.asset,
      row.channel.code,
      words.channelName(row.channel),
      words.unitOf(row.channel),
      ...columns.flatMap(({ cell }) => [cell(before), cell(row)]),
    ]);
  }
  return {
    name: text('reports.compare'),
    head: [
      text('reports.column.asset'),
      text('curve.export.code'),
      text('curve.export.channel'),
      text('curve.export.unit'),
      ...columns.flatMap(({ title }) => [
        text('common.labelled', { label: title, value: text('reports.compare.earlier') }),
        title,
      ]),
    ],
    rows: rows(),
  };
}

function daysSheet(days: readonly DayLines[], words: ReportWords): StreamSheet {
  const { text } = words;
  async function* rows(): AsyncGenerator<StreamCell[][]> {
    for (const { row, zone, lines } of days)
      yield lines.map((line) => [
        row.channel.asset,
        row.channel.code,
        words.channelName(row.channel),
        words.unitOf(row.channel),
        zone,
        ...line,
      ]);
  }
  return {
    name: text('reports.review'),
    head: [
      text('reports.column.asset'),
      text('curve.export.code'),
      text('curve.export.channel'),
      text('curve.export.unit'),
      text('users.time-zone'),
      ...dayColumns(words).map(({ title }) => title),
    ],
    rows: rows(),
  };
}

/** Rows of the workbook; the second cell is the UTC offset if the range needs it, since cells of times have none. */
async function* readings(
  input: ReportInput,
  words: ReportWords,
  rows: Rows,
  hasOffset: boolean,
): AsyncGenerator<StreamCell[][]> {
  const offsetAt = offsetIn(input.zone);
  let isEmpty = true;
  for await (const portion of rows) {
    isEmpty = false;
    yield portion.map(({ at, values }) => {
      const offset = offsetAt(at);
      const cells: StreamCell[] = [{ clock: at + offset.ms }];
      if (hasOffset) cells.push(offset.text);
      for (const value of values) cells.push(Number.isNaN(value) ? null : value);
      return cells;
    });
  }
  if (isEmpty) yield [[words.text('reports.no-data')]];
}
