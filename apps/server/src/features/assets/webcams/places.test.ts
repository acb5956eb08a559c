import { expect, it } from 'vitest';
import { createPlaces } from './places.ts';

it('parallel requests are limited per user, per enterprise and in total, and releasing a slot twice has no further effect', () => {
  const places = createPlaces({ each: 2, ofEnterprise: 3, inAll: 4 });
  const enter = (username: string, scope: string) => places.enter({ username, scope });
  const first = enter('a', '/1/2/');
  enter('a', '/1/2/');
  expect(() => enter('a', '/1/2/')).toThrow('request.too_many');
  const second = enter('b', '/1/2/7/');
  // The first enterprise is at its limit; another one is not.
  expect(() => enter('b', '/1/2/7/')).toThrow('request.too_many');
  expect(() => enter('c', '/1/2/')).toThrow('request.too_many');
  const other = enter('d', '/1/3/');
  expect(() => enter('e', '/1/4/')).toThrow('request.too_many');
  first();
  first();
  enter('c', '/1/2/');
  expect(() => enter('e', '/1/4/')).toThrow('request.too_many');
  other();
  second();
  enter('a', '/1/2/');
  enter('e', '/1/4/');
});
