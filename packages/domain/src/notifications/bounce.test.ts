import { expect, it } from 'vitest';
import { BOUNCE_MAC_LENGTH, bounceError, bounceName, judgeBounce, readBounceAddress } from './bounce.ts';

it.each([
  ['failed', '5.1.1', 'hard'],
  ['failed', '5.0.0', 'hard'],
  ['failed', '5.2.2', 'soft'],
  ['failed', '5.3.4', 'soft'],
  ['failed', '4.4.7', 'soft'],
  ['failed', '2.0.0', 'none'],
  ['delayed', '4.4.1', 'delayed'],
  ['delivered', '2.0.0', 'none'],
  ['relayed', '2.0.0', 'none'],
])('%s with %s is %s', (action, status, kind) => expect(judgeBounce({ action, status })).toBe(kind));

it('an error names the status and what the server said', () => {
  expect(bounceError('bounced', '5.1.1', '550 user unknown')).toBe('bounced (5.1.1 550 user unknown)');
  expect(bounceError('delayed', '4.4.1', '')).toBe('delayed (4.4.1)');
});

const MAC = 'a1'.repeat(BOUNCE_MAC_LENGTH / 2);
it.each([
  [`${bounceName(42, MAC)}@bounces.example.com`, { messageId: 42, mac: MAC }],
  [`BOUNCES+42-${MAC.toUpperCase()}@Bounces.Example.com`, { messageId: 42, mac: MAC }],
  [`${bounceName(42, MAC)}@example.com`, null],
  [`bounces+0-${MAC}@bounces.example.com`, null],
  [`bounces+42-${MAC}0@bounces.example.com`, null],
  [`bounces+9999999999999999-${MAC}@bounces.example.com`, null],
  [`x+42-${MAC}@bounces.example.com`, null],
  ['postmaster@bounces.example.com', null],
  ['nothing', null],
  ['', null],
])('the address %s is %j', (address, found) => {
  expect(readBounceAddress(address, 'bounces.example.com')).toEqual(found);
});
