import type { ImportReport } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import type { UploadedFile } from '@isotherm/contracts/fields';
import { type ValidationRule, wordIssues } from '@isotherm/contracts/validation';
import { LANGUAGES, type Language } from '@isotherm/i18n/languages';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type { z } from 'zod';
import { type Caller, ownerOf } from '../http/caller.ts';
import { readSheet, writeBook } from './sheets.ts';

/** A column of a spreadsheet: form field, text key of its header, and whether it is required. */
export interface SheetColumn<Field extends string> {
  field: Field;
  title: TextId;
  required: boolean;
  example: string;
  width: number;
}

/** A row of an imported spreadsheet. */
export interface SheetRow<Field extends string> {
  /** Row number as the spreadsheet shows it: the first row below a header at the top is 2. */
  row: number;
  /** Returns the trimmed text of a cell; '' for an empty cell. */
  cell: (field: Field) => string;
  /** Returns the number of a numeric cell, without its format; null for text, dates and percentages. */
  number: (field: Field) => number | null;
}

/** Errors in the rows of a file, one per cell. */
export interface SheetFaults<Field extends string> {
  fail(row: SheetRow<Field>, field: Field, message: string): void;
  /**
   * Returns the parsed row; null if it is invalid, which is recorded. `unknown` gives the error of an
   * unknown name, which may depend on the rule that the cell breaks.
   */
  parse<S extends z.ZodType>(
    row: SheetRow<Field>,
    schema: S,
    input: Record<string, unknown>,
    unknown?: (field: Field, rule: ValidationRule) => string | null,
  ): z.output<S> | null;
  failed(row: SheetRow<Field>): boolean;
  report(rows: number, written: boolean): ImportReport;
}

export interface SheetForm<Field extends string> {
  /** Returns the rows with a collector for their errors. Throws `import.*`. */
  read(
    file: UploadedFile,
    maxRows: number,
    caller: Caller,
  ): Promise<{ rows: SheetRow<Field>[]; faults: SheetFaults<Field> }>;
  /** Returns the spreadsheet to fill in, as base64; `examples` override those of the columns. */
  template(caller: Caller, name: string, examples?: Partial<Record<Field, string>>): Promise<string>;
}

const MOST_FAILURES = 1_000;
const MOST_SHOWN = 100;
export const sameName = (text: string) => text.trim().toLowerCase();

/** Maps the names of values in all languages of the console to the values, for cells. */
export function namesInAllLanguages<T>(
  translate: Translate,
  entries: readonly (readonly [code: string, id: TextId, value: T])[],
): Map<string, T> {
  return new Map(
    entries.flatMap(([code, id, value]) =>
      [code, ...LANGUAGES.map((language) => translate(language, id))].map(
        (name) => [sameName(name), value] as const,
      ),
    ),
  );
}

export function createSheetForm<Field extends string>(
  columns: readonly SheetColumn<Field>[],
  translate: Translate,
): SheetForm<Field> {
  const fieldOf = namesInAllLanguages(
    translate,
    columns.map(({ field, title }) => [field, title, field] as const),
  );

  /** Returns the index of each column by its header in any language. Throws `import.columns`. */
  function placesOf(head: readonly string[], language: Language): Map<Field, number> {
    const places = new Map<Field, number>();
    for (const [at, cell] of head.entries()) {
      const field = fieldOf.get(sameName(cell.replace('*', '')));
      if (field !== undefined && !places.has(field)) places.set(field, at);
    }
    const missing = columns.filter(({ field, required }) => required && !places.has(field));
    if (missing.length > 0) {
      const names = missing.map(({ title }) => translate(language, title)).join(', ');
      throw new AppError('import.columns', { columns: names });
    }
    return places;
  }

  function gather(language: Language, ignored: string[]): SheetFaults<Field> {
    const failures: ImportReport['failures'] = [];
    const failed = new Set<number>();
    const titles = new Map<string, string>(
      columns.map(({ field, title }) => [field, translate(language, title)]),
    );
    function fail(row: SheetRow<Field>, field: Field, message: string): void {
      failed.add(row.row);
      if (failures.length < MOST_FAILURES)
        failures.push({
          row: row.row,
          column: titles.get(field) ?? field,
          message,
          value: row.cell(field).slice(0, MOST_SHOWN),
        });
    }
    return {
      fail,
      parse(row, schema, input, unknown = () => null) {
        const parsed = schema.safeParse(input);
        if (parsed.success) return parsed.data;
        failed.add(row.row);
        // Only a limited number of errors is reported.
        if (failures.length >= MOST_FAILURES) return null;
        const faulty = new Set<string>();
        for (const fault of wordIssues(parsed.error, input)) {
          const field = fault.field.split('.')[0] as Field;
          if (faulty.has(field)) continue;
          faulty.add(field);
          const said = fault.rule === 'required' ? null : unknown(field, fault.rule);
          fail(row, field, said ?? translate(language, `validation.${fault.rule}`, fault.params));
        }
        return null;
      },
      failed: ({ row }) => failed.has(row),
      report: (rows, written) => ({
        rows,
        success: rows - failed.size,
        fail: failed.size,
        written: written && failed.size < rows,
        failures: failures.toSorted((a, b) => a.row - b.row),
        ignored,
      }),
    };
  }

  return {
    async read(file, maxRows, caller) {
      const { language } = caller;
      const found = await readSheet(file, maxRows, ownerOf(caller));
      const lines = found.rows
        .map((cells, at) => ({ cells, numbers: found.numbers[at] ?? {}, row: at + 1 }))
        .filter(({ cells }) => cells.length > 0);
      const [{ cells: head } = { cells: [] }, ...rows] = lines;
      const places = placesOf(head, language);
      const read = new Set(places.values());
      const ignored = head.filter((name, at) => name.trim() !== '' && !read.has(at));
      return {
        rows: rows.map(({ cells, numbers, row }) => ({
          row,
          number: (field) => numbers[places.get(field) ?? -1] ?? null,
          cell: (field) => (cells[places.get(field) ?? -1] ?? '').trim(),
        })),
        faults: gather(language, ignored.slice(0, MOST_SHOWN)),
      };
    },
    async template(caller, name, examples = {}) {
      const { language } = caller;
      const word = (id: TextId) => translate(language, id);
      const head = columns.map(({ title, required }) => word(title) + (required ? ' *' : ''));
      // The example has its own sheet: only the first sheet is imported, so users need not delete the
      // example.
      const bytes = await writeBook(
        ownerOf(caller),
        { name, rows: [head], widths: columns.map(({ width }) => width) },
        {
          name: word('common.import.example'),
          rows: [
            (['common.import.column', 'common.import.example'] as const).map(word),
            ...columns.map(({ field, example }, at) => [head[at] ?? '', examples[field] ?? example]),
          ],
          widths: [28, 40],
        },
      );
      return bytes.toString('base64');
    },
  };
}
