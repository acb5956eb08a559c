import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type DueStep, firstDue, STEP_MEANS } from './automatic.ts';

const at = (moment: number, means: DueStep['means'] = 'time'): DueStep => ({ at: moment, means, name: '' });

it.each<[string, (DueStep | null)[], DueStep | null]>([
  ['nothing is due', [], null],
  ['nothing known is due', [null, null], null],
  ['one that is due now', [at(10)], at(10)],
  ['none that is due later', [at(11)], null],
  ['the earlier of two', [at(9), at(8, 'button')], at(8, 'button')],
  ['of equal times, the one that is listed first', [at(9, 'geofence'), at(9)], at(9, 'geofence')],
  ['the earlier one, whatever comes before', [null, at(12), at(7)], at(7)],
])('%s', (_, steps, expected) => {
  expect(firstDue(steps, 10)).toEqual(expected);
});

it('the first one that is due is the same whatever is due later', () => {
  const step = fc.record({ at: fc.nat(100), means: fc.constantFrom(...STEP_MEANS), name: fc.string() });
  fc.assert(
    fc.property(fc.array(step), fc.nat(100), (steps, now) => {
      const due = steps.filter((each) => each.at <= now);
      expect(firstDue(steps, now)).toEqual(firstDue(due, Number.POSITIVE_INFINITY));
      for (const each of due) expect(firstDue(steps, now)?.at).toBeLessThanOrEqual(each.at);
    }),
  );
});
