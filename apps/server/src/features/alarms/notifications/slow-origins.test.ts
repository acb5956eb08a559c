import { expect, test } from 'vitest';
import { createSlowOrigins } from './slow-origins.ts';

const HOOK = 'https://hooks.example/a?token=1';

test('a server that answers in time has any number of requests under way', () => {
  const origins = createSlowOrigins(() => 0);
  for (let i = 0; i < 100; i++) origins.begin(HOOK);
  expect(origins.mayBegin(HOOK)).toBe(true);
});

test('a slow server has four requests under way for a minute, and others are not affected', () => {
  let at = 0;
  const origins = createSlowOrigins(() => at);
  const end = origins.begin(HOOK);
  at = 4_000;
  end();
  const ends = [0, 1, 2, 3].map(() => origins.begin('https://hooks.example/b'));
  expect(origins.mayBegin(HOOK)).toBe(false);
  expect(origins.mayBegin('https://hooks.example:8443/a')).toBe(true);
  expect(origins.mayBegin('not an address')).toBe(true);
  ends[0]?.();
  expect(origins.mayBegin(HOOK)).toBe(true);
  origins.begin(HOOK);
  at = 63_999;
  expect(origins.mayBegin(HOOK)).toBe(false);
  at = 64_000;
  expect(origins.mayBegin(HOOK)).toBe(true);
});

test('only the latest slow servers are remembered', () => {
  let at = 0;
  const origins = createSlowOrigins(() => at);
  const makeSlow = (url: string) => {
    const end = origins.begin(url);
    at += 4_000;
    end();
  };
  const ends = [];
  for (let i = 0; i < 4; i++) ends.push(origins.begin(HOOK));
  makeSlow(HOOK);
  expect(origins.mayBegin(HOOK)).toBe(false);
  const others = Array.from({ length: 10_000 }, (_, i) => origins.begin(`https://${i}.example`));
  at += 4_000;
  for (const end of others) end();
  expect(origins.mayBegin(HOOK)).toBe(true);
});
