import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('so many for each and so many in all, and each is given back once', () => {
  const places = createPlaces({ each: 2, inAll: 3 });
  const first = places.enter('a');
  places.enter('a');
  expect(() => places.enter('a')).toThrow('request.too_many');
  const other = places.enter('b');
  expect(() => places.enter('b')).toThrow('request.too_many');
  first();
  first();
  places.enter('b');
  expect(() => places.enter('a')).toThrow('request.too_many');
  other();
  places.enter('a');
});
