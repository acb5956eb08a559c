/**
 * What a spreadsheet would take for a formula at the beginning of a cell (CSV injection). Spreadsheets skip spaces and characters
 * without a width, and those for East Asia read the full-width signs as the plain ones.
 */
const FORMULA = /^(?:[\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r])/u;

/** Where a comma is the decimal sign, spreadsheets part cells at semicolons, whatever the quotation marks say. */
const FORMULA_AFTER_SEPARATOR = /([;\t][\s\p{Cf}]*)(?=[=+\-@＝＋－＠])/gu;

/** Spreadsheets read UTF-8 only behind this mark. */
const BYTE_ORDER_MARK = '\ufeff';

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const inner = value.replace(FORMULA_AFTER_SEPARATOR, "$1'");
  const text = FORMULA.test(inner) ? `'${inner}` : inner;
  return /["\n\r,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** One row, ended as RFC 4180 wants it; text that would be run as a formula is written as text. */
export function csvRow(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

export function csvFile(rows: readonly (readonly (string | number)[])[]): string {
  return BYTE_ORDER_MARK + rows.map(csvRow).join('');
}
