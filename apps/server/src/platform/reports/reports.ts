import { createHash } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import { verifyReport } from '@isotherm/contracts/report-register';
import { type ReportKind, reportNumber } from '@isotherm/domain/reports/report-number';
import type { Translate } from '@isotherm/i18n/translator';
import type pg from 'pg';
import type { Audit, AuditEvent } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { transaction } from '../db/pool.ts';
import { type PdfDocument, type PdfHead, writePdf } from '../documents/pdf.ts';
import { createGate } from '../gate.ts';
import type { Caller } from '../http/caller.ts';
import type { Mount } from '../http/mount.ts';
import type { FindLink, PublicLinks } from '../public-links/public-links.ts';
import { findReport, insertReport, takeReportId } from './reports.repo.ts';

/** Purpose of links that verify reports. */
export const REPORT_LINK = 'report-verify';
/**
 * Only one report is written at a time: the layout takes some tenths of a second, during which the event
 * loop is blocked.
 */
const WRITING = { atOnce: 1, waiting: 10 };

/** What the register says about a report, besides its number and hash. */
export interface ReportEntry {
  kind: ReportKind;
  organizationId: number;
  /** The object of the audit entry, which is also the subject in the register. */
  object: Pick<AuditEvent, 'objectKind' | 'objectName' | 'organizationPath'> & { objectId: number };
  /** What the audit entry says besides the number. */
  after?: object;
}

/** The register of reports (docs/reports.md): each PDF has a number and is registered with its SHA-256. */
export interface ReportRegister {
  /**
   * Writes a PDF with its number and the address at which it can be verified, registers it, and records the export.
   * `read` is called when it is the report's turn. Throws `request.too_many`.
   */
  write(
    caller: Caller,
    read: () => Promise<{ entry: ReportEntry; document: PdfDocument }>,
  ): Promise<Buffer<ArrayBuffer>>;
  mount(mount: Mount): void;
}

export function createReportRegister(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  translate: Translate;
  links: Pick<PublicLinks, 'create' | 'makeToken'>;
  findLink: FindLink;
  /** Address of the console; null if it is not known, so that reports have a number but no link. */
  consoleUrl: string | null;
  /** Finds the head of a kind of reports of an organisation; null if none was made. */
  headOf?: (organizationId: number, kind: ReportKind) => Promise<PdfHead | null>;
}): ReportRegister {
  const { pool, audit, clock, translate, links, findLink, consoleUrl, headOf } = parts;
  const gate = createGate(WRITING, () => new AppError('request.too_many'));

  return {
    write: (caller, read) =>
      gate.pass(async () => {
        const { entry, document } = await read();
        const { language } = caller;
        const now = clock.now();
        const id = await takeReportId(pool);
        const number = reportNumber(entry.kind, id, now);
        const token = links.makeToken();
        const head = (await headOf?.(entry.organizationId, entry.kind)) ?? null;
        const dateWord = translate(language, 'reports.signature-date');
        const bytes = await writePdf(
          { ...document, head, dateWord },
          {
            number,
            address: consoleUrl && `${consoleUrl}/verify/${token}`,
            verify: translate(language, 'reports.verify.scan'),
            pageOf: translate(language, 'reports.page', { page: '{page}', pages: '{pages}' }),
          },
        );
        await transaction(pool, async (tx) => {
          await insertReport(tx, {
            id,
            number,
            kind: entry.kind,
            organizationId: entry.organizationId,
            subjectId: entry.object.objectId,
            subjectName: entry.object.objectName,
            sha256: createHash('sha256').update(bytes).digest(),
            sizeBytes: bytes.length,
            language,
            createdBy: caller.username,
            createdAt: new Date(now),
          });
          await links.create(
            tx,
            { purpose: REPORT_LINK, subjectId: id, person: null, lifeMs: null, mostUses: null, sentBy: '' },
            now,
            token,
          );
          await audit.record(tx, caller, {
            action: 'export',
            ...entry.object,
            after: { format: 'pdf', number, ...entry.after },
          });
        });
        return bytes;
      }),

    mount(mount) {
      mount(verifyReport, async ({ body: { token, sha256 }, address }) => {
        const link = await findLink(REPORT_LINK, token, address);
        const report = link && (await findReport(pool, link.subjectId));
        if (!report) throw new AppError('link.not_found');
        const { number, kind, issuer, createdAt } = report;
        return {
          number,
          kind,
          issuer,
          createdAt: createdAt.toISOString(),
          isGenuine: sha256 === null ? null : sha256 === report.sha256.toString('hex'),
        };
      });
    },
  };
}
