import { describe, expect, it } from 'vitest';
import { createIsPermitted } from './permitted-address.ts';

describe('permitted targets of requests (decision 19)', () => {
  const isPermitted = createIsPermitted([]);
  it.each([
    ['8.8.8.8', true],
    ['2606:4700:4700::1111', true],
    ['127.0.0.1', false],
    ['127.8.9.1', false],
    ['0.0.0.0', false],
    ['10.1.2.3', false],
    ['172.16.0.1', false],
    ['192.168.1.20', false],
    ['100.64.0.1', false],
    ['169.254.169.254', false],
    ['192.0.2.1', false],
    ['198.18.0.1', false],
    ['224.0.0.1', false],
    ['255.255.255.255', false],
    ['::', false],
    ['::1', false],
    ['fe80::1', false],
    ['fd00::1', false],
    ['ff02::1', false],
    ['::ffff:127.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['64:ff9b::7f00:1', false],
    ['2002:7f00:1::', false],
    ['::127.0.0.1', false],
    ['::7f00:1', false],
    ['::808:808', false],
    ['2001:db8::1', false],
    ['localhost', false],
    ['', false],
  ])('the default permission for the target %s is %s', (address, permitted) => {
    expect(isPermitted(address)).toBe(permitted);
  });
});

it('networks permitted by the operator are allowed, and no others', () => {
  const isPermitted = createIsPermitted(['192.168.1.0/24', '127.0.0.1', 'fd00:1::/32']);
  const seen = [
    '192.168.1.77',
    '192.168.2.1',
    '127.0.0.1',
    '127.0.0.2',
    'fd00:1::9',
    'fd00:2::9',
    '::ffff:192.168.1.5',
  ];
  expect(seen.filter(isPermitted)).toEqual(['192.168.1.77', '127.0.0.1', 'fd00:1::9', '::ffff:192.168.1.5']);
  expect(() => createIsPermitted(['cameras'])).toThrow();
});
