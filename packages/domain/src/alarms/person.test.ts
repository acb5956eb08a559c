import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PERSON_TYPES, personKey, personOf } from './person.ts';

test('every person is found again from the key', () => {
  const person = fc.record({ type: fc.constantFrom(...PERSON_TYPES), id: fc.integer({ min: 1 }) });
  fc.assert(
    fc.property(person, (each) => {
      expect(personOf(personKey(each))).toEqual(each);
    }),
  );
});

test.each([
  '',
  'accounts',
  'accounts:',
  'accounts:0',
  'accounts:01',
  'accounts:-1',
  'accounts:1:2',
  'groups:1',
])('%j is not the key of a person', (key) => expect(personOf(key)).toBeNull());
