import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_DSN_BYTES, readDsn } from './dsn.ts';

const report = (
  status: string,
  head = 'Content-Type: multipart/report; report-type=delivery-status;\r\n boundary="b1"',
) =>
  [
    'From: MAILER-DAEMON@example.org',
    head,
    '',
    'This is a MIME message.',
    '--b1',
    'Content-Type: text/plain',
    '',
    'Your message could not be delivered. Status: 5.9.9',
    '--b1',
    status,
    '--b1',
    'Content-Type: text/rfc822-headers',
    '',
    'Subject: Alarm',
    '--b1--',
    'Action: failed',
  ].join('\r\n');
const status = (...lines: string[]) =>
  ['Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.org', '', ...lines].join(
    '\r\n',
  );
const FAILED = [
  'Final-Recipient: rfc822; nurse@example.org',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 user',
  '  unknown',
];
const FOUND = { action: 'failed', status: '5.1.1', diagnostic: '550 5.1.1 user unknown' };

describe('delivery status notifications', () => {
  it.each([
    ['a failure', FAILED, [FOUND]],
    [
      'a delay',
      ['Final-Recipient: rfc822; a@b', 'Action: Delayed', 'Status: 4.4.1 (no answer)'],
      [{ action: 'delayed', status: '4.4.1', diagnostic: '' }],
    ],
    ['two recipients', [...FAILED, '', ...FAILED], [FOUND, FOUND]],
    ['several empty lines', ['', '', ...FAILED, '', '', ...FAILED], [FOUND, FOUND]],
    ['no status', ['Final-Recipient: rfc822; a@b', 'Action: failed'], []],
    ['an unknown action', ['Final-Recipient: rfc822; a@b', 'Action: eaten', 'Status: 5.0.0'], []],
    ['no recipient', ['Action: failed', 'Status: 5.0.0'], []],
    [
      'a repeated field',
      ['Final-Recipient: rfc822; a@b', 'Action: failed', 'Status: 5.1.1', 'Status: 2.0.0', ' folded'],
      [{ action: 'failed', status: '5.1.1', diagnostic: '' }],
    ],
    ['lines without a name', [': x', 'nothing', ' folded', ...FAILED], [FOUND]],
  ])('%s', (_, lines, found) => {
    expect(readDsn(report(status(...lines)))).toEqual(found);
    expect(readDsn(report(status(...lines)).replaceAll('\r\n', '\n'))).toEqual(found);
  });

  it.each([
    ['an empty text', ''],
    ['a text without a header', '\r\n\r\nAction: failed'],
    ['a header without a body', 'Content-Type: multipart/report; report-type=delivery-status; boundary=b1'],
    [
      'an automatic answer',
      report(status(...FAILED), 'Auto-Submitted: auto-replied\r\nContent-Type: text/plain'),
    ],
    [
      'a read receipt',
      report(
        status(...FAILED),
        'Content-Type: multipart/report; report-type=disposition-notification; boundary=b1',
      ),
    ],
    [
      'no boundary',
      report(status(...FAILED), 'Content-Type: multipart/report; report-type=delivery-status; x'),
    ],
    [
      'a boundary that is too long',
      report(
        status(...FAILED),
        `Content-Type: multipart/report; report-type=delivery-status; boundary=${'b'.repeat(71)}`,
      ),
    ],
    ['no part about the delivery', report('Content-Type: text/plain\r\n\r\nAction: failed')],
    ['a part without a header', report('Action: failed')],
    ['an encoded part', report(`Content-Transfer-Encoding: base64\r\n${status(...FAILED)}`)],
    ['too many bytes', report(status(...FAILED)) + ' '.repeat(MAX_DSN_BYTES)],
  ])('%s is no report', (_, source) => expect(readDsn(source)).toBeNull());

  it('parts and groups of fields beyond the limit are not read', () => {
    const many = Array.from({ length: 60 }, () => [...FAILED, '']).flat();
    expect(readDsn(report(status(...many)))).toHaveLength(49);
    const parts = Array.from({ length: 60 }, () => 'Content-Type: text/plain\r\n\r\nx\r\n--b1').join('\r\n');
    expect(readDsn(report(`${parts}\r\n${status(...FAILED)}`))).toBeNull();
  });

  it('control characters and long lines of a diagnosis do not get through', () => {
    const [found] =
      readDsn(
        report(status(...FAILED.slice(0, 3), `Diagnostic-Code: smtp; a\u0007\u2028b ${'x'.repeat(400)}`)),
      ) ?? [];
    expect(found?.diagnostic).toMatch(/^a b x{1,198}$/);
    const folded = Array.from({ length: 3_000 }, () => ' y'.repeat(2));
    expect(readDsn(report(status(...FAILED, ...folded)))?.[0]?.diagnostic).toHaveLength(200);
  });

  it('whatever is sent, nothing throws', () => {
    const line = fc.constantFrom(
      '',
      '--b1',
      '--b1--',
      'Content-Type: message/delivery-status',
      ...FAILED,
      ' x',
      ':',
      '\t',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => {
        expect(() => readDsn(lines.join('\r\n'))).not.toThrow();
        expect(() => readDsn(report(lines.join('\n')))).not.toThrow();
      }),
    );
  });
});
