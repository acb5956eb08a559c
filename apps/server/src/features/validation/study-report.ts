import type { StudyPoint, StudyResult } from '@isotherm/domain/assets/validation-study';
import { celsius, fixed, formatDuration, shareWords, zoneWords } from '@isotherm/i18n/figures';
import type { Language } from '@isotherm/i18n/languages';
import { inWords } from '@isotherm/i18n/system-names';
import type { TextId } from '@isotherm/i18n/text-id';
import type { Translate } from '@isotherm/i18n/translator';
import type { Content } from 'pdfmake';
import { cell, facts, grid, type PdfDocument } from '../../platform/documents/pdf.ts';
import { clockIn } from '../../platform/local-time.ts';
import type { StudyRow, StudySensorRow } from './studies.repo.ts';

const NONE = '–';
const COLORS: Record<StudyResult['verdict'] | 'reserved', string> = {
  passed: '#1a6b3c',
  reserved: '#8a5a00',
  failed: '#b3261e',
  insufficient: '#8a5a00',
};

export interface ReportInput {
  study: StudyRow;
  result: StudyResult;
  sensors: readonly StudySensorRow[];
  unit: { name: string; qualification: string } | null;
  brand: string;
  by: string;
  at: Date;
  zone: string;
  language: Language;
}

/** Creates the report of an evaluated study, in the caller's language and time zone. */
export function studyReport(input: ReportInput, translate: Translate): PdfDocument {
  const { study, result, sensors, unit, zone, language } = input;
  const text = (id: TextId, values?: Record<string, string | number>) => translate(language, id, values);
  const clock = clockIn(zone);
  const time = (at: Date) => clock(at).replace('T', ' ');
  const names = new Map(study.channelNames.map(({ id, name }) => [id, inWords(name, language)]));
  const nameOf = (channelId: number) => names.get(channelId) ?? `#${channelId}`;
  const subject = `${study.asset.name} (${study.asset.code}) · ${study.name}`;

  function row(point: StudyPoint): string[] {
    const spots = [
      ...(point.channelId === result.hotSpot ? [text('validations.hot-spot')] : []),
      ...(point.channelId === result.coldSpot ? [text('validations.cold-spot')] : []),
    ];
    return [
      [nameOf(point.channelId), ...spots].join(' · '),
      fixed(point.min, 1, language),
      fixed(point.max, 1, language),
      fixed(point.mean, 2, language),
      fixed(point.meanKinetic, 2, language),
      point.outsideMs > 0 ? formatDuration(point.outsideMs, text) : NONE,
      shareWords(point.coverage),
    ];
  }

  /** Auditors must be able to see which sensors were not calibrated until the end of the study. */
  const notes = sensors
    .filter(({ certificate, expired }) => certificate === null || expired)
    .map(({ channelId, certificate, dueOn }) =>
      certificate === null
        ? text('validations.report.uncalibrated', { name: nameOf(channelId) })
        : text('validations.report.calibration-ended', { name: nameOf(channelId), day: dueOn ?? NONE }),
    );

  const verdict = result.verdict === 'passed' && notes.length > 0 ? 'reserved' : result.verdict;

  const content: Content[] = [
    { text: text('validations.report'), style: 'title' },
    cell(subject, { margin: [0, 2, 0, 6] }),
    {
      text: `${text('validations.verdict')}: ${text(`validations.verdict.${verdict}`)}`,
      fontSize: 14,
      bold: true,
      color: COLORS[verdict],
      margin: [0, 0, 0, 8],
    },
    facts([
      [text('validations.asset'), `${study.asset.name} (${study.asset.code})`],
      [text('validations.organization'), study.organizationName],
      [text('validations.type'), text(`validations.type.${study.type}`)],
      [text('validations.zone'), zoneWords(study, language)],
      [text('validations.from'), time(study.from)],
      [text('validations.to'), time(study.to)],
      [text('validations.unit'), unit?.name ?? NONE],
      [text('validations.unit.qualification'), unit?.qualification || NONE],
      [text('validations.report.judged-by'), study.judgedBy ?? NONE],
      [text('validations.report.judged-at'), study.judgedAt ? time(study.judgedAt) : NONE],
      [text('validations.due-on'), study.dueOn ?? NONE],
      [text('validations.note'), study.note || NONE],
    ]),
    { text: text('validations.result'), style: 'heading' },
    facts([
      [text('validations.min'), celsius(result.min, language)],
      [text('validations.max'), celsius(result.max, language)],
      [text('validations.mean'), celsius(result.mean, language, 2)],
      [text('validations.mkt'), celsius(result.meanKinetic, language, 2)],
      [text('validations.hot-spot'), nameOf(result.hotSpot)],
      [text('validations.cold-spot'), nameOf(result.coldSpot)],
      [text('validations.uniformity'), celsius(result.uniformity, language)],
    ]),
    { text: `${text('validations.channels')} (°C)`, style: 'heading' },
    grid(
      [
        { title: text('validations.channel'), width: '*' },
        { title: text('validations.min'), width: 42, figure: true },
        { title: text('validations.max'), width: 42, figure: true },
        { title: text('validations.mean'), width: 42, figure: true },
        { title: text('validations.mkt'), width: 58, figure: true },
        { title: text('validations.outside'), width: 58, figure: true },
        { title: text('validations.coverage'), width: 50, figure: true },
      ],
      result.points.map(row),
    ),
    { text: text('validations.report.sensors'), style: 'heading' },
    grid(
      [
        { title: text('validations.channel'), width: '*' },
        { title: text('validations.report.device'), width: 72 },
        { title: text('validations.report.serial'), width: 82 },
        { title: text('validations.report.certificate'), width: 82 },
        { title: text('validations.report.laboratory'), width: 82 },
        { title: text('validations.report.valid-until'), width: 54 },
      ],
      sensors.map(({ channelId, deviceNumber, serial, certificate, laboratory, dueOn }) => [
        nameOf(channelId),
        deviceNumber,
        serial || NONE,
        certificate ?? NONE,
        laboratory ?? NONE,
        dueOn ?? NONE,
      ]),
    ),
    ...(notes.length > 0 ? [{ ul: notes, margin: [0, 6, 0, 0] } satisfies Content] : []),
    { text: text('validations.report.method'), style: 'note', margin: [0, 14, 0, 0] },
  ];

  return {
    title: `${text('validations.report')}: ${subject}`,
    brand: input.brand,
    foot: text('validations.report.generated', { time: time(input.at), by: input.by, zone }),
    language,
    at: input.at,
    content,
  };
}
