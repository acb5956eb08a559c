import type { QuantityLimits } from '@isotherm/domain/alarms/graded-policy';
import type { PolicyQuantity } from '@isotherm/domain/alarms/policy';
import { formatSetting } from '../../../shared/format/duration.ts';
import { INDICATOR_LABEL, switchLabel } from '../../../shared/format/labels.ts';
import { withUnit } from '../../../shared/format/number.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';
import { isSwitch } from './policy-draft.ts';

export const quantityWords = (quantity: PolicyQuantity, text: Text): string =>
  text(quantity === 'contact' ? 'policies.quantity.contact' : INDICATOR_LABEL[quantity]);

/** What raises the alarm: `Temperature below 2.0 °C or above 8.0 °C`, `Door open`. */
export function conditionWords({ quantity, low, high }: QuantityLimits, text: Text): string {
  const name = quantityWords(quantity, text);
  if (quantity === 'contact') return name;
  if (isSwitch(quantity))
    return `${name} ${text(switchLabel(quantity, high === null ? 0 : 1)).toLowerCase()}`;
  const values = {
    name,
    low: low === null ? '' : withUnit(quantity, low),
    high: high === null ? '' : withUnit(quantity, high),
  };
  if (low !== null && high !== null) return text('policies.when.between', values);
  return text(low === null ? 'policies.when.above' : 'policies.when.below', values);
}

export const delayWords = (ms: number, text: Text): string =>
  ms === 0 ? text('policies.step.at-once') : formatSetting(ms, text);
