import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PushOutcome, pushOutcome, pushResponse, shortened } from './web-push.ts';

test.each<[number, PushOutcome['kind']]>([
  [200, 'sent'],
  [201, 'sent'],
  [202, 'sent'],
  [301, 'refused'],
  [400, 'refused'],
  [403, 'refused'],
  [404, 'gone'],
  [408, 'unavailable'],
  [410, 'gone'],
  [413, 'refused'],
  [429, 'unavailable'],
  [500, 'unavailable'],
  [503, 'unavailable'],
])('the response %i of a push service means %s', (status, kind) => {
  expect(pushResponse(status).kind).toBe(kind);
});

const SENT: PushOutcome = { kind: 'sent' };
const GONE: PushOutcome = { kind: 'gone' };
const REFUSED: PushOutcome = { kind: 'refused', error: 'HTTP 400' };
const LATER: PushOutcome = { kind: 'unavailable', error: 'HTTP 503' };

test.each<[string, PushOutcome[], PushOutcome]>([
  ['no browser', [], GONE],
  ['one that is gone', [GONE], GONE],
  ['one that accepted it', [GONE, LATER, SENT], SENT],
  ['one that may accept it later', [GONE, REFUSED, LATER], LATER],
  ['one that refused it', [GONE, REFUSED], REFUSED],
])('the outcome for an account with %s', (_, outcomes, wanted) => {
  expect(pushOutcome(outcomes)).toEqual(wanted);
});

test('a shortened text has at most the given number of characters and divides none', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 40 }),
      fc.integer({ min: 1, max: 30 }),
      (text, most) => {
        const short = shortened(text, most);
        expect(Array.from(short).length).toBeLessThanOrEqual(most);
        // A divided character would become a replacement character.
        expect(Buffer.from(short).toString()).toBe(short);
        if (Array.from(text).length <= most) expect(short).toBe(text);
      },
    ),
  );
});
