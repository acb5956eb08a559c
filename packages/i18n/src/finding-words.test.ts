import { expect, it } from 'vitest';
import { findingWords } from './finding-words.ts';

const text = (id: string, values: Record<string, string | number> = {}) =>
  [id, ...Object.values(values)].join(' ');
const goods = { product: 'Vaccine', unit: 'boxes', quantity: 12, received: 12 };

it('nothing is said of a hand-over without findings', () => {
  expect(findingWords({ sealsIntact: true, undamaged: true, received: [goods] }, text, 'en')).toEqual([]);
});

it('broken seals, damage and missing goods are said, with the quantities in the language', () => {
  const received = [goods, { ...goods, quantity: 2.5, received: 1, unit: '' }, { ...goods, received: 11 }];
  expect(findingWords({ sealsIntact: false, undamaged: false, received }, text, 'es')).toEqual([
    'trips.seals.broken',
    'trips.damaged',
    'trips.part Vaccine 1 2,5',
    'trips.part Vaccine 11 12 boxes',
  ]);
});
