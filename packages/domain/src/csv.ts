/**
 * Matches the start of a cell that a spreadsheet would interpret as a formula (CSV injection). Spreadsheets
 * skip spaces and zero-width characters, and East Asian versions also accept full-width signs.
 */
const FORMULA = /^(?:[\s\p{Cf}]*[=+\-@＝＋－＠]|[\t\r])/u;

/**
 * Matches formulas after a semicolon or tab. If the comma is the decimal separator, spreadsheets split cells
 * at semicolons, even inside quotation marks.
 */
const FORMULA_AFTER_SEPARATOR = /([;\t][\s\p{Cf}]*)(?=[=+\-@＝＋－＠])/gu;

/** Start of a file: without this byte order mark, spreadsheets do not recognise UTF-8. */
export const CSV_START = '\ufeff';

function cellOf(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const inner = value.replace(FORMULA_AFTER_SEPARATOR, "$1'");
  const text = FORMULA.test(inner) ? `'${inner}` : inner;
  return /["\n\r,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Returns one row with the line end of RFC 4180. Text that looks like a formula is made harmless. */
export function csvRow(cells: readonly (string | number)[]): string {
  return `${cells.map(cellOf).join(',')}\r\n`;
}

export function csvFile(rows: readonly (readonly (string | number)[])[]): string {
  return CSV_START + rows.map(csvRow).join('');
}
