import type { CheckKind } from '@isotherm/domain/reports/rule-packs';
import { celsius, formatDuration, shareWords } from './figures.ts';
import type { Language } from './languages.ts';
import type { TextId } from './text-id.ts';

type Text = (id: TextId, values?: Record<string, string | number>) => string;

/** A check of a rule pack with its numbers, as contracts describe it. */
export interface CheckInWords {
  check: CheckKind;
  required: {
    storageMs?: number | undefined;
    transportMs?: number | undefined;
    celsius?: number | undefined;
    ms?: number | undefined;
    isAbove?: boolean | undefined;
    share?: number | undefined;
    days?: number | null | undefined;
    points?: number | undefined;
  };
}

/** Says what a clause of a rule pack requires. */
export function checkWords({ check, required }: CheckInWords, text: Text, language: Language): string {
  const { storageMs = 0, transportMs = 0, ms = 0, share = 0, days, points = 0 } = required;
  switch (check) {
    case 'interval':
      return storageMs === transportMs
        ? text('reports.check.interval', { storage: formatDuration(storageMs, text) })
        : text('reports.check.interval-both', {
            storage: formatDuration(storageMs, text),
            transport: formatDuration(transportMs, text),
          });
    case 'coverage':
      return text('reports.check.coverage', { share: shareWords(share) });
    case 'exposure':
      return text(required.isAbove ? 'reports.check.exposure-above' : 'reports.check.exposure-below', {
        celsius: celsius(required.celsius ?? 0, language),
        duration: formatDuration(ms, text),
      });
    case 'calibration':
    case 'mapping':
      return days ? text(`reports.check.${check}-days`, { days }) : text(`reports.check.${check}`);
    case 'alarm-test':
      return text('reports.check.alarm-test', { days: days ?? 0 });
    case 'points':
      return text('reports.check.points', { count: points });
    default:
      return text(`reports.check.${check}`);
  }
}

/** Says the worst number of a clause; null if it has none. */
export function worstWords(
  { check, worst }: Pick<CheckInWords, 'check'> & { worst: number | null },
  text: Text,
): string | null {
  if (worst === null) return null;
  if (check === 'review') return text('reports.check.review-missing', { count: worst });
  return check === 'coverage' ? shareWords(worst) : formatDuration(worst, text);
}
