import { expect, it } from 'vitest';
import { differences, draftOf, moved, pointAt, without, withPoint } from './plan-draft.ts';

const asset = { id: 1, name: 'Fridge', code: 'F-1', kind: 'refrigerator' as const, channels: [] };
const channel = { id: 7, name: 'Door', indicator: 'door' as const };
const whole = pointAt(asset, null, { x: 0.1, y: 0.2 });
const part = pointAt(asset, channel, { x: 0.3, y: 0.4 });

it('an asset and one of its channels are separate points, each placed once', () => {
  const draft = withPoint(withPoint(draftOf({ points: [whole] }), part), { ...whole, x: 0.9 });
  expect([...draft.keys()]).toEqual(['1', '1/7']);
  expect(draft.get('1')?.x).toBe(0.9);
  expect([...without(draft, '1').keys()]).toEqual(['1/7']);
  expect(moved(draft, '1/7', { x: 0, y: 1 }).get('1/7')).toMatchObject({ x: 0, y: 1, channelName: 'Door' });
  expect(moved(draft, '2', { x: 0, y: 1 })).toBe(draft);
});

it('differences between two editors are listed point by point', () => {
  const base = draftOf({ points: [whole, part] });
  expect(differences(base, base)).toEqual([]);
  expect(differences(base, moved(without(base, '1'), '1/7', { x: 0.3, y: 0.5 }))).toMatchObject([
    { key: '1', stored: { x: 0.1 }, mine: null },
    { key: '1/7', stored: { y: 0.4 }, mine: { y: 0.5 } },
  ]);
});
