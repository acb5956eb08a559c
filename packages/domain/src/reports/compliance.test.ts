import { describe, expect, it } from 'vitest';
import {
  combineFindings,
  coverageOf,
  insideShare,
  type JudgedAsset,
  judgeAsset,
  outsideMsOf,
  totalsOf,
} from './compliance.ts';
import type { ComplianceStatistics } from './compliance-statistics.ts';
import {
  CHECK_KINDS,
  type ComplianceCheck,
  exposuresOf,
  permittedIntervalMs,
  RULE_PACK_IDS,
  RULE_PACKS,
  type RulePack,
} from './rule-packs.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const END = 400 * DAY;

const STATISTICS: ComplianceStatistics = {
  count: 10,
  min: 3,
  max: 6,
  expectedMs: 100 * HOUR,
  coveredMs: 99 * HOUR,
  limitedMs: 99 * HOUR,
  belowMs: [0, 0, 0],
  aboveMs: [0, 0, 0],
  exposureMs: [0, 0],
  longestGapMs: 30 * MINUTE,
  gapDays: 0,
  meanKinetic: 5,
  worstWindow: { celsius: 5.2, from: 0, to: DAY, coveredMs: DAY },
  periods: [
    { expectedMs: 40 * HOUR, coveredMs: 40 * HOUR, limitedMs: 40 * HOUR, outsideMs: HOUR },
    { expectedMs: 60 * HOUR, coveredMs: 59 * HOUR, limitedMs: 59 * HOUR, outsideMs: 0 },
  ],
};

function asset(
  statistics: Partial<ComplianceStatistics> | null,
  more: Partial<JudgedAsset> = {},
): JudgedAsset {
  return {
    kind: 'refrigerator',
    channels: [
      {
        statistics: statistics && { ...STATISTICS, ...statistics },
        isTemperature: true,
        low: 2,
        high: 8,
        calibratedAt: END - 100 * DAY,
        calibrationDueAt: END + DAY,
        dueDays: 30,
        reviewedDays: 30,
      },
    ],
    excursions: 0,
    unhandled: 0,
    mappedAt: END - 10 * DAY,
    testedAt: END - 10 * DAY,
    ...more,
  };
}
const withChannel = (more: object): JudgedAsset => {
  const own = asset({});
  return { ...own, channels: own.channels.map((channel) => ({ ...channel, ...more })) };
};
const EMPTY = asset({}, { channels: [] });

function verdictOf(check: ComplianceCheck, of: JudgedAsset) {
  const clause = { id: 'a', reference: '', check, isConfirmed: true };
  const pack: RulePack = { name: '', version: '', document: '', source: '', clauses: [clause] };
  const { verdict, worst } = judgeAsset(pack, clause, of, END);
  return worst === null ? verdict : [verdict, worst];
}

const FREEZING: ComplianceCheck = {
  kind: 'exposure',
  exposure: { side: 'below', celsius: -0.5, isTotal: false, ms: HOUR },
};
const EVERY_30: ComplianceCheck = { kind: 'interval', storageMs: 30 * MINUTE, transportMs: 5 * MINUTE };
const YEARLY = { everyDays: 366 };

describe('the verdict of a clause for an asset', () => {
  it.each<[string, ComplianceCheck, JudgedAsset, unknown]>([
    ['limits at all times', { kind: 'limits' }, asset({}), 'met'],
    ['limits at some times', { kind: 'limits' }, asset({ limitedMs: HOUR }), 'failed'],
    ['limits without readings', { kind: 'limits' }, asset(null), 'none'],
    ['everything inside', { kind: 'within' }, asset({}), ['met', 0]],
    [
      'outside on both sides',
      { kind: 'within' },
      asset({ belowMs: [HOUR, 0, 0], aboveMs: [0, 0, HOUR] }),
      ['failed', 2 * HOUR],
    ],
    ['nothing limited', { kind: 'within' }, asset({ limitedMs: 0 }), 'none'],
    ['no excursion', { kind: 'handled' }, asset({}), 'none'],
    ['excursions with cause', { kind: 'handled' }, asset({}, { excursions: 2 }), 'met'],
    ['an excursion without', { kind: 'handled' }, asset({}, { excursions: 2, unhandled: 1 }), 'failed'],
    ['intervals of a store', EVERY_30, asset({}), ['met', 30 * MINUTE]],
    ['intervals with tolerance', EVERY_30, asset({ longestGapMs: 31 * MINUTE }), ['met', 31 * MINUTE]],
    ['a gap', EVERY_30, asset({ longestGapMs: 32 * MINUTE }), ['failed', 32 * MINUTE]],
    ['intervals of transport', EVERY_30, asset({}, { kind: 'vehicle' }), ['failed', 30 * MINUTE]],
    ['intervals without readings', EVERY_30, asset(null), 'none'],
    ['coverage', { kind: 'coverage', share: 0.95 }, asset({}), ['met', 0.99]],
    ['low coverage', { kind: 'coverage', share: 0.95 }, asset({ coveredMs: HOUR }), ['failed', 0.01]],
    ['no readings', { kind: 'coverage', share: 0.95 }, asset(null), ['failed', 0]],
    ['no channel', { kind: 'coverage', share: 0.95 }, EMPTY, 'none'],
    ['no exposure', FREEZING, asset({}), ['met', 0]],
    ['an exposure as long as it must not be', FREEZING, asset({ exposureMs: [HOUR] }), ['failed', HOUR]],
    ['an exposure of a freezer', FREEZING, withChannel({ low: -25 }), 'none'],
    ['an exposure of a room', FREEZING, withChannel({ low: 15, high: 25 }), 'none'],
    ['an exposure without upper limit', FREEZING, withChannel({ high: null }), 'none'],
    ['an exposure without limits', FREEZING, withChannel({ low: null }), 'none'],
    ['an exposure of humidity', FREEZING, withChannel({ isTemperature: false }), 'none'],
    ['an exposure without readings', FREEZING, asset(null), 'none'],
    ['a valid certificate', { kind: 'calibration', ...YEARLY }, asset({}), 'met'],
    ['no certificate', { kind: 'calibration', ...YEARLY }, withChannel({ calibrationDueAt: null }), 'failed'],
    [
      'an expired certificate',
      { kind: 'calibration', everyDays: null },
      withChannel({ calibrationDueAt: END }),
      'failed',
    ],
    ['an old certificate', { kind: 'calibration', ...YEARLY }, withChannel({ calibratedAt: 0 }), 'failed'],
    [
      'an old certificate that is still valid',
      { kind: 'calibration', everyDays: null },
      withChannel({ calibratedAt: 0 }),
      'met',
    ],
    ['no sensor', { kind: 'calibration', ...YEARLY }, EMPTY, 'none'],
    ['a mapping study', { kind: 'mapping', ...YEARLY }, asset({}), 'met'],
    ['no mapping study', { kind: 'mapping', everyDays: null }, asset({}, { mappedAt: null }), 'failed'],
    [
      'a study after the range',
      { kind: 'mapping', everyDays: null },
      asset({}, { mappedAt: END + 1 }),
      'failed',
    ],
    ['an alarm test', { kind: 'alarm-test', everyDays: 366 }, asset({}), 'met'],
    ['an old alarm test', { kind: 'alarm-test', everyDays: 366 }, asset({}, { testedAt: DAY }), 'failed'],
    ['one point in a fridge', { kind: 'points', most: 2 }, asset({}), 'met'],
    ['one point in a store', { kind: 'points', most: 2 }, asset({}, { kind: 'cold-store' }), 'failed'],
    ['humidity is no point', { kind: 'points', most: 1 }, withChannel({ isTemperature: false }), 'failed'],
    ['no point', { kind: 'points', most: 2 }, EMPTY, 'failed'],
    ['a review of each day', { kind: 'review' }, asset({}), ['met', 0]],
    ['a review of more days than are due', { kind: 'review' }, withChannel({ dueDays: 29 }), ['met', 0]],
    ['days without review', { kind: 'review' }, withChannel({ reviewedDays: 28 }), ['failed', 2]],
    ['a review of humidity', { kind: 'review' }, withChannel({ isTemperature: false }), 'none'],
    ['a review before a day is over', { kind: 'review' }, withChannel({ dueDays: 0 }), 'none'],
  ])('%s', (_case, check, of, expected) => {
    expect(verdictOf(check, of)).toEqual(expected);
  });

  it('each exposure of a pack has its own time', () => {
    const pack = RULE_PACKS.who;
    const of = asset({ exposureMs: [0, 11 * HOUR] });
    const verdicts = pack.clauses.flatMap((clause) =>
      clause.check.kind === 'exposure' ? [judgeAsset(pack, clause, of, END).verdict] : [],
    );
    expect(verdicts).toEqual(['met', 'failed']);
    expect(exposuresOf(pack)).toHaveLength(2);
  });
});

describe('the verdict of a clause for all assets', () => {
  const clause = (check: ComplianceCheck) => ({ id: 'a', reference: '', check, isConfirmed: true });
  it('is not met if any asset fails it, with the worst number', () => {
    const findings = [
      { verdict: 'met' as const, worst: 2 },
      { verdict: 'failed' as const, worst: 5 },
      { verdict: 'met' as const, worst: 3 },
      { verdict: 'none' as const, worst: null },
    ];
    expect(combineFindings(clause({ kind: 'within' }), findings)).toEqual({
      verdict: 'not-met',
      failed: 1,
      total: 3,
      worst: 5,
    });
    expect(combineFindings(clause({ kind: 'coverage', share: 1 }), findings)).toMatchObject({ worst: 2 });
  });

  it('is met if all do, and not assessed if it applies to none', () => {
    const met = { verdict: 'met' as const, worst: null };
    expect(combineFindings(clause({ kind: 'limits' }), [met])).toEqual({
      verdict: 'met',
      failed: 0,
      total: 1,
      worst: null,
    });
    expect(combineFindings(clause({ kind: 'review' }), [])).toMatchObject({
      verdict: 'not-assessed',
      total: 0,
    });
  });
});

describe('totals', () => {
  it('sum over channels, also those without readings', () => {
    const outside = { ...STATISTICS, belowMs: [HOUR, 0, 0], aboveMs: [0, 2 * HOUR, 0], worstWindow: null };
    const warm = { ...STATISTICS, worstWindow: { celsius: 7, from: 0, to: DAY, coveredMs: DAY } };
    const totals = totalsOf([STATISTICS, outside, warm, STATISTICS, null], 3, [40 * HOUR, 60 * HOUR]);
    expect(totals).toEqual({
      channels: 5,
      expectedMs: 500 * HOUR,
      coveredMs: 396 * HOUR,
      limitedMs: 396 * HOUR,
      belowMs: [HOUR, 0, 0],
      aboveMs: [0, 2 * HOUR, 0],
      worstKinetic: 7,
      periods: [
        { expectedMs: 200 * HOUR, coveredMs: 160 * HOUR, limitedMs: 160 * HOUR, outsideMs: 4 * HOUR },
        { expectedMs: 300 * HOUR, coveredMs: 236 * HOUR, limitedMs: 236 * HOUR, outsideMs: 0 },
      ],
    });
    expect(outsideMsOf(outside)).toBe(3 * HOUR);
    expect(insideShare(totals)).toBeCloseTo(393 / 396, 9);
    expect(insideShare(totalsOf([null], 3, [HOUR]))).toBeNull();
  });

  it('a channel of which nothing is expected is covered', () => {
    expect(coverageOf({ ...STATISTICS, expectedMs: 0 })).toBe(1);
  });
});

describe('rule packs', () => {
  it.each(RULE_PACK_IDS)(
    'the clauses of %s are unique, refer to the document, and use known checks',
    (id) => {
      const { clauses, version, source } = RULE_PACKS[id];
      expect(new Set(clauses.map(({ id }) => id)).size).toBe(clauses.length);
      expect(version).toMatch(/^\d{4}\.\d+$/);
      expect(source).toMatch(/^https?:/);
      for (const { reference, check } of clauses) {
        expect(reference).not.toBe('');
        expect(CHECK_KINDS).toContain(check.kind);
      }
    },
  );

  it('the permitted interval is that of the pack, with a tolerance of a minute', () => {
    expect(permittedIntervalMs(RULE_PACKS.gsp, false)).toBe(31 * MINUTE);
    expect(permittedIntervalMs(RULE_PACKS.gsp, true)).toBe(6 * MINUTE);
    expect(permittedIntervalMs(RULE_PACKS['eu-gdp'], true)).toBeNull();
  });
});
