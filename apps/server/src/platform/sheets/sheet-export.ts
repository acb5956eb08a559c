import type { sheetExport } from '@isotherm/contracts/batches';
import type { z } from 'zod';
import type { Audit } from '../audit/audit.ts';
import { type Caller, ownerOf } from '../http/caller.ts';
import { mapInPortions } from '../portions.ts';
import { writeBook } from './sheets.ts';

export interface SheetContent<Row> {
  fileName: string;
  /** Kind of the exported rows, for the audit log. */
  objectKind: string;
  sheetName: string;
  head: string[];
  /** Width of each column, in characters. */
  widths: number[];
  /** The rows found, read up to one more than `most` to detect whether there are more. */
  found: readonly Row[];
  most: number;
  cellsOf(row: Row): string[];
}

/** Exports the list of a page as a spreadsheet (XLSX) with at most `most` rows, with its audit entry. */
export async function exportSheet<Row>(
  audit: Pick<Audit, 'recordAlone'>,
  caller: Caller,
  { fileName, objectKind, sheetName, head, widths, found, most, cellsOf }: SheetContent<Row>,
): Promise<z.output<typeof sheetExport>> {
  const shown = found.slice(0, most);
  const bytes = await writeBook(ownerOf(caller), {
    name: sheetName,
    rows: [head, ...(await mapInPortions(shown, cellsOf))],
    widths,
  });
  await audit.recordAlone(caller, {
    action: 'export',
    objectKind,
    objectId: '',
    objectName: fileName,
    organizationPath: caller.scope,
    after: { rows: shown.length },
  });
  return { fileName, content: bytes.toString('base64'), rows: shown.length, limited: found.length > most };
}
