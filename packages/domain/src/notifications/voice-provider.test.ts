import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callTwiml, channelOfProvider, PROVIDER_KINDS, sayingTwiml } from './voice-provider.ts';

test.each(PROVIDER_KINDS)('a provider of the kind %s delivers one notification channel', (kind) => {
  expect(channelOfProvider(kind)).toBe(kind.endsWith('-voice') ? 'voice' : 'sms');
});

const call = {
  text: 'Cold store 1: too warm',
  prompt: 'Press 1.',
  language: 'en',
  action: 'https://a/?id=1&b',
} as const;

test('a call says the text with its prompt twice, and waits for one key', () => {
  const twiml = callTwiml(call);
  expect(twiml).toContain('<Gather numDigits="1" timeout="10" method="POST" action="https://a/?id=1&#38;b">');
  expect(twiml.split('<Say language="en-US">Cold store 1: too warm Press 1.</Say>')).toHaveLength(3);
});

test.each([
  ['without a prompt', { ...call, prompt: '' }],
  ['without an address for the key', { ...call, action: null }],
])('a call %s asks for no key', (_, asked) => {
  const twiml = callTwiml(asked);
  expect(twiml).not.toContain('Gather');
  expect(twiml).not.toContain('Press');
});

test('a text cannot add elements to a call', () =>
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const spoken = sayingTwiml(text, 'zh-TW').replace(/^<\?xml[^>]*>/, '');
      const inner = /^<Response><Say language="zh-TW">([\s\S]*)<\/Say><\/Response>$/.exec(spoken)?.[1] ?? '<';
      expect(inner).not.toMatch(/[<>"']|&(?!#\d+;)|\p{Cc}/u);
    }),
  ));
