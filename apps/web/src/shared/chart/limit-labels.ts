import type { Indicator } from '@isotherm/domain/readings/indicator';
import { withUnit } from '../format/number.ts';
import type { Text } from '../i18n/use-text.ts';

/** Labels of the limits in a chart, as its properties; without a limit, the label is empty. */
export function limitLabels(
  limits: { indicator: Indicator; low: number | null; high: number | null } | undefined,
  text: Text,
): { lowLabel: string; highLabel: string } {
  const label = (id: 'curve.lower-limit' | 'curve.upper-limit', limit: number | null | undefined) =>
    limits && limit != null ? text(id, { limit: withUnit(limits.indicator, limit) }) : '';
  return {
    lowLabel: label('curve.lower-limit', limits?.low),
    highLabel: label('curve.upper-limit', limits?.high),
  };
}
