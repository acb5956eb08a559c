import { expect, it } from 'vitest';
import { isExternalLink } from './links.ts';

it.each([
  ['http://example.org', true],
  ['https://example.org/help', true],
  ['HTTPS://EXAMPLE.ORG', true],
  ['mailto:help@example.org', true],
  ['tel:+4912345', true],
  ['management/users', false],
  ['httpfoo', false],
  ['javascript:alert(1)', false],
  ['ftp://example.org', false],
])('a link is external if it starts with http(s), mailto or tel: %s is %s', (path, expected) => {
  expect(isExternalLink(path)).toBe(expected);
});
