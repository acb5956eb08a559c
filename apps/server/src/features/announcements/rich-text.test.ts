import { RICH_TEXT } from '@isotherm/contracts/rich-text';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanRichText, plainText, summaryOf } from './rich-text.ts';

it.each([
  ['a script', '<p>a</p><script>alert(1)</script>', '<p>a</p>'],
  ['a handler', '<p onclick="alert(1)" style="position:fixed">a</p>', '<p>a</p>'],
  ['an image', '<p>a<img src=x onerror=alert(1)></p>', '<p>a</p>'],
  ['a drawing', '<svg><script>alert(1)</script></svg><p>a</p>', '<p>a</p>'],
  ['a frame', '<iframe src="https://evil.example"></iframe><p>a</p>', '<p>a</p>'],
  ['a form', '<form action="https://evil.example"><input name="p"><p>a</p></form>', '<p>a</p>'],
  ['a script link', '<a href="javascript:alert(1)">a</a>', '<a>a</a>'],
  ['a hidden script link', '<a href="java&#10;script:alert(1)">a</a>', '<a>a</a>'],
  ['a data link', '<a href="data:text/html,<script>alert(1)</script>">a</a>', '<a>a</a>'],
  ['a link without protocol', '<a href="//evil.example">a</a>', '<a>a</a>'],
  ['a style sheet', '<style>p{display:none}</style><p>a</p>', '<p>a</p>'],
  ['a comment', '<!--[if IE]><script>alert(1)</script><![endif]--><p>a</p>', '<p>a</p>'],
  [
    'a nested markup',
    '<p>a</p><noscript><p title="</noscript><img src=x onerror=alert(1)>"></noscript>',
    '<p>a</p><p></p>',
  ],
])('%s is removed', (_, html, clean) => {
  expect(cleanRichText(html)).toBe(clean);
});

it('allowed formatting is kept, and that of other editors is converted', () => {
  const html =
    '<h3>Title</h3><p>One <strong>two</strong> <em>three</em><br />four</p><ul><li><p>five</p></li></ul>' +
    '<p><a href="https://example.com/?a=1&amp;b=2">six</a> <a href="mailto:a@example.com">seven</a></p>';
  expect(cleanRichText(html)).toBe(html);
  expect(cleanRichText('<div><b>a</b> <i>b</i></div><h1>c</h1>')).toBe(
    '<p><strong>a</strong> <em>b</em></p><h3>c</h3>',
  );
});

it('whatever is typed, only allowed elements remain, and cleaning again changes nothing', () => {
  const part = fc.oneof(
    fc.string(),
    fc.constantFrom(
      '<',
      '>',
      '"',
      "'",
      '<script>',
      '</p>',
      '<svg>',
      '<math>',
      '<a href=',
      'javascript:',
      '<!--',
      '<p',
      ' onerror=',
      '&#x3C;',
    ),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const clean = cleanRichText(parts.join(''));
      for (const [, name = ''] of clean.matchAll(/<\/?([a-z0-9]+)/gi))
        expect(RICH_TEXT.tags as readonly string[]).toContain(name);
      expect(clean).not.toMatch(/<[^>]*\son\w+=/i);
      expect(cleanRichText(clean)).toBe(clean);
    }),
    { numRuns: 500 },
  );
});

it('plain text has one line for each paragraph, and a summary one line in all', () => {
  const html = '<h3>Sunday</h3><p>2 &lt; 3 &amp; 4</p><ul><li><p>one</p></li><li><p>two</p></li></ul><p></p>';
  expect(plainText(html)).toBe('Sunday\n2 < 3 & 4\none\ntwo');
  expect(summaryOf(plainText(html))).toBe('Sunday 2 < 3 & 4 one two');
  expect(summaryOf('é'.repeat(300))).toBe(`${'é'.repeat(199)}…`);
});
