import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { affordable, type Balance, ENTRY_KINDS, ENTRY_MOVES, payerOf, type Wanted } from './ledger.ts';

const balance = (available: number, overdraft = 0): Balance => ({ available, reserved: 0, overdraft });

describe('which messages a balance pays for', () => {
  test.each<[string, Balance, [number, number][], boolean[]]>([
    ['nothing is wanted', balance(5), [], []],
    [
      'the balance is enough for all',
      balance(5),
      [
        [2, 1],
        [3, 2],
      ],
      [true, true],
    ],
    [
      'level 5 comes first, although it was queued last',
      balance(3),
      [
        [2, 1],
        [2, 3],
        [3, 5],
      ],
      [false, false, true],
    ],
    [
      'a cheaper message is paid although a more expensive one before it is not',
      balance(2),
      [
        [3, 2],
        [1, 2],
      ],
      [false, true],
    ],
    [
      'of equal levels the first is paid',
      balance(1),
      [
        [1, 2],
        [1, 2],
      ],
      [true, false],
    ],
    [
      'only level 5 uses the overdraft',
      balance(0, 2),
      [
        [1, 4],
        [1, 5],
        [1, 5],
        [1, 5],
      ],
      [false, true, true, false],
    ],
    [
      'a used overdraft pays for no other level',
      balance(-1, 5),
      [
        [1, 3],
        [1, 5],
      ],
      [false, true],
    ],
    ['a negative number of units is refused', balance(5), [[-1, 2]], [false]],
  ])('%s', (_, held, wanted, expected) => {
    expect(
      affordable(
        held,
        wanted.map(([units, level]) => ({ units, level })),
      ),
    ).toEqual(expected);
  });

  it('never spends more than the balance, nor more than the overdraft for level 5, and prefers higher levels', () => {
    const wanted = fc.array(
      fc.record({ units: fc.integer({ min: 0, max: 9 }), level: fc.integer({ min: 0, max: 5 }) }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(
        fc.integer({ min: -20, max: 60 }),
        fc.integer({ min: 0, max: 20 }),
        wanted,
        (available, overdraft, all) => {
          const paid = affordable(balance(available, overdraft), all);
          const cost = (isCounted: (one: Wanted) => boolean) =>
            all.reduce((sum, one, at) => sum + (paid[at] && isCounted(one) ? one.units : 0), 0);
          expect(cost(() => true)).toBeLessThanOrEqual(Math.max(0, available + overdraft));
          expect(cost(({ level }) => level < 5)).toBeLessThanOrEqual(Math.max(0, available));
          // Whatever is not paid would not have been affordable with what all paid messages of its level and above left.
          for (const [at, one] of all.entries())
            if (!paid[at]) {
              const before = cost((other) => other.level > one.level);
              const floor = one.level >= 5 ? -overdraft : 0;
              const same = all.reduce(
                (sum, other, index) =>
                  sum + (paid[index] && other.level === one.level && index < at ? other.units : 0),
                0,
              );
              expect(available - before - same - one.units).toBeLessThan(floor);
            }
        },
      ),
    );
  });
});

test('every kind of entry moves units between two different accounts', () => {
  for (const kind of ENTRY_KINDS) expect(ENTRY_MOVES[kind].from).not.toBe(ENTRY_MOVES[kind].to);
});

test.each<[string, string, number[], number]>([
  ['its company, if nobody settles independently', '/1/4/9/', [], 4],
  ['itself, if it settles independently', '/1/4/9/', [9], 9],
  ['the nearest organisation above that settles independently', '/1/4/9/12/', [4, 9], 9],
  ['the root for itself', '/1/', [], 1],
  ['its company, even if the root settles independently', '/1/4/', [1], 4],
  ['nobody, for an empty path', '', [], 0],
])('an organisation is paid for by %s', (_, path, independent, payer) => {
  expect(payerOf(path, new Set(independent))).toBe(payer);
});
