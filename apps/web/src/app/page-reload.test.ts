import { afterEach, expect, it, vi } from 'vitest';
import { shouldReload } from './page-reload.ts';

const PAGE = 'http://localhost/alarm/current';
const NOW = Date.UTC(2026, 0, 1);
const answers = (answer: () => Promise<Response>) => vi.stubGlobal('fetch', answer);

afterEach(() => sessionStorage.clear());

it('a page whose code is missing is loaded again once, and once more after a minute', async () => {
  answers(async () => new Response());
  expect(await shouldReload(PAGE, NOW)).toBe(true);
  expect(await shouldReload(PAGE, NOW + 59_000)).toBe(false);
  expect(await shouldReload('http://localhost/alarm/graded', NOW + 59_000)).toBe(true);
  expect(await shouldReload(PAGE, NOW + 60_000)).toBe(true);
});

it.each<[string, () => Promise<Response>]>([
  ['cannot be reached', () => Promise.reject(new TypeError('no network'))],
  ['answers with an error', async () => new Response(null, { status: 503 })],
])('the console stays as it is while the server %s', async (_, answer) => {
  answers(answer);
  expect(await shouldReload(PAGE, NOW)).toBe(false);
  answers(async () => new Response());
  expect(await shouldReload(PAGE, NOW)).toBe(true);
});
