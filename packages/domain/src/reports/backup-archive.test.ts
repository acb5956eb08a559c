import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type ArchiveFile, archiveFaults, BACKUP_FILE_NAME, sumsOf } from './backup-archive.ts';

const file = (name: string, sha256 = `hash of ${name}`, bytes = 7): ArchiveFile => ({ name, bytes, sha256 });
const LISTED = [file('a.csv'), file('b.csv'), file('summary.pdf')];

test.each([
  ['nothing was changed', LISTED, []],
  [
    'a file was changed',
    [file('a.csv', 'other'), file('b.csv'), file('summary.pdf')],
    [{ file: 'a.csv', fault: 'changed' }],
  ],
  [
    'a file has another size',
    [file('a.csv'), file('b.csv', undefined, 8), file('summary.pdf')],
    [{ file: 'b.csv', fault: 'changed' }],
  ],
  ['a file was removed', [file('a.csv'), file('summary.pdf')], [{ file: 'b.csv', fault: 'missing' }]],
  ['a file was added', [...LISTED, file('c.csv')], [{ file: 'c.csv', fault: 'extra' }]],
  [
    'a file was renamed',
    [file('z.csv', 'hash of a.csv'), file('b.csv'), file('summary.pdf')],
    [
      { file: 'a.csv', fault: 'missing' },
      { file: 'z.csv', fault: 'extra' },
    ],
  ],
  [
    'a file was renamed to an earlier name',
    [file('a.csv'), file('B.csv', 'hash of b.csv'), file('summary.pdf')],
    [
      { file: 'B.csv', fault: 'extra' },
      { file: 'b.csv', fault: 'missing' },
    ],
  ],
])('an archive is compared with its manifest: %s', (_, found, faults) => {
  expect(archiveFaults(LISTED, found)).toEqual(faults);
});

test('every single change of an archive names exactly the changed file', () => {
  const files = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 });
  fc.assert(
    fc.property(files, fc.nat(), (names, at) => {
      const listed = names.map((name) => file(name));
      const tampered = names[at % names.length] as string;
      const found = listed.map((each) => (each.name === tampered ? file(tampered, 'other') : each));
      expect(archiveFaults(listed, found)).toEqual([{ file: tampered, fault: 'changed' }]);
      expect(archiveFaults(listed, listed.toReversed())).toEqual([]);
    }),
  );
});

test('the sums have the format of sha256sum', () => {
  expect(sumsOf([file('a.csv', 'aa'), file('b.csv', 'bb')])).toBe('aa  a.csv\nbb  b.csv\n');
});

test.each([
  ['ward-1_2026', true],
  ['', false],
  ['ward 1', false],
  ['../ward', false],
  ['ward.zip', false],
  ['冷库', false],
])('%j as a backup file name: %s', (name, isValid) => {
  expect(BACKUP_FILE_NAME.test(name)).toBe(isValid);
});
