import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  inheritedPremium,
  NO_PREMIUM,
  PREMIUM_SERVICES,
  type Premium,
  type PremiumEvent,
  type PremiumRecord,
  premiumAt,
  stepPremium,
  TRIAL_MS,
} from './premium.ts';

const record = (over: Partial<PremiumRecord>): PremiumRecord => ({ ...NO_PREMIUM, ...over });
const NOW = 10 * TRIAL_MS;

describe('state of a premium service', () => {
  test.each([
    ['nothing', NO_PREMIUM, { state: 'not-activated', until: null, deviceLimit: 0 }],
    [
      'a trial of backup',
      record({ trialStartedAt: NOW - 1 }),
      { state: 'trial', until: NOW - 1 + TRIAL_MS, deviceLimit: 50 },
    ],
    [
      'a trial that is over',
      record({ trialStartedAt: NOW - TRIAL_MS }),
      { state: 'ended', until: NOW, deviceLimit: 0 },
    ],
    [
      'an activation beside a trial',
      record({ trialStartedAt: NOW - 1, activatedAt: NOW - 1, activeUntil: NOW + 5, deviceLimit: 200 }),
      { state: 'active', until: NOW + 5, deviceLimit: 200 },
    ],
    [
      'an activation that ended after the trial',
      record({ trialStartedAt: 0, activatedAt: 0, activeUntil: NOW }),
      { state: 'ended', until: NOW, deviceLimit: 0 },
    ],
  ] as const)('%s', (_what, stored, premium) => {
    expect(premiumAt('backup', stored, NOW)).toEqual(premium);
  });
  test('a trial of the smart screen has no limit of devices', () => {
    expect(premiumAt('smart-screen', record({ trialStartedAt: NOW }), NOW).deviceLimit).toBeNull();
  });
});

describe('events of a premium service', () => {
  test('a trial begins once, and not after an activation', () => {
    expect(stepPremium(NO_PREMIUM, { type: 'trial' }, NOW)).toEqual(record({ trialStartedAt: NOW }));
    expect(stepPremium(record({ trialStartedAt: 0 }), { type: 'trial' }, NOW)).toEqual({ refused: 'used' });
    const had = record({ activatedAt: 0, activeUntil: 1 });
    expect(stepPremium(had, { type: 'trial' }, NOW)).toEqual({ refused: 'used' });
  });
  test('an activation ends in the future; a change keeps its beginning, one after its end begins again', () => {
    const asked = { type: 'activate', until: NOW + 9, deviceLimit: 3 } as const;
    expect(stepPremium(NO_PREMIUM, { ...asked, until: NOW }, NOW)).toEqual({ refused: 'until' });
    const running = record({ activatedAt: 1, activeUntil: NOW + 1 });
    expect(stepPremium(running, asked, NOW)).toMatchObject({
      activatedAt: 1,
      activeUntil: NOW + 9,
      deviceLimit: 3,
    });
    const over = record({ activatedAt: 1, activeUntil: NOW });
    expect(stepPremium(over, asked, NOW)).toMatchObject({ activatedAt: NOW });
    expect(stepPremium(NO_PREMIUM, asked, NOW)).toMatchObject({ activatedAt: NOW });
  });
  test('only a running activation can be ended', () => {
    expect(stepPremium(NO_PREMIUM, { type: 'end' }, NOW)).toEqual({ refused: 'inactive' });
    const running = record({ activatedAt: 1, activeUntil: NOW + 1 });
    expect(stepPremium(running, { type: 'end' }, NOW)).toMatchObject({ activeUntil: NOW });
    expect(stepPremium(record({ activatedAt: 1, activeUntil: NOW }), { type: 'end' }, NOW)).toEqual({
      refused: 'inactive',
    });
  });

  test('whatever happens, a trial lasts a week at most in total, and a service that was ended is not active', () => {
    const event = fc.oneof(
      fc.constant<PremiumEvent>({ type: 'trial' }),
      fc.record({
        type: fc.constant('activate' as const),
        until: fc.integer({ min: 0, max: 30 }).map((days) => days * 86_400_000),
        deviceLimit: fc.constantFrom(null, 10),
      }),
      fc.constant<PremiumEvent>({ type: 'end' }),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...PREMIUM_SERVICES),
        fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), event), { maxLength: 12 }),
        (service, steps) => {
          let stored = NO_PREMIUM;
          let now = 0;
          let trialDays = 0;
          for (const [days, each] of steps) {
            for (let day = 0; day < days; day++) {
              if (premiumAt(service, stored, now).state === 'trial') trialDays++;
              now += 86_400_000;
            }
            const next = stepPremium(stored, each, now);
            if (!('refused' in next)) stored = next;
            if (each.type === 'end') expect(premiumAt(service, stored, now).state).not.toBe('active');
          }
          expect(trialDays).toBeLessThanOrEqual(7);
        },
      ),
    );
  });
});

describe('services of the organisations above', () => {
  const premium = (state: Premium['state']): Premium => ({ state, until: null, deviceLimit: null });
  test('the nearest activation counts, otherwise the nearest trial', () => {
    const [trial, first, second] = [premium('trial'), premium('active'), premium('active')];
    expect(inheritedPremium([trial, first, second])).toBe(first);
    expect(inheritedPremium([premium('ended'), trial])).toBe(trial);
    expect(inheritedPremium([])).toBeNull();
  });
});
