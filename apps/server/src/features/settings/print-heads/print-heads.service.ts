import { AppError } from '@isotherm/contracts/errors';
import {
  createPrintHead,
  deletePrintHead,
  editPrintHead,
  getPrintHead,
  listPrintHeads,
  type PrintHead,
  previewPrintHead,
  removePrintHeadLogo,
  uploadPrintHeadLogo,
} from '@isotherm/contracts/print-heads';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import { createKeptRecords } from '../../../platform/audit/kept-records.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Db, Tx } from '../../../platform/db/pool.ts';
import { cell, type PdfHead, writePdf } from '../../../platform/documents/pdf.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Images } from '../../../platform/images/images.ts';
import { findOrganizationPath } from '../../identity/index.ts';
import {
  deleteHead,
  findHead,
  findHeadFor,
  findLogo,
  insertHead,
  listHeadRows,
  lockHead,
  type PrintHeadRow,
  setHeadLogo,
  updateHead,
} from './print-heads.repo.ts';

/** Number on a sample page, which is not registered. */
const SAMPLE = 'XX-0000-000000';

/** Returns a function that finds the head of a kind of reports of an organisation; null if none was made. */
export function createHeadReader(
  pool: pg.Pool,
): (organizationId: number, kind: string) => Promise<PdfHead | null> {
  return async (organizationId, kind) => {
    const row = await findHeadFor(pool, organizationId, kind);
    return row && pdfHead(pool, row);
  };
}

/** Returns the address of the logo on reports whose kind has no head of its own; '' if there is none. */
export async function findReportLogo(db: Db, organizationId: number): Promise<string> {
  return (await findHeadFor(db, organizationId, 'all'))?.logo ?? '';
}

async function pdfHead(db: Db, { title, fields, signatures, logo }: PrintHeadRow): Promise<PdfHead> {
  const image = logo === '' ? null : await findLogo(db, logo);
  return {
    title,
    logo: image && `data:${image.mediaType};base64,${image.bytes.toString('base64')}`,
    fields: fields
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    signatures,
  };
}

/** Mounts the routes of print heads: each change with an audit entry. */
export function mountPrintHeads(
  mount: Mount,
  parts: {
    pool: pg.Pool;
    audit: Pick<Audit, 'record'>;
    images: Pick<Images, 'store'>;
    clock: Clock;
    translate: Translate;
    brand(host: string): Promise<string>;
  },
): void {
  const { pool, audit, images, clock, translate, brand } = parts;

  async function find(db: Db, caller: Caller, id: number): Promise<PrintHeadRow> {
    const row = await findHead(db, caller.scope, id);
    if (!row) throw new AppError('print_head.not_found');
    return row;
  }

  const records = createKeptRecords<PrintHeadRow>(pool, audit, {
    find,
    lock: lockHead,
    objectOf: ({ id, organizationName, organizationPath }) => ({
      objectKind: 'print-head',
      objectId: id,
      objectName: organizationName,
      organizationPath,
    }),
    fieldsOf: ({ organizationName, reportKind, title, fields, signatures, logo }) => ({
      organization: organizationName,
      reportKind,
      title,
      fields,
      signatures,
      logo,
    }),
    taken: { constraint: 'print_head_kind', code: 'print_head.taken' },
  });
  const trace = (caller: Caller) => ({ changedBy: caller.username, changedAt: new Date(clock.now()) });

  async function expectOrganization(tx: Tx, caller: Caller, id: number): Promise<void> {
    if ((await findOrganizationPath(tx, caller.scope, id)) === null)
      throw new AppError('organization.not_found');
  }

  async function preview(caller: Caller, id: number, host: string) {
    const row = await find(pool, caller, id);
    const { language } = caller;
    const title = translate(language, 'print-heads.sample');
    const bytes = await writePdf(
      {
        title,
        brand: await brand(host),
        foot: title,
        language,
        at: new Date(clock.now()),
        content: [
          { text: title, style: 'title' },
          cell(translate(language, 'print-heads.sample.text'), { margin: [0, 8, 0, 0] }),
        ],
        head: await pdfHead(pool, row),
        dateWord: translate(language, 'reports.signature-date'),
      },
      {
        number: SAMPLE,
        address: null,
        verify: '',
        pageOf: translate(language, 'reports.page', { page: '{page}', pages: '{pages}' }),
      },
    );
    return { fileName: `print-head-${id}.pdf`, content: bytes.toString('base64') };
  }

  mount(listPrintHeads, async ({ caller, query: { page, pageSize, search, sort, order } }) => {
    const limit = { sort, order, limit: pageSize, offset: (page - 1) * pageSize };
    const { rows, total } = await listHeadRows(pool, caller.scope, search, limit);
    return { items: rows.map(viewOf), total };
  });
  mount(getPrintHead, async ({ caller, params }) => viewOf(await find(pool, caller, params.id)));
  mount(createPrintHead, async ({ caller, body }) =>
    viewOf(
      await records.create(caller, async (tx) => {
        await expectOrganization(tx, caller, body.organizationId);
        return insertHead(tx, { ...body, ...trace(caller) });
      }),
    ),
  );
  mount(editPrintHead, async ({ caller, params, body }) =>
    viewOf(
      await records.change(caller, params.id, async (tx) => {
        await expectOrganization(tx, caller, body.organizationId);
        await updateHead(tx, params.id, { ...body, ...trace(caller) });
      }),
    ),
  );
  mount(uploadPrintHeadLogo, async ({ caller, params: { id }, body }) => {
    await find(pool, caller, id);
    // An image that is not used in the end is deleted after a day.
    const logo = await images.store(pool, body.image.bytes, { use: 'print-logo', caller });
    return viewOf(await records.change(caller, id, (tx) => setHeadLogo(tx, id, logo, trace(caller))));
  });
  mount(removePrintHeadLogo, async ({ caller, params: { id } }) =>
    viewOf(await records.change(caller, id, (tx) => setHeadLogo(tx, id, '', trace(caller)))),
  );
  mount(deletePrintHead, ({ caller, params, body }) =>
    records.remove(caller, params.id, body.reason, (tx) => deleteHead(tx, params.id)),
  );
  mount(previewPrintHead, ({ caller, params, host }) => preview(caller, params.id, host));
}

function viewOf({ organizationPath: _, changedAt, ...row }: PrintHeadRow): PrintHead {
  return { ...row, changedAt: changedAt.toISOString() };
}
