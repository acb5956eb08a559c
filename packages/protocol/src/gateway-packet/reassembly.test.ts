import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import type { OpenedPacket } from './packet.ts';
import { createReassembly } from './reassembly.ts';

const MINUTE = 60_000;

function part(
  messageId: number,
  index: number,
  count: number,
  content: number[],
  type = 'readings',
): OpenedPacket {
  const header = { messageId } as OpenedPacket['header'];
  return {
    header,
    type: type as 'readings',
    counter: index === 0 ? null : index,
    part: { index, count },
    content: Uint8Array.from(content),
  };
}

it('a message is reassembled for any order and repetition of its parts', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 16 }).chain((count) =>
        fc.record({
          order: fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
          repeats: fc.array(fc.nat(count - 1), { maxLength: 8 }),
          count: fc.constant(count),
        }),
      ),
      ({ order, repeats, count }) => {
        const reassembly = createReassembly(4, 1_000, MINUTE);
        const arrivals = [...order.slice(0, -1), ...repeats.filter((index) => index !== order.at(-1))];
        for (const index of arrivals)
          expect(reassembly.accept(part(7, index, count, [index, index]), 0)).toBeNull();
        const whole = reassembly.accept(part(7, order.at(-1)!, count, [order.at(-1)!, order.at(-1)!]), 0);
        const expected = [...Array(count).keys()].flatMap((index) => [index, index]);
        expect(whole).toMatchObject({ type: 'readings', messageId: 7, content: Uint8Array.from(expected) });
        expect([...whole!.counters].sort((a, b) => a - b)).toEqual([...Array(count).keys()].slice(1));
        expect(reassembly.held).toBe(0);
      },
    ),
  );
});

it('a message that is not split is passed on unchanged', () => {
  const whole = { ...part(3, 0, 2, [9]), part: null };
  expect(createReassembly(1, 1, 1).accept(whole, 0)).toMatchObject({ messageId: 3, content: whole.content });
});

test.each<[string, OpenedPacket]>([
  ['another type', part(7, 1, 2, [2], 'backlog')],
  ['another number of parts', part(7, 1, 3, [2])],
])('a message with the same number and %s is treated as another message', (_name, other) => {
  const reassembly = createReassembly(4, 100, MINUTE);
  reassembly.accept(part(7, 0, 2, [1]), 0);
  expect(reassembly.accept(other, 0)).toBeNull();
  expect(reassembly.held).toBe(1);
});

it('after a timeout, incomplete messages are discarded and nothing else', () => {
  const reassembly = createReassembly(4, 100, MINUTE);
  reassembly.accept(part(1, 0, 2, [1]), 0);
  reassembly.accept(part(2, 0, 3, [1]), 0);
  reassembly.accept(part(2, 1, 3, [1]), MINUTE - 1);
  expect(reassembly.expire(MINUTE)).toBe(1);
  expect(reassembly.held).toBe(2);
  expect(reassembly.accept(part(2, 2, 3, [1]), MINUTE)).not.toBeNull();
  expect(reassembly.accept(part(1, 1, 2, [1]), MINUTE)).toBeNull();
});

test.each([
  ['messages', 2, 1_000, 3],
  ['bytes', 100, 25, 3],
])('with too many %s, the oldest message is discarded', (_name, maxMessages, maxBytes, messages) => {
  const reassembly = createReassembly(maxMessages, maxBytes, MINUTE);
  for (let id = 1; id <= messages; id++) reassembly.accept(part(id, 0, 2, Array(10).fill(id)), 0);
  expect(reassembly.held).toBe(20);
  expect(reassembly.accept(part(3, 1, 2, [1]), 0)).not.toBeNull();
  expect(reassembly.accept(part(1, 1, 2, [1]), 0)).toBeNull();
});
