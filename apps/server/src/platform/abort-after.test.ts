import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { abortAfter } from './abort-after.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const aborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) =>
    signal.addEventListener('abort', () => resolve((signal.reason as Error).name), { once: true }),
  );

it('is aborted when the time is up, also if garbage was collected meanwhile', async () => {
  const all = Promise.all(
    Array.from({ length: 20 }, () => aborted(abortAfter(200, new AbortController().signal))),
  );
  for (let i = 0; i < 3; i++) {
    await setTimeout(20);
    collectGarbage();
  }
  expect(await Promise.race([all, setTimeout(5_000)])).toEqual(Array(20).fill('TimeoutError'));
});

it('is aborted with the reason of the first of the other signals', () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const signal = abortAfter(60_000, first.signal, second.signal);
  expect(signal.aborted).toBe(false);
  second.abort(new Error('second'));
  first.abort(new Error('first'));
  expect(signal.reason).toEqual(new Error('second'));
});

it('is aborted at once if another signal already is', () => {
  expect(abortAfter(60_000, AbortSignal.abort()).aborted).toBe(true);
});
