import { describe, expect, it } from 'vitest';
import { createGate, type GateLimits } from './gate.ts';

it('a gate runs a limited number at a time, queues a limited number in order, and refuses the rest', async () => {
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

it('a failed task releases its slot', async () => {
  const gate = createGate({ atOnce: 1, waiting: 0 }, () => new Error('full'));
  await expect(gate.pass(() => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
  expect(await gate.pass(() => Promise.resolve('through'))).toBe('through');
});

it('a slot that is held longer than one call is released only once, even if its release function is called repeatedly', async () => {
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

describe('fairness between owners', () => {
  /** Creates a gate whose tasks end on command, and records the order in which they began. */
  function watched(limits: GateLimits) {
    const gate = createGate(limits, () => new Error('full'));
    const begun: string[] = [];
    const refused: string[] = [];
    const open: (() => void)[] = [];
    return {
      begun,
      refused,
      enter(owner: string, name = owner) {
        void gate
          .pass(() => {
            begun.push(name);
            return new Promise<void>((resolve) => open.push(resolve));
          }, owner)
          .catch(() => refused.push(name));
      },
      async next() {
        open.shift()?.();
        await new Promise((resolve) => setImmediate(resolve));
      },
    };
  }

  it('owners are served in turn, so that one with much work does not delay another', async () => {
    const { enter, begun, next } = watched({ atOnce: 1, waiting: 10 });
    for (const name of ['a1', 'a2', 'a3']) enter('a', name);
    enter('b', 'b1');
    await next();
    await next();
    await next();
    await next();
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  });

  it('an owner holds at most its own limit of slots, and other owners can use the rest', async () => {
    const { enter, begun, refused, next } = watched({
      atOnce: 3,
      waiting: 10,
      ofOne: { atOnce: 1, waiting: 1 },
    });
    for (const name of ['a1', 'a2', 'a3']) enter('a', name);
    enter('b', 'b1');
    await Promise.resolve();
    expect(begun).toEqual(['a1', 'b1']);
    await next();
    expect(begun).toEqual(['a1', 'b1', 'a2']);
    expect(refused).toEqual(['a3']);
  });

  it('if the queue is full, a task of the owner with the most waiting tasks is refused in favour of an owner with fewer', async () => {
    const { enter, begun, refused, next } = watched({ atOnce: 1, waiting: 3 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) enter('a', name);
    enter('b', 'b1');
    enter('a', 'a5');
    await next();
    expect(refused.sort()).toEqual(['a4', 'a5']);
    for (let i = 0; i < 4; i++) await next();
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3']);
  });
});
