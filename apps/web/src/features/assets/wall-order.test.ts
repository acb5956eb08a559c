import type { AssetState } from '@isotherm/contracts/assets';
import { describe, expect, it } from 'vitest';
import { aCard } from '../../shared/testing/data.ts';
import { countCards, matchesFilter } from './wall-order.ts';

const alarm = (level: 1 | 2 | 3 | 4 | 5, since: string): AssetState => ({
  kind: 'alarm',
  alarmId: 1,
  level,
  alarmKind: 'high',
  indicator: 'temperature',
  since: `2026-11-20T${since}:00.000Z`,
  limitValue: 8,
  recovering: false,
  acknowledgedBy: null,
});
const pending: AssetState = {
  kind: 'pending',
  level: 5,
  alarmKind: 'high',
  indicator: 'temperature',
  since: '2026-11-20T02:00:00.000Z',
  dueAt: '2026-11-20T02:05:00.000Z',
  limitValue: 8,
};

const cards = [
  aCard({ id: 1, name: 'Fridge 10' }),
  aCard({ id: 2, name: 'Fridge 9' }),
  aCard({ id: 3, name: 'Unheard', state: { kind: 'unknown', since: null, alarm: null } }),
  aCard({ id: 4, name: 'Nearly', state: pending }),
  aCard({ id: 5, name: 'Mild', kind: 'vehicle', state: alarm(1, '01:00') }),
  aCard({ id: 6, name: 'Grave, new', state: alarm(5, '02:00') }),
  aCard({ id: 7, name: 'Grave, long', state: alarm(5, '01:00') }),
];

describe('the order and the filters of the monitor page', () => {
  it('assets are counted by state, and by level if the state has levels, worst first', () => {
    const counts = countCards([
      ...cards,
      aCard({ id: 8, state: { kind: 'unset' } }),
      aCard({ id: 9, state: { kind: 'expired', since: '2026-11-20T00:00:00.000Z' } }),
    ]);
    expect(counts.states).toEqual({
      alarm: 3,
      ended: 0,
      pending: 1,
      unknown: 1,
      expired: 1,
      unset: 1,
      normal: 2,
    });
    expect(counts.levels).toEqual({
      alarm: [
        { level: 5, count: 2 },
        { level: 1, count: 1 },
      ],
      pending: [{ level: 5, count: 1 }],
    });
  });

  it.each([
    [{ search: 'fridge minhang' }, [1, 2]],
    [{ kind: 'vehicle' as const }, [5]],
    [{ state: 'pending' as const }, [4]],
    [{ state: 'alarm' as const, level: 5 as const }, [6, 7]],
  ])('the filter %j finds the right assets', (wish, ids) => {
    const filter = { search: '', kind: null, state: null, level: null, ...wish };
    expect(cards.filter((card) => matchesFilter(card, filter)).map(({ id }) => id)).toEqual(ids);
  });
});
