import { AppError } from '@isotherm/contracts/errors';
import {
  exportRegisteredReports,
  linkRegisteredReport,
  listRegisteredReports,
  type RegisteredReport,
  readRegisteredReport,
} from '@isotherm/contracts/report-register';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { transaction } from '../db/pool.ts';
import { type FileStore, StoreAway } from '../files/file-store.ts';
import type { Caller } from '../http/caller.ts';
import type { Mount } from '../http/mount.ts';
import { clockIn } from '../local-time.ts';
import type { PublicLinks } from '../public-links/public-links.ts';
import { exportSheet } from '../sheets/sheet-export.ts';
import {
  findRegistered,
  findReportFile,
  findZone,
  listRegisteredRows,
  type RegisteredRow,
} from './report-list.repo.ts';
import { REPORT_LINK } from './reports.ts';

const MOST_ROWS = 50_000;

/** Mounts the list of the register (docs/reports.md): what was written, links that verify it, and files that still exist. */
export function mountReportList(
  mount: Mount,
  parts: {
    pool: pg.Pool;
    audit: Pick<Audit, 'record' | 'recordAlone'>;
    clock: Clock;
    translate: Translate;
    links: Pick<PublicLinks, 'create'>;
    store: Pick<FileStore, 'read'>;
  },
): void {
  const { pool, audit, clock, translate, links, store } = parts;

  async function find(caller: Caller, id: number): Promise<RegisteredRow> {
    const row = await findRegistered(pool, caller.scope, id);
    if (!row) throw new AppError('report.not_found');
    return row;
  }
  const objectOf = ({ id, number, organizationPath }: RegisteredRow) => ({
    objectKind: 'report',
    objectId: id,
    objectName: number,
    organizationPath,
  });

  mount(listRegisteredReports, async ({ caller, query: { page, pageSize, sort, order, ...filter } }) => {
    const limit = { sort, order, limit: pageSize, offset: (page - 1) * pageSize };
    const { rows, total } = await listRegisteredRows(pool, caller.scope, filter, limit);
    return { items: rows.map(viewOf), total };
  });
  mount(exportRegisteredReports, async ({ caller, query: { sort, order, ...filter } }) => {
    const text = (id: TextId) => translate(caller.language, id);
    const page = { sort, order, limit: MOST_ROWS + 1, offset: 0 };
    const { rows } = await listRegisteredRows(pool, caller.scope, filter, page);
    const time = clockIn(await findZone(pool, caller.organizationId));
    return exportSheet(audit, caller, {
      fileName: 'report-register.xlsx',
      objectKind: 'report',
      sheetName: 'Reports',
      head: [
        text('reports.register.number'),
        text('reports.kind'),
        text('reports.register.subject'),
        text('reports.register.issuer'),
        text('reports.register.maker'),
        text('reports.register.created'),
        text('reports.register.size'),
        text('reports.register.sha256'),
      ],
      widths: [18, 24, 40, 24, 18, 20, 12, 66],
      found: rows,
      most: MOST_ROWS,
      cellsOf: (row) => [
        row.number,
        text(`reports.kind.${row.kind}`),
        row.subject,
        row.issuer,
        row.createdBy,
        time(row.createdAt),
        String(row.sizeBytes),
        row.sha256,
      ],
    });
  });
  mount(linkRegisteredReport, async ({ caller, params: { id } }) => {
    const row = await find(caller, id);
    const token = await transaction(pool, async (tx) => {
      const made = await links.create(
        tx,
        {
          purpose: REPORT_LINK,
          subjectId: id,
          person: null,
          lifeMs: null,
          mostUses: null,
          sentBy: caller.username,
        },
        clock.now(),
      );
      await audit.record(tx, caller, { action: 'create', ...objectOf(row), objectKind: 'report-link' });
      return made;
    });
    return { path: `/verify/${token}` };
  });
  mount(readRegisteredReport, async ({ caller, params: { id } }) => {
    const row = await find(caller, id);
    const file = await findReportFile(pool, id);
    if (!file) throw new AppError('report.no_file');
    const body = await store.read(file.key).catch((cause: Error) => {
      throw cause instanceof StoreAway ? new AppError('job.storage_away', {}, { cause }) : cause;
    });
    if (!body) throw new AppError('report.no_file');
    await audit.recordAlone(caller, { action: 'export', ...objectOf(row), after: { number: row.number } });
    return { fileName: `${row.number}.pdf`, mediaType: file.mediaType, body };
  });
}

function viewOf({ organizationPath: _, createdAt, ...row }: RegisteredRow): RegisteredReport {
  return { ...row, createdAt: createdAt.toISOString() };
}
