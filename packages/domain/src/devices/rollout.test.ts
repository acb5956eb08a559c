import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { REQUEST_STATES } from './command.ts';
import {
  decideRollout,
  FIRMWARE_REPORTS,
  type FirmwareReport,
  INSTALLS_WITHIN_MS,
  isRolling,
  isUnderWay,
  mayDo,
  planWaves,
  ROLLOUT_DEEDS,
  ROLLOUT_STATES,
  SILENT_AFTER_MS,
  stepUpgrade,
  UPGRADE_STATES,
  type Upgrade,
  type UpgradeEvent,
  type UpgradeState,
} from './rollout.ts';

const NOW = 1_000_000_000;
const at = (state: UpgradeState, over: Partial<Upgrade> = {}): Upgrade => ({
  state,
  percent: 0,
  reason: '',
  since: NOW - 1_000,
  ...over,
});
const said = (report: FirmwareReport | null, runs: boolean | null = null, error = ''): UpgradeEvent => ({
  type: 'said',
  report,
  runs,
  error,
});
const command = (
  state: Extract<UpgradeEvent, { type: 'command' }>['state'],
  reason = 0,
  isTakenBack = false,
): UpgradeEvent => ({ type: 'command', state, reason, isTakenBack });

describe('the firmware upgrade of a device', () => {
  const same = null;
  test.each<[string, Upgrade, UpgradeEvent, string | null]>([
    ['the offer waits for the device', at('waiting'), command('reserved'), same],
    ['the offer is sent', at('waiting'), command('requesting'), 'offered 0'],
    ['the device accepts the offer', at('offered'), command('success'), same],
    ['the device refuses the offer', at('offered'), command('failed', 7), 'refused 0 7'],
    ['the offer is withdrawn', at('waiting'), command('failed', 0, true), 'cancelled 0'],
    ['the device did not connect', at('waiting'), command('timeout'), 'expired 0'],
    ['an answer arrives after the download started', at('downloading'), command('timeout'), same],
    ['the device starts to download', at('offered'), said('DOWNLOADING'), 'downloading 0'],
    ['the device repeats its report', at('downloading', { percent: 40 }), said('DOWNLOADING'), same],
    ['the device downloads a part', at('offered'), { type: 'fetched', percent: 40 }, 'downloading 40'],
    [
      'the device downloads the same part again',
      at('downloading', { percent: 40 }),
      { type: 'fetched', percent: 20 },
      same,
    ],
    [
      'the device downloads during the installation',
      at('installing', { percent: 100 }),
      { type: 'fetched', percent: 20 },
      same,
    ],
    [
      'the device has downloaded everything',
      at('downloading', { percent: 90 }),
      said('DOWNLOADED'),
      'downloading 100',
    ],
    [
      'the device has verified the file',
      at('downloading', { percent: 100 }),
      said('VERIFIED'),
      'installing 100',
    ],
    ['the device is installing', at('downloading'), said('UPDATING', false), 'installing 100'],
    [
      'the device runs the new version',
      at('installing', { percent: 100 }),
      said('UPDATED', true),
      'done 100',
    ],
    ['the device reports success without a version', at('installing'), said('UPDATED'), 'done 100'],
    [
      'the device reports success but runs another version',
      at('installing'),
      said('UPDATED', false),
      'failed 0 other-version',
    ],
    ['the device reports only its version', at('installing'), said(null, true), 'done 100'],
    ['the device still runs the old version', at('installing'), said(null, false), same],
    ['the device runs the new version in any state', at('offered'), said('UPDATING', true), 'done 100'],
    [
      'the device reports a failure',
      at('downloading', { percent: 100 }),
      said('FAILED', null, 'checksum'),
      'failed 100 checksum',
    ],
    [
      'the device downloads again',
      at('installing', { percent: 100 }),
      said('DOWNLOADING'),
      'downloading 100',
    ],
    ['the device was not offered the firmware yet', at('waiting', { since: 0 }), { type: 'tick' }, same],
    [
      'the device was offered the firmware just now',
      at('offered', { since: NOW - SILENT_AFTER_MS + 1 }),
      { type: 'tick' },
      same,
    ],
    [
      'the device sends no more reports',
      at('downloading', { since: NOW - SILENT_AFTER_MS }),
      { type: 'tick' },
      'failed 0 silent',
    ],
    [
      'the device is silent while it installs',
      at('installing', { since: NOW - INSTALLS_WITHIN_MS + 1 }),
      { type: 'tick' },
      same,
    ],
    [
      'the device does not return after the installation',
      at('installing', { since: NOW - INSTALLS_WITHIN_MS }),
      { type: 'tick' },
      'failed 0 silent',
    ],
  ])('the next state of the upgrade is right: %s', (_words, before, event, expected) => {
    const after = stepUpgrade(before, event, NOW);
    if (expected === same) return expect(after).toBe(before);
    expect(`${after.state} ${after.percent} ${after.reason}`.trim()).toBe(expected);
    expect(after.since).toBe(NOW);
  });

  const anyEvent: fc.Arbitrary<UpgradeEvent> = fc.oneof(
    fc.record({
      type: fc.constant('command' as const),
      state: fc.constantFrom(...REQUEST_STATES),
      isTakenBack: fc.boolean(),
      reason: fc.nat(255),
    }),
    fc.record({ type: fc.constant('fetched' as const), percent: fc.nat(100) }),
    fc.record({
      type: fc.constant('said' as const),
      report: fc.constantFrom(null, ...FIRMWARE_REPORTS),
      runs: fc.constantFrom(null, true, false),
      error: fc.string(),
    }),
    fc.constant({ type: 'tick' as const }),
  );

  it('a finished upgrade ignores late reports', () => {
    const ended = fc.constantFrom(...UPGRADE_STATES.filter((state) => !isUnderWay(state)));
    fc.assert(
      fc.property(ended, anyEvent, (state, event) => {
        const before = at(state);
        expect(stepUpgrade(before, event, NOW)).toBe(before);
      }),
    );
  });

  it('a repeated report changes nothing', () => {
    fc.assert(
      fc.property(fc.constantFrom(...UPGRADE_STATES), fc.nat(100), anyEvent, (state, percent, event) => {
        const once = stepUpgrade(at(state, { percent }), event, NOW);
        expect(stepUpgrade(once, event, NOW)).toBe(once);
      }),
    );
  });
});

describe('a firmware roll-out', () => {
  const plan = { isAutomatic: true, successShare: 0.9, failureShare: 0.2 };
  const wave = (devices: number, done: number, failed = 0, open = devices - done - failed) => ({
    devices,
    open,
    done,
    failed,
  });
  test.each([
    ['the first device is in progress', plan, [wave(1, 0)], false, 'go-on'],
    ['the first device has succeeded', plan, [wave(1, 1)], false, 'next-wave'],
    ['a confirmation is required', { ...plan, isAutomatic: false }, [wave(1, 1)], false, 'hold'],
    ['the first device failed', plan, [wave(1, 0, 1)], false, 'stop'],
    [
      'enough devices have succeeded while others are in progress',
      plan,
      [wave(1, 1), wave(10, 9)],
      false,
      'next-wave',
    ],
    ['one of ten devices failed', plan, [wave(1, 1), wave(9, 8, 1)], false, 'hold'],
    ['too many devices failed', plan, [wave(1, 1), wave(9, 2, 2)], false, 'stop'],
    ['too few devices were connected', plan, [wave(10, 5, 0, 0)], false, 'hold'],
    ['some devices of the last wave are in progress', plan, [wave(1, 1), wave(9, 8)], true, 'go-on'],
    ['all devices of the last wave have finished', plan, [wave(1, 1), wave(9, 5, 0, 0)], true, 'finish'],
    ['late devices of an earlier wave are still in progress', plan, [wave(10, 9), wave(5, 5)], true, 'go-on'],
    [
      'failures are tolerated up to the last one',
      { ...plan, failureShare: 1 },
      [wave(2, 1, 1)],
      true,
      'finish',
    ],
  ] as const)('the next step of the roll-out is right: %s', (_words, options, waves, isLast, decision) => {
    expect(decideRollout(options, waves, isLast)).toBe(decision);
  });

  test.each([
    [
      100,
      [
        { amount: 1, unit: 'devices' },
        { amount: 10, unit: 'percent' },
      ],
      [1, 9, 90],
    ],
    [
      5,
      [
        { amount: 1, unit: 'devices' },
        { amount: 10, unit: 'percent' },
      ],
      [1, 4],
    ],
    [1, [{ amount: 5, unit: 'devices' }], [1]],
    [10, [], [10]],
    [
      10,
      [
        { amount: 50, unit: 'percent' },
        { amount: 3, unit: 'devices' },
      ],
      [5, 5],
    ],
  ] as const)('%i devices are divided into waves', (total, sizes, waves) => {
    expect(planWaves(total, sizes)).toEqual(waves);
  });

  it('the waves contain every device once, and at least one device each', () => {
    const size = fc.record({ amount: fc.nat(200), unit: fc.constantFrom('devices', 'percent') });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.array(size), (total, sizes) => {
        const waves = planWaves(total, sizes as Parameters<typeof planWaves>[1]);
        expect(waves.reduce((all, devices) => all + devices, 0)).toBe(total);
        expect(waves.every((devices) => devices > 0)).toBe(true);
      }),
    );
  });

  it('a finished roll-out does nothing more', () => {
    const deeds = ROLLOUT_STATES.map(
      (state) => `${state}: ${ROLLOUT_DEEDS.filter((deed) => mayDo(deed, state)).join(' ')}`,
    );
    expect(deeds).toEqual([
      'running: pause cancel',
      'held: pause proceed cancel',
      'paused: resume cancel',
      'finished: ',
      'stopped: ',
      'cancelled: ',
    ]);
    expect(ROLLOUT_STATES.filter(isRolling)).toEqual(['running', 'held', 'paused']);
  });
});
