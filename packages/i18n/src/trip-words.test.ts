import { expect, it } from 'vitest';
import { createTranslator } from './translator.ts';
import { tripWords } from './trip-words.ts';

const translate = createTranslator();

it('shipments are named with their leg', () => {
  const words = (trips: Parameters<typeof tripWords>[0]) =>
    tripWords(trips, (id, values) => translate('en', id, values));
  expect(words([])).toBe('');
  expect(
    words([
      { waybillId: 1, number: 'W-1', stage: 'in-transit', leg: 2 },
      { waybillId: 2, number: 'W-2', stage: 'origin', leg: 1 },
    ]),
  ).toBe('W-1: in transit, leg 2 · W-2: at origin');
});
