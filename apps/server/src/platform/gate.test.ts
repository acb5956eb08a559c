import { expect, it } from 'vitest';
import { createGate } from './gate.ts';

it('lets so many pass at once, so many wait in their order, and refuses the rest', async () => {
  const gate = createGate({ atOnce: 2, waiting: 2 }, () => new Error('full'));
  const begun: number[] = [];
  const open: (() => void)[] = [];
  const enter = (i: number) =>
    gate.pass(() => {
      begun.push(i);
      return new Promise<number>((resolve) => open.push(() => resolve(i)));
    });
  const all = [1, 2, 3, 4].map(enter);
  await expect(enter(5)).rejects.toThrow('full');
  expect(begun).toEqual([1, 2]);
  open.shift()?.();
  expect(await all[0]).toBe(1);
  await Promise.resolve();
  expect(begun).toEqual([1, 2, 3]);
  while (open.length > 0) {
    open.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
});

it('a failure frees its place', async () => {
  const gate = createGate({ atOnce: 1, waiting: 0 }, () => new Error('full'));
  await expect(gate.pass(() => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
  expect(await gate.pass(() => Promise.resolve('through'))).toBe('through');
});

it('a place that outlives its call is given back once, however often it is given back', async () => {
  const gate = createGate({ atOnce: 2, waiting: 0 }, () => new Error('full'));
  const [first, second] = [await gate.enter(), await gate.enter()];
  await expect(gate.enter()).rejects.toThrow('full');
  first();
  first();
  await gate.enter();
  await expect(gate.enter()).rejects.toThrow('full');
  second();
  await gate.enter();
});
