import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nextTurns, type Waiting } from './fair-turns.ts';

const SHARES = { each: 2, inAll: 4 };
const NOBODY = { held: new Map(), lastTurn: new Map() };

/** Parses `A B! A` to waiting items in order of arrival; `!` marks an urgent item. */
function line(text: string): Waiting[] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word, id) => ({ id, of: word.charCodeAt(0), urgent: word.endsWith('!') }));
}
const map = (text: string) =>
  new Map(
    text
      .split(' ')
      .filter((word) => word !== '')
      .map((word) => [word.charCodeAt(0), Number(word.slice(1))] as const),
  );
const names = (turns: Waiting[]) => turns.map(({ of }) => String.fromCharCode(of)).join(' ');

describe('the fair choice of the next items', () => {
  it.each([
    ['no item waits', '', '', '', ''],
    ['a single owner gets its share, but not all places', 'A A A A A', '', '', 'A A'],
    ['two owners get the same number of places', 'A A A A B B B', '', '', 'A B A B'],
    ['a later owner gets a place although another has many items', 'A A A A A C', '', '', 'A C A'],
    ['an owner that uses its whole share waits', 'A A B', 'A2', '', 'B'],
    ['the owner with fewer places in use comes first', 'A B', 'A1 C2', '', 'B'],
    ['there is no free place', 'A', 'B2 C2', '', ''],
    ['more places are in use than exist', 'A', 'B3 C3', '', ''],
    ['an urgent item comes first', 'A B C D E!', '', '', 'E A B C'],
    ['an urgent item also comes before an owner with fewer places in use', 'B A!', 'A1 C2', '', 'A'],
    ['an urgent item of an owner that uses its whole share waits too', 'A! B', 'A2', '', 'B'],
    ['urgent items of several owners are shared out fairly', 'A! A! A! B! C!', '', '', 'A B C A'],
    ['an owner that just had a turn lets others go first', 'A B C', 'D2 E1', 'A7 B8', 'C'],
    ['among these, the owner that has waited longest comes first', 'A B', 'D2 E1', 'A8 B7', 'B'],
  ])('the items are chosen fairly: %s', (_words, waiting, held, lastTurn, expected) => {
    expect(names(nextTurns(line(waiting), { held: map(held), lastTurn: map(lastTurn) }, SHARES))).toBe(
      expected,
    );
  });

  it('the items of each owner keep their order of arrival', () => {
    const turns = nextTurns(line('A B A B A'), NOBODY, SHARES);
    expect(turns.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
  });
});

it('an owner with a waiting item gets a slot before an owner with fast items gets many', () => {
  const someWaiting = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(someWaiting, (of) => {
      let waiting = of.map((each, id) => ({ id, of: each, urgent: false }));
      const first = new Map<number, number>();
      const lastTurn = new Map<number, number>();
      // All items are fast: each slot is free again in the next round.
      for (let turn = 1; waiting.length > 0; turn++) {
        const [next] = nextTurns(waiting, { held: new Map(), lastTurn }, { each: 1, inAll: 1 }) as [Waiting];
        lastTurn.set(next.of, turn);
        if (!first.has(next.of)) first.set(next.of, turn);
        waiting = waiting.filter(({ id }) => id !== next.id);
      }
      const parties = new Set(of).size;
      for (const turn of first.values()) expect(turn).toBeLessThanOrEqual(parties);
    }),
  );
});

it('no owner exceeds its share, and no slot stays free while a waiting item could use it', () => {
  const party = fc.integer({ min: 1, max: 4 });
  const waiting = fc.array(fc.tuple(party, fc.boolean()), { maxLength: 20 });
  const held = fc.array(fc.tuple(party, fc.integer({ min: 0, max: 2 })), { maxLength: 4 });
  fc.assert(
    fc.property(waiting, held, (some, holding) => {
      const turns = { held: new Map(holding), lastTurn: new Map() };
      const all = some.map(([of, urgent], id) => ({ id, of, urgent }));
      const chosen = nextTurns(all, turns, SHARES);
      const holds = new Map(turns.held);
      for (const { of } of chosen) holds.set(of, (holds.get(of) ?? 0) + 1);
      for (const { of } of chosen) expect(holds.get(of)).toBeLessThanOrEqual(SHARES.each);
      const inUse = [...turns.held.values()].reduce((sum, each) => sum + each, 0) + chosen.length;
      const left = all.filter((each) => !chosen.includes(each));
      const mayEnter = left.some(({ of }) => (holds.get(of) ?? 0) < SHARES.each);
      expect(mayEnter && inUse < SHARES.inAll).toBe(false);
    }),
  );
});
