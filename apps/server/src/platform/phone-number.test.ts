import fc from 'fast-check';
import { expect, test } from 'vitest';
import { internationalNumber } from './phone-number.ts';

test.each([
  // Mainland China.
  ['+86', '13812345678', '+8613812345678'],
  ['+86', '013812345678', '+8613812345678'],
  ['+86', '8613812345678', '+8613812345678'],
  ['+86', '008613812345678', '+8613812345678'],
  ['', '13812345678', '+8613812345678'],
  ['', '8613812345678', '+8613812345678'],
  ['', '+8613812345678', '+8613812345678'],
  // Another country than that of the receiver.
  ['+86', '+85291234567', '+85291234567'],
  ['+86', '0085291234567', '+85291234567'],
  // With and without the country code, and the zero before the number.
  ['+852', '91234567', '+85291234567'],
  ['+852', '85291234567', '+85291234567'],
  ['+44', '07400123456', '+447400123456'],
  ['+44', '7400123456', '+447400123456'],
  ['+44', '447400123456', '+447400123456'],
  ['+65', '91234567', '+6591234567'],
  ['+65', '6591234567', '+6591234567'],
  ['+1', '4155550123', '+14155550123'],
  ['+1', '14155550123', '+14155550123'],
  // Numbers that begin with the digits of their own country code: India, Kazakhstan, Rio Grande do Sul.
  ['+91', '9123456789', '+919123456789'],
  ['+91', '919123456789', '+919123456789'],
  ['+7', '7012345678', '+77012345678'],
  ['+7', '77012345678', '+77012345678'],
  ['+55', '55991234567', '+5555991234567'],
  ['+55', '5555991234567', '+5555991234567'],
  // Accounts have no country: a number that is none of mainland China has its own code.
  ['', '447400123456', '+447400123456'],
  ['', '85291234567', '+85291234567'],
  ['', '0013812345678', '+13812345678'],
  // No plan knows them.
  ['+44', '0123456', '+44123456'],
  ['', '999123456', '+999123456'],
  // No numbers.
  ['+86', '', ''],
  ['+86', '000000', ''],
  ['', '000000', ''],
])('of country %s, %s is %s', (countryCode, mobile, number) => {
  expect(internationalNumber(countryCode, mobile)).toBe(number);
});

test('whatever was entered is a number in international form, which stays as it is, unless it has only zeros', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('', '+86', '+44', '+1', '+852', '+7', '+55', '+999'),
      fc.stringMatching(/^\+?\d{6,15}$/),
      (countryCode, mobile) => {
        const number = internationalNumber(countryCode, mobile);
        expect(number).toMatch(/^0+$/.test(mobile) ? /^$/ : /^\+\d+$/);
        expect(internationalNumber(countryCode, number)).toBe(number);
      },
    ),
  );
});
