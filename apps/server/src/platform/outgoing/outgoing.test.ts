import dns from 'node:dns';
import { expect, it, vi } from 'vitest';
import { createOutgoing } from './outgoing.ts';

it('a name server that does not respond delays nobody for long, and occupies two threads at most', async () => {
  vi.useFakeTimers();
  const asked = vi.spyOn(dns.promises, 'lookup').mockReturnValue(new Promise(() => undefined) as never);
  const { addressOf } = createOutgoing([]);
  const faults = Promise.all(
    ['a', 'b', 'c'].map((name) => addressOf(`${name}.example`).catch(({ fault }) => fault)),
  );
  await vi.advanceTimersByTimeAsync(10_000);
  expect(await faults).toEqual(['timed_out', 'timed_out', 'timed_out']);
  expect(asked).toHaveBeenCalledTimes(2);
  asked.mockRestore();
  vi.useRealTimers();
});
