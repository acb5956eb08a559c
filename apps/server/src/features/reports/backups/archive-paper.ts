import type { ArchiveManifest } from '@isotherm/contracts/backups';
import type { ArchiveFile } from '@isotherm/domain/reports/backup-archive';
import { fixed } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import type { Translate } from '@isotherm/i18n/translator';
import type { PdfDocument } from '../../../platform/documents/pdf.ts';
import { NONE } from '../record-words.ts';
import { documentPaper } from '../report-document.ts';
import { reportTexts } from '../tables/report-texts.ts';

/** A channel of an archive, and what was written of it. */
export interface ArchivedChannel {
  id: number;
  /** Number of the device. */
  device: string;
  name: string;
  asset: string;
  unit: string;
  readings: number;
  /** Infinite without readings. */
  min: number;
  max: number;
}

const ON_PAPER = 2_000;
const HASH_WIDTH = 320;

/** Lays out the summary of an archive: its channels, and its files with their hashes. */
export function archivePaper(
  about: {
    title: string;
    organization: string;
    from: number;
    to: number;
    zone: string;
    language: Language;
    by: string;
    at: Date;
    files: readonly ArchiveFile[];
    archived: readonly ArchivedChannel[];
    sealedDays: ArchiveManifest['sealedDays'];
  },
  translate: Translate,
  brand: string,
): PdfDocument {
  const { zone, language, by, at, files, archived } = about;
  const { text, moment, short, count } = reportTexts(language, zone, translate);
  const from = new Date(about.from);
  const to = new Date(about.to);
  const readings = archived.reduce((sum, channel) => sum + channel.readings, 0);
  const value = (figure: number, unit: string) =>
    Number.isFinite(figure) ? `${fixed(figure, 2, language)} ${unit}`.trim() : NONE;
  return documentPaper(
    {
      title: text('jobs.kind.data-backup'),
      subject: about.title,
      period: `${short(from)} ${NONE} ${short(to)} · ${zone}`,
      answer: text('backups.archive.answer', { files: files.length, readings }),
      facts: [
        [text('reports.issuer'), about.organization],
        [text('logs.from'), moment(from)],
        [text('logs.to'), moment(to)],
        [text('users.time-zone'), zone],
        [text('backups.archive.sealed-days'), count(about.sealedDays.length)],
        [text('reports.fact.created'), moment(at)],
        [text('reports.fact.created-by'), by],
      ],
      sections: [
        {
          heading: text('backups.archive.channels'),
          columns: [
            { title: text('curve.export.device'), width: 54 },
            { title: text('curve.export.channel') },
            { title: text('curve.export.asset') },
            { title: text('backups.archive.readings'), width: 60, figure: true },
            { title: text('backups.archive.lowest'), width: 62, figure: true },
            { title: text('backups.archive.highest'), width: 62, figure: true },
          ],
          rows: archived.map((channel) => [
            channel.device,
            channel.name,
            channel.asset || NONE,
            count(channel.readings),
            value(channel.min, channel.unit),
            value(channel.max, channel.unit),
          ]),
          empty: text('backups.archive.no-channels'),
          onPaper: { most: ON_PAPER, limited: text('backups.archive.limited', { most: ON_PAPER }) },
        },
        {
          heading: text('backups.archive.files'),
          columns: [
            { title: text('backups.archive.file') },
            { title: 'SHA-256', width: HASH_WIDTH },
            { title: text('reports.register.size'), width: 56, figure: true },
          ],
          rows: files.map(({ name, sha256, bytes }) => [name, sha256, count(bytes)]),
          empty: text('backups.archive.no-channels'),
        },
      ],
      method: text('backups.archive.method'),
    },
    {
      brand,
      foot: text('validations.report.generated', { time: moment(at).slice(0, 16), by, zone }),
      language,
      at,
    },
  );
}
