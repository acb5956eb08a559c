import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type SmsLength, smsLength, smsSegments } from './sms-segments.ts';

test.each<[string, string, SmsLength]>([
  ['an empty text', '', { encoding: 'gsm-7', places: 0, segments: 0 }],
  ['160 letters', 'a'.repeat(160), { encoding: 'gsm-7', places: 160, segments: 1 }],
  ['161 letters', 'a'.repeat(161), { encoding: 'gsm-7', places: 161, segments: 2 }],
  ['306 letters', 'a'.repeat(306), { encoding: 'gsm-7', places: 306, segments: 2 }],
  ['307 letters', 'a'.repeat(307), { encoding: 'gsm-7', places: 307, segments: 3 }],
  ['81 euro signs, of two places each', '€'.repeat(81), { encoding: 'gsm-7', places: 162, segments: 2 }],
  ['70 Chinese characters', '温'.repeat(70), { encoding: 'ucs-2', places: 70, segments: 1 }],
  ['71 Chinese characters', '温'.repeat(71), { encoding: 'ucs-2', places: 71, segments: 2 }],
  ['a degree sign, which GSM 7-bit lacks', '8 °C', { encoding: 'ucs-2', places: 4, segments: 1 }],
  ['35 emoji, of two UTF-16 units each', '🧊'.repeat(35), { encoding: 'ucs-2', places: 70, segments: 1 }],
  ['67 emoji, none split between segments', '🧊'.repeat(67), { encoding: 'ucs-2', places: 134, segments: 3 }],
  [
    'an escape sequence at the end of a segment',
    `${'a'.repeat(152)}€${'a'.repeat(10)}`,
    { encoding: 'gsm-7', places: 164, segments: 2 },
  ],
])('%s', (_, text, length) => {
  expect(smsLength(text)).toEqual(length);
});

test('the texts of the segments are the whole text, each within its places', () => {
  const unit = fc.constantFrom('a', '€', '温', '🧊');
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 400, size: 'max' }), (text) => {
      const { encoding, segments, texts } = smsSegments(text);
      expect(texts.join('')).toBe(text);
      expect(texts).toHaveLength(segments);
      const most = segments > 1 ? { 'gsm-7': 153, 'ucs-2': 67 } : { 'gsm-7': 160, 'ucs-2': 70 };
      for (const each of texts) {
        const places = encoding === 'ucs-2' ? each.length : each.length + each.split('€').length - 1;
        expect(places).toBeLessThanOrEqual(most[encoding]);
      }
    }),
  );
});
