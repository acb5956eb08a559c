/** Kinds of registered reports, with the letters that begin their numbers. */
export const REPORT_LETTERS = {
  'validation-study': 'VR',
  'balance-statement': 'BS',
  records: 'RR',
  compliance: 'CR',
  alarms: 'AR',
  devices: 'DR',
  statistics: 'SR',
  trip: 'TR',
  waybill: 'WB',
  backup: 'BK',
} as const;

export type ReportKind = keyof typeof REPORT_LETTERS;
export const REPORT_KINDS = Object.keys(REPORT_LETTERS) as [ReportKind, ...ReportKind[]];

/** Number of a report in the register, such as `TR-2026-000318`, from its id and its time (epoch ms, year in UTC). */
export function reportNumber(kind: ReportKind, id: number, at: number): string {
  return [REPORT_LETTERS[kind], new Date(at).getUTCFullYear(), String(id).padStart(6, '0')].join('-');
}
