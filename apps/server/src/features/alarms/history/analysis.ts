import type { AlarmAnalysis } from '@isotherm/contracts/alarm-history';
import { ALARM_LEVELS, type AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import { type ByLevel, type countByAspects, DELAY_CLASSES, type NamedAsset } from './history.repo.ts';

type Rows = Awaited<ReturnType<typeof countByAspects>>;

const DAY_MS = 86_400_000;
/** Longest period that is divided into days; longer ones are divided into weeks. */
const MOST_DAY_STEPS = 31;
/** Periods that are longer than this are counted in two parts. */
const LONG_DAYS = 92;
/** Number of assets in the answer. */
const MOST_ASSETS = 7;
/** Number of times per level that are drawn. */
const MOST_QUANTILES = 80;
/** Levels that need immediate action. */
const SEVERE: AlarmLevel = 3;

/** Length in days of the parts into which a period is divided. */
export function stepDaysOf(from: Date, to: Date): number {
  return to.getTime() - from.getTime() <= MOST_DAY_STEPS * DAY_MS ? 1 : 7;
}

/** Number of the parts into which a period is divided. */
export function stepsOf(from: Date, to: Date): number {
  return Math.max(1, Math.ceil((to.getTime() - from.getTime()) / (stepDaysOf(from, to) * DAY_MS)));
}

const none = (): ByLevel => [0, 0, 0, 0, 0];
const sum = (levels: ByLevel) => levels.reduce((total, count) => total + count, 0);

function countInto<Key>(counts: Map<Key, ByLevel>, key: Key, level: AlarmLevel, count: number): void {
  const levels = counts.get(key) ?? none();
  levels[level - 1] = (levels[level - 1] ?? 0) + count;
  counts.set(key, levels);
}

/** The assets to name in the answer: those with the most alarms, of equal ones that with the more severe. */
export function worstAssets(rows: Rows): { id: number; levels: ByLevel; total: number }[] {
  return [...assetsOf(rows)]
    .map(([id, levels]) => ({ id, levels, total: sum(levels) }))
    .sort((a, b) => b.total - a.total || severeOf(b.levels) - severeOf(a.levels) || a.id - b.id)
    .slice(0, MOST_ASSETS);
}

function assetsOf(rows: Rows): Map<number, ByLevel> {
  const assets = new Map<number, ByLevel>();
  for (const { part, asset_id, level, count } of rows)
    if (part === 'asset' && asset_id !== null) countInto(assets, asset_id, level, count);
  return assets;
}

const severeOf = (levels: ByLevel) => sum(levels.map((count, i) => (i + 1 >= SEVERE ? count : 0)) as ByLevel);

/**
 * Divides a long period into two parts, which two connections count at the same time. Their counts add up
 * (`arrangeAnalysis`).
 */
export function partsOf<T extends { from: Date; to: Date }>(period: T): T[] {
  const lengthMs = period.to.getTime() - period.from.getTime();
  if (lengthMs <= LONG_DAYS * DAY_MS) return [period];
  const middle = new Date(period.from.getTime() + lengthMs / 2);
  return [
    { ...period, to: middle },
    { ...period, from: middle },
  ];
}

/** Arranges the counts of a period or of its parts for the answer. `names` are those of `worstAssets`. */
export function arrangeAnalysis(
  rows: Rows,
  period: { from: Date; to: Date },
  totalBefore: number,
  names: readonly NamedAsset[],
): AlarmAnalysis {
  const { from, to } = period;
  const stepDays = stepDaysOf(from, to);
  const levels = none();
  const hours = Array.from({ length: 7 }, () => Array.from({ length: 24 }, () => 0));
  const steps = Array.from({ length: stepsOf(from, to) }, none);
  const reasons = new Map<AlarmAnalysis['reasons'][number]['reason'], ByLevel>();
  for (const { part, level, hour, step, reason, count } of rows) {
    if (part === 'hour' && hour !== null) {
      const day = hours[Math.floor(hour / 24)] as number[];
      day[hour % 24] = (day[hour % 24] as number) + count;
    }
    if (part === 'step' && step !== null) {
      const ofStep = steps[step] as ByLevel;
      ofStep[level - 1] = (ofStep[level - 1] as number) + count;
      levels[level - 1] = (levels[level - 1] as number) + count;
    }
    if (part === 'reason') countInto(reasons, reason, level, count);
  }
  const assets = assetsOf(rows);
  const named = new Map(names.map((name) => [name.id, name]));
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    total: sum(levels),
    totalBefore,
    levels,
    concentration: concentrationOf([...assets.values()].map(severeOf), severeOf(levels)),
    hours,
    acknowledgement: ALARM_LEVELS.map((level) => ({ level, ...delaysOf(rows, level) })),
    assets: worstAssets(rows).flatMap((asset) => {
      const name = named.get(asset.id);
      return name ? [{ ...name, ...asset }] : [];
    }),
    assetCount: assets.size,
    reasons: [...reasons]
      .map(([reason, ofReason]) => ({ reason, levels: ofReason, total: sum(ofReason) }))
      .sort((a, b) => Number(a.reason === null) - Number(b.reason === null) || b.total - a.total),
    steps: steps.map((ofStep, i) => ({
      from: new Date(from.getTime() + i * stepDays * DAY_MS).toISOString(),
      levels: ofStep,
    })),
    stepDays,
  };
}

/** The fewest assets that have at least half of the severe alarms. */
export function concentrationOf(counts: number[], severe: number): AlarmAnalysis['concentration'] {
  if (severe === 0) return null;
  let alarms = 0;
  let assets = 0;
  for (const count of [...counts].sort((a, b) => b - a)) {
    if (alarms * 2 >= severe || count === 0) break;
    alarms += count;
    assets++;
  }
  return assets === 0 ? null : { alarms, severe, assets };
}

function delaysOf(rows: Rows, level: AlarmLevel) {
  const classes: { delay: number; count: number }[] = [];
  let open = 0;
  for (const row of rows) {
    if (row.part !== 'reason' || row.level !== level) continue;
    if (row.delay === null) open += row.count;
    else classes.push({ delay: row.delay, count: row.count });
  }
  classes.sort((a, b) => a.delay - b.delay);
  const acknowledged = classes.reduce((total, { count }) => total + count, 0);
  const wanted = Math.min(acknowledged, MOST_QUANTILES);
  return {
    acknowledged,
    open,
    medianS: quantiles(classes, acknowledged, [0.5])[0] ?? null,
    quantilesS: quantiles(
      classes,
      acknowledged,
      Array.from({ length: wanted }, (_, i) => (i + 0.5) / wanted),
    ),
  };
}

/** Times in seconds at the given ascending shares of all alarms. */
function quantiles(
  classes: readonly { delay: number; count: number }[],
  total: number,
  shares: readonly number[],
): number[] {
  const found: number[] = [];
  let passed = 0;
  let at = 0;
  for (const share of shares) {
    const rank = share * total;
    while (at < classes.length && passed + (classes[at]?.count ?? 0) < rank)
      passed += classes[at++]?.count ?? 0;
    const delay = classes[at]?.delay;
    if (delay !== undefined) found.push(Math.round(Math.expm1(delay / DELAY_CLASSES) * 10) / 10);
  }
  return found;
}
