import { MAINLAND_MOBILE } from '@isotherm/contracts/fields';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';

/**
 * The number in international form (E.164), such as `+8613812345678`; empty if there is no number.
 *
 * People enter numbers with and without plus sign, country code, and the zeros before both: a number of a country may begin with
 * the digits of its own country code, so that the numbering plans decide. What no plan knows is dialled all the
 * same, because a plan that has changed must not make an alarm unsent.
 *
 * @param countryCode such as `+44`; empty if none was asked for, as for accounts. Then a number is one of mainland China, or has
 *   its country code (requirements §5)
 * @param mobile digits, possibly with a plus sign before them
 */
export function internationalNumber(countryCode: string, mobile: string): string {
  if (mobile.startsWith('+')) return mobile;
  const national = mobile.replace(/^0+/, '');
  if (national === '') return '';
  if (mobile.startsWith('00')) return `+${national}`;
  if (countryCode === '')
    return MAINLAND_MOBILE.test(national) || national !== mobile ? `+86${national}` : `+${mobile}`;
  const code = countryCode.replace(/^\+/, '');
  const within = `+${code}${national}`;
  return validOf(within) ?? (national.startsWith(code) ? validOf(`+${national}`) : null) ?? within;
}

/** The number without a zero or one that is dialled only within its country; null if no plan knows it. */
function validOf(number: string): string | null {
  const known = parsePhoneNumberFromString(number);
  return known?.isValid() ? known.number : null;
}
