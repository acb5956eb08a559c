import { describe, expect, test } from 'vitest';
import {
  ASSET_STATUSES,
  type AssetStatus,
  deedOf,
  longestMinutes,
  mayBecome,
  OUT_OF_SERVICE,
  STATUS_QUIET,
  STATUS_TRANSITIONS,
} from './asset-status.ts';

/** Sequences of statuses, with the action of each step, or the step that is refused. */
const LIVES: [string, AssetStatus[], string][] = [
  [
    'a refrigerator from purchase to scrapping',
    ['normal', 'to-be-repaired', 'repair', 'normal', 'scrapped'],
    'repair repair verify scrap',
  ],
  [
    'a repair that was not successful',
    ['normal', 'to-be-repaired', 'repair', 'to-be-repaired', 'scrapped'],
    'repair repair repair scrap',
  ],
  ['a defrost', ['normal', 'defrost', 'normal'], 'status status'],
  ['a defrost of a standby asset', ['alternate', 'defrost', 'alternate'], 'status status'],
  ['a defrost that reveals a fault', ['normal', 'defrost', 'to-be-repaired'], 'status repair'],
  [
    'maintenance that becomes a repair',
    ['normal', 'maintenance', 'repair', 'alternate'],
    'status repair verify',
  ],
  ['lent and returned', ['normal', 'moved-out', 'normal'], 'status status'],
  [
    'taken out of service and used again',
    ['normal', 'deactivated', 'alternate', 'normal'],
    'status status status',
  ],
  ['a repair that was not reported is refused', ['normal', 'repair'], 'refused'],
  ['a scrapped asset cannot be used again', ['scrapped', 'normal'], 'refused'],
  ['an asset out of service cannot be defrosted', ['deactivated', 'defrost'], 'refused'],
];

describe('the status of an asset', () => {
  test.each(LIVES)('the sequence is handled correctly: %s', (_words, [first, ...rest], expected) => {
    let from = first as AssetStatus;
    const deeds = rest.map((to) => {
      const deed = mayBecome(from, to) ? deedOf(from, to) : 'refused';
      from = to;
      return deed;
    });
    expect(deeds.join(' ')).toBe(expected);
  });

  test('a status cannot follow itself, and scrapped is final', () => {
    for (const status of ASSET_STATUSES) expect(mayBecome(status, status)).toBe(false);
    expect(STATUS_TRANSITIONS.scrapped).toEqual([]);
  });

  test('every status can be reached from normal, and can lead to scrapped', () => {
    const reached = new Set<AssetStatus>(['normal']);
    for (const status of reached) for (const next of STATUS_TRANSITIONS[status]) reached.add(next);
    expect([...reached].sort()).toEqual([...ASSET_STATUSES].sort());
    for (const status of ASSET_STATUSES) {
      const ahead = new Set<AssetStatus>([status]);
      for (const each of ahead) for (const next of STATUS_TRANSITIONS[each]) ahead.add(next);
      expect(ahead).toContain('scrapped');
    }
  });
});

test('every status without evaluation of limits is temporary and lasts a week at most', () => {
  for (const status of ASSET_STATUSES) {
    const longest = longestMinutes(status);
    expect(longest !== null).toBe(STATUS_QUIET[status] === 'limits');
    expect(longest ?? 0).toBeLessThanOrEqual(7 * 24 * 60);
  }
});

test('an asset that is out of service holds no goods', () => {
  expect(OUT_OF_SERVICE).toEqual(['scrapped', 'moved-out', 'deactivated']);
});
