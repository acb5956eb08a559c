import type { ReportFormat } from '@isotherm/contracts/reports';
import type { ReportKind } from '@isotherm/domain/reports/report-number';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { Caller } from '../../platform/http/caller.ts';
import { clockIn } from '../../platform/local-time.ts';
import type { ReportEntry, ReportRegister } from '../../platform/reports/reports.ts';
import type { JobContent } from '../../platform/result-jobs/job-kind.ts';
import { XLSX } from '../../platform/sheets/workbook-stream.ts';
import type { ReportRange } from './record-report.ts';
import { documentCsv, documentPaper, documentWorkbook, type ReportDocument } from './report-document.ts';

export const MEDIA_TYPES: Record<ReportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: XLSX,
  pdf: 'application/pdf',
};

/** The first and the last day of a range in a time zone, for the name of a file. */
export function daysOf({ from, to }: ReportRange, zone: string): string {
  const clockOf = clockIn(zone);
  // The end is exclusive: a range until midnight ends on the day before.
  return [from, Math.max(from, to - 1)].map((at) => clockOf(new Date(at)).slice(0, 10)).join('-');
}

/** Writes a report of tables in a format. A PDF is numbered and registered. */
export function writeDocument(
  parts: { register: Pick<ReportRegister, 'write'>; translate: Translate; brand(): Promise<string> },
  caller: Caller,
  report: ReportDocument,
  about: {
    format: ReportFormat;
    range: ReportRange;
    zone: string;
    language: Language;
    by: string;
    at: Date;
    /** Beginning of the name of the file. */
    fileName: string;
    kind: ReportKind;
    object: ReportEntry['object'];
  },
): JobContent {
  const { format, range, zone, language, by, at, kind, object } = about;
  const { translate, register, brand } = parts;

  async function* paper(): AsyncGenerator<Uint8Array> {
    yield await register.write(caller, async () => ({
      document: documentPaper(report, {
        brand: await brand(),
        foot: translate(language, 'validations.report.generated', {
          time: clockIn(zone)(at).slice(0, 16).replace('T', ' '),
          by,
          zone,
        }),
        language,
        at,
      }),
      entry: { kind, organizationId: caller.organizationId, object },
    }));
  }
  const bodies: Record<ReportFormat, () => AsyncIterable<Uint8Array>> = {
    csv: () => documentCsv(report),
    xlsx: () => documentWorkbook(report, translate(language, 'reports.summary')),
    pdf: paper,
  };
  return {
    fileName: `${about.fileName}-${daysOf(range, zone)}.${format}`,
    mediaType: MEDIA_TYPES[format],
    body: bodies[format](),
  };
}
