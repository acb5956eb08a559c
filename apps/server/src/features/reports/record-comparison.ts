import { insideOf, type SummaryRow } from './record-report.ts';
import { NONE, type ReportInput, type ReportWords } from './record-words.ts';

/** Statistics of a channel that are compared: their titles, widths on paper, and the text of each in a row. */
export function comparedColumns(
  words: ReportWords,
): { title: string; width: number; cell(row: SummaryRow): string }[] {
  const { text, value, percent } = words;
  return [
    {
      title: text('reports.column.lowest'),
      width: 54,
      cell: ({ channel, statistics }) => value(channel, statistics?.min),
    },
    {
      title: text('reports.column.highest'),
      width: 54,
      cell: ({ channel, statistics }) => value(channel, statistics?.max),
    },
    {
      title: text('reports.column.mean'),
      width: 58,
      cell: ({ channel, statistics }) => value(channel, statistics?.mean, 1),
    },
    {
      title: text('reports.column.mkt'),
      width: 58,
      cell: ({ channel, meanKinetic }) => value(channel, meanKinetic, 1),
    },
    {
      title: text('reports.column.inside'),
      width: 84,
      cell: (row) => {
        const inside = insideOf(row);
        return inside === null ? NONE : percent(inside);
      },
    },
  ];
}

/** Pairs of the rows of a report with those of the earlier range. */
export function comparedRows({ rows, earlier }: ReportInput): { row: SummaryRow; before: SummaryRow }[] {
  const ofChannel = new Map(earlier?.rows.map((row) => [row.channel.id, row]));
  return rows.flatMap((row) => {
    const before = ofChannel.get(row.channel.id);
    return before ? [{ row, before }] : [];
  });
}
