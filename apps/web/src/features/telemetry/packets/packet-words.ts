import type { ExplainedField } from '@isotherm/contracts/packets';
import { INDICATORS, type Indicator } from '@isotherm/domain/readings/indicator';
import { switchLabel } from '@isotherm/i18n/alarm-words';
import { textId } from '@isotherm/i18n/text-id';
import { INDICATOR_LABEL } from '../../../shared/format/labels.ts';
import { fixed, withUnit } from '../../../shared/format/number.ts';
import type { Viewer } from '../../../shared/format/viewer.tsx';
import type { Text } from '../../../shared/i18n/use-text.ts';

/** Decimals of latitude and longitude in a packet. */
const DEGREE_DECIMALS = 7;
/** Latest time that a JavaScript date can represent. */
const LAST_DATE_MS = 8.64e15;

/** Returns the text for the error code of a stored message. */
export function keptLabel(code: string, text: Text): string {
  return faultLabel(code.slice(code.indexOf('.') + 1), text);
}

export function faultLabel(fault: string, text: Text): string {
  return text(textId(`packets.fault.${fault}`));
}

/** Returns the meaning of a numeric field as text; '' if it is just a number. */
export function meaningOf({ name, meaning }: ExplainedField, { text, time }: Viewer): string {
  switch (meaning?.kind) {
    case 'time':
      return meaning.value <= LAST_DATE_MS ? time(meaning.value, 'date-time-seconds') : '';
    case 'word':
      if (name === 'indicator') return text(INDICATOR_LABEL[meaning.value as Indicator]);
      return text(textId(`packets.word.${meaning.value}`));
    case 'quantity':
      if (meaning.indicator === null) return `${fixed(meaning.value, DEGREE_DECIMALS)}°`;
      if (INDICATORS[meaning.indicator].kind === 'switch')
        return text(switchLabel(meaning.indicator, meaning.value));
      return withUnit(meaning.indicator, meaning.value);
    default:
      return '';
  }
}
