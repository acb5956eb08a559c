import type { ImportReport, ImportUpload } from '@isotherm/contracts/batches';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import {
  CLIENT_KINDS,
  type ClientInput,
  clientInput,
  type exportWaybillClients,
} from '@isotherm/contracts/waybill-clients';
import { textId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { isDuplicate, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import { wordError } from '../../../platform/http/error-words.ts';
import type { ImportRun } from '../../../platform/imports/import-run.ts';
import type { Imports } from '../../../platform/imports/imports.ts';
import { exportSheet } from '../../../platform/sheets/sheet-export.ts';
import {
  createSheetForm,
  namesInAllLanguages,
  type SheetFaults,
  type SheetRow,
  sameName,
} from '../../../platform/sheets/sheet-form.ts';
import { findOrganizationsByCode, findTopCode } from '../../identity/index.ts';
import { type ClientRow, findTakenClients, insertClient, listClientRows } from './clients.repo.ts';
import { CLIENT_NAME, clientFields, clientObject } from './clients.service.ts';

const MAX_ROWS = 10_000;
const MAX_EXPORT = 50_000;

/** Columns of the spreadsheet for import and export: field of the form → text id of its header. */
const COLUMNS = [
  { field: 'name', title: 'clients.name', required: true, example: 'Minhang Hospital', width: 28 },
  { field: 'organizationId', title: 'clients.organization', required: true, example: '', width: 20 },
  { field: 'kind', title: 'clients.kind', required: true, example: '', width: 22 },
  {
    field: 'sites',
    title: 'clients.sites',
    required: false,
    example: 'Pharmacy | 1128 Xinzhuang Road, Shanghai',
    width: 44,
  },
  {
    field: 'contacts',
    title: 'clients.contacts',
    required: false,
    example: 'Wang Jun | 13912345678 | wang@example.com | en',
    width: 44,
  },
  { field: 'notices', title: 'clients.notices', required: false, example: '', width: 16 },
  { field: 'shared', title: 'clients.shared', required: false, example: '', width: 16 },
  { field: 'note', title: 'clients.note', required: false, example: '', width: 32 },
] as const;
type Field = (typeof COLUMNS)[number]['field'];

export interface ClientSheets {
  template(caller: Caller): Promise<{ fileName: string; content: string }>;
  export(
    caller: Caller,
    query: z.output<(typeof exportWaybillClients)['query']>,
  ): Promise<ResponseOf<typeof exportWaybillClients>>;
  /** Throws `import.*`. The good rows are written in one transaction; a dry run writes nothing. */
  import(caller: Caller, upload: ImportUpload): Promise<ImportReport>;
}

interface Good {
  row: SheetRow<Field>;
  form: ClientInput;
}

/** Import and export of consignors and consignees as spreadsheets, one a row. */
export function createClientSheets(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record' | 'recordAlone'>;
  clock: Clock;
  translate: Translate;
  running: Pick<Imports, 'run'>;
}): ClientSheets {
  const { pool, audit, clock, translate, running } = parts;
  const sheet = createSheetForm<Field>(COLUMNS, translate);
  const yesOrNo = namesInAllLanguages(translate, [
    ['1', 'logs.value.yes', true],
    ['0', 'logs.value.no', false],
  ]);
  const kinds = namesInAllLanguages(
    translate,
    CLIENT_KINDS.map((kind) => [kind, textId(`clients.kind.${kind}`), kind] as const),
  );
  const wordOf = (value: boolean, { language }: Caller) =>
    translate(language, value ? 'logs.value.yes' : 'logs.value.no');

  /** Checks of all rows together, against each other and against the database. */
  async function judge(caller: Caller, rows: readonly Good[], faults: SheetFaults<Field>): Promise<Good[]> {
    const keyOf = ({ organizationId, name }: ClientInput) => `${organizationId} ${name.toLowerCase()}`;
    const taken = await findTakenClients(
      pool,
      rows.map(({ form }) => form),
    );
    const seen = new Map<string, number>();
    for (const { row, form } of rows) {
      const twin = seen.get(keyOf(form));
      if (twin === undefined) seen.set(keyOf(form), row.row);
      else faults.fail(row, 'name', translate(caller.language, 'common.import.duplicate', { row: twin }));
      if (taken.has(keyOf(form)))
        faults.fail(row, 'name', wordError({ code: 'client.taken', params: {} }, caller.language, translate));
    }
    return rows.filter(({ row }) => !faults.failed(row));
  }

  function cellOf(row: ClientRow, field: Field, caller: Caller): string {
    switch (field) {
      case 'organizationId':
        return row.organizationCode;
      case 'kind':
        return translate(caller.language, `clients.kind.${row.kind}`);
      case 'sites':
        return row.sites.map(({ name, address }) => joined(name ? [name, address] : [address])).join('\n');
      case 'contacts':
        return row.contacts
          .map(({ name, phone, email, language }) => joined([name, phone, email, language]))
          .join('\n');
      case 'notices':
      case 'shared':
        return wordOf(row[field], caller);
      default:
        return row[field];
    }
  }

  function parsedCell(field: Field, { cell }: SheetRow<Field>, ids: ReadonlyMap<string, number>): unknown {
    const text = cell(field);
    switch (field) {
      case 'organizationId':
        return ids.get(text) ?? '?';
      case 'kind':
        return kinds.get(sameName(text)) ?? '?';
      case 'sites':
        return linesOf(text).map(([first = '', ...rest]) =>
          rest.length === 0 ? { address: first } : { name: first, address: rest.join(' | ') },
        );
      case 'contacts':
        return linesOf(text).map(([name = '', phone = '', email = '', language = '']) => ({
          name,
          phone,
          email,
          ...(language === '' ? {} : { language }),
        }));
      case 'notices':
      case 'shared':
        return yesOrNo.get(sameName(text)) ?? '?';
      default:
        return text;
    }
  }

  return {
    async template(caller) {
      const content = await sheet.template(caller, 'Clients', {
        organizationId: await findTopCode(pool, caller.scope),
        kind: translate(caller.language, 'clients.kind.consignee'),
        notices: wordOf(true, caller),
        shared: wordOf(true, caller),
      });
      return { fileName: 'waybill-clients-template.xlsx', content };
    },
    async export(caller, { sort, order, ...filter }) {
      const limit = MAX_EXPORT + 1;
      const { rows } = await listClientRows(pool, caller.scope, filter, { sort, order, limit, offset: 0 });
      return exportSheet(audit, caller, {
        fileName: 'waybill-clients.xlsx',
        objectKind: 'waybill-client',
        sheetName: 'Clients',
        head: COLUMNS.map(({ title }) => translate(caller.language, title)),
        widths: COLUMNS.map(({ width }) => width),
        found: rows,
        most: MAX_EXPORT,
        cellsOf: (row) => COLUMNS.map(({ field }) => cellOf(row, field, caller)),
      });
    },
    import: (caller, upload) =>
      running.run(caller, upload.importId, (run) => importFile(caller, upload, run)),
  };

  async function importFile(caller: Caller, { file, dryRun }: ImportUpload, run: ImportRun) {
    const { rows, faults } = await sheet.read(file, MAX_ROWS, caller);
    const organizations = await findOrganizationsByCode(pool, caller.scope, [
      ...new Set(rows.map(({ cell }) => cell('organizationId'))),
    ]);
    const ids = new Map(organizations.map(({ code, id }) => [code, id]));
    const placeOf = new Map(organizations.map((organization) => [organization.id, organization]));
    const formOf = (row: SheetRow<Field>): Record<string, unknown> =>
      Object.fromEntries(
        COLUMNS.flatMap(({ field }) =>
          row.cell(field) === '' ? [] : [[field, parsedCell(field, row, ids)] as const],
        ),
      );
    const words: Partial<Record<Field, string>> = {
      organizationId: translate(caller.language, 'common.import.no-organization'),
      kind: translate(caller.language, 'clients.import.kind'),
      sites: translate(caller.language, 'clients.import.sites'),
      contacts: translate(caller.language, 'clients.import.contacts'),
    };
    const parsed: Good[] = [];
    await run.each('checking', rows, (portion) => {
      for (const row of portion) {
        const form = faults.parse(row, clientInput, formOf(row), (field) => words[field] ?? null);
        if (form) parsed.push({ row, form });
      }
    });
    const good = await judge(caller, parsed, faults);
    if (dryRun === 'true' || good.length === 0) return faults.report(rows.length, false);
    await transaction(pool, async (tx) => {
      const trace = { changedBy: caller.username, changedAt: new Date(clock.now()) };
      const made: { id: number; form: ClientInput }[] = [];
      await run.each('writing', good, async (portion) => {
        for (const { form } of portion)
          made.push({ id: await insertClient(tx, { ...form, ...trace }), form });
      });
      const entryOf = ({ id, form }: (typeof made)[number]) => ({
        action: 'create' as const,
        ...clientObject({ id, name: form.name }),
        organizationPath: placeOf.get(form.organizationId)?.path ?? caller.scope,
        after: clientFields(form, placeOf.get(form.organizationId)?.name ?? ''),
      });
      await run.each('recording', made, (portion) => audit.record(tx, caller, ...portion.map(entryOf)));
      await audit.record(tx, caller, {
        action: 'import',
        objectKind: 'waybill-client',
        objectId: '',
        objectName: file.name,
        organizationPath: caller.scope,
        after: { rows: rows.length, success: good.length, fail: rows.length - good.length },
      });
    }).catch((error: unknown) => {
      // Somebody else took one of the names after the check and before the write, so nothing was written.
      throw isDuplicate(error, CLIENT_NAME) ? new AppError('import.overtaken', {}, { cause: error }) : error;
    });
    return faults.report(rows.length, true);
  }
}

/** Parts of a line, without empty ones at the end. */
function joined(parts: readonly string[]): string {
  const last = parts.findLastIndex((part) => part !== '');
  return parts.slice(0, last + 1).join(' | ');
}

/** The lines of a cell, each as the parts between vertical bars. */
const linesOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.split('|').map((part) => part.trim()));
