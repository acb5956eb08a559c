import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSealing } from './sealing.ts';

const sealing = createSealing('a secret of the tests, long enough for anybody');
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Yields every other text that a lenient decoder reads as the same bytes. */
function* respellings(text: string): Generator<string> {
  const bytes = Buffer.from(text, 'base64url');
  const isSame = (other: string) => other !== text && Buffer.from(other, 'base64url').equals(bytes);
  const candidates = [
    `${text}=`,
    `${text}==`,
    `${text}.`,
    `${text} `,
    ` ${text}`,
    `${text}\n`,
    `${text}=AAAA`,
    text.replaceAll('-', '+').replaceAll('_', '/'),
    ...Array.from({ length: text.length }, (_, i) => `${text.slice(0, i)}!${text.slice(i)}`),
    // Variants that differ only in the unused bits of the last character.
    ...Array.from(LETTERS, (letter) => text.slice(0, -1) + letter),
  ];
  for (const candidate of candidates) if (isSame(candidate)) yield candidate;
}

test('an encrypted text can be decrypted in exactly one encoding', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), (plain) => {
      const text = sealing.sealText('ticket', plain);
      expect(sealing.openText('ticket', text)).toBe(plain);
      const others = [...respellings(text)];
      expect(others.length).toBeGreaterThan(5);
      for (const other of others) expect(sealing.openText('ticket', other)).toBeNull();
    }),
  );
});

test('a text encrypted for one purpose cannot be decrypted for another, and a changed one cannot be decrypted', () => {
  const text = sealing.sealText('ticket', 'anna');
  expect(sealing.openText('puzzle', text)).toBeNull();
  expect(sealing.openText('ticket', '')).toBeNull();
  for (let i = 0; i < text.length; i++) {
    const letter = text[i] === 'A' ? 'B' : 'A';
    expect(sealing.openText('ticket', text.slice(0, i) + letter + text.slice(i + 1))).toBeNull();
  }
});

test('encrypting the same text gives the same result only in the deterministic variant', () => {
  expect(sealing.sealTextAlike('part', 'x')).toBe(sealing.sealTextAlike('part', 'x'));
  expect(sealing.openText('part', sealing.sealTextAlike('part', 'x'))).toBe('x');
  expect(sealing.sealText('part', 'x')).not.toBe(sealing.sealText('part', 'x'));
});
