import { expect, test } from 'vitest';
import { fileTypeOf } from './file-type.ts';

test.each([
  ['a PDF', '%PDF-1.7\n', 'application/pdf'],
  ['a JPEG', '\xff\xd8\xff\xe0', 'image/jpeg'],
  ['a PNG', '\x89PNG\r\n\x1a\n', 'image/png'],
  ['a GIF', 'GIF89a', 'image/gif'],
  ['an HTML page', '<!doctype html>', null],
  ['a drawing with a script', '<svg onload="x()">', null],
  ['a PDF after other bytes', '<script>%PDF-1.7', null],
  ['a program', 'MZ\x90\x00', null],
  ['nothing', '', null],
])('%s is detected by its first bytes', (_words, head, type) => {
  expect(fileTypeOf(Buffer.from(head, 'latin1'))).toBe(type);
});
