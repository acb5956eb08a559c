import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { type BackTest, createBackTest, needsHistory } from '@isotherm/domain/alarms/back-test';
import type { Episode } from '@isotherm/domain/alarms/episode';
import { otherChannelsOf, reachOf } from '@isotherm/domain/alarms/signal-values';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import { NO_READINGS, type Series, sliceSeries } from '@isotherm/domain/readings/series';
import type { Db } from '../../../platform/db/pool.ts';
import { type ChannelDays, openDays } from '../../telemetry/index.ts';
import type { ChannelPlan } from '../rule-book.ts';
import { loadTracks, NO_TRACK } from '../tracks.ts';

/**
 * A channel with the two sets of rules that are tested on its history: those of a draft, and those in force.
 */
export interface TestedChannel extends Pick<ChannelPlan, 'gaps' | 'quiet'> {
  channelId: number;
  /** The ids of these rules differ from those of the rules in force. */
  draft: readonly LimitRule[];
  inForce: readonly LimitRule[];
}

export interface TestedHistory {
  draft: Episode[];
  inForce: Episode[];
  /** Number of UTC days with readings. */
  days: number;
  /** Time of the last reading, at which the duration of an alarm that is still open ends. */
  lastAt: number;
}

/** Number of days of a channel that are in memory at the same time. */
const DAYS_AT_ONCE = 32;
/** Number of readings after which the back-test yields to the event loop. */
const READINGS_AT_ONCE = 50_000;

/** Tests both sets of rules on the history of a channel from `from` (inclusive) to `to` (exclusive); epoch ms. */
export async function backTestChannel(
  db: Db,
  { channelId, draft, inForce, gaps, quiet }: TestedChannel,
  from: number,
  to: number,
): Promise<TestedHistory> {
  const tests = [draft, inForce].map((rules) => createBackTest({ rules, gaps, quiet })) as [
    BackTest,
    BackTest,
  ];
  const rules = [...draft, ...inForce];
  const played = rules.some(needsHistory)
    ? await playTracks(db, channelId, rules, tests, from, to)
    : await playDays(await openDays(db, channelId, from, to), tests);
  const [own, other] = tests;
  return { ...played, draft: own.episodes(), inForce: other.episodes() };
}

type Played = Pick<TestedHistory, 'days' | 'lastAt'>;

/**
 * Reads only days whose values can raise an alarm, the days after them, and days on which an alarm is open.
 */
async function playDays({ days, read }: ChannelDays, tests: readonly BackTest[]): Promise<Played> {
  let readings: Series = NO_READINGS;
  let known: ReadonlySet<number> = new Set();
  let lastAt = 0;
  let since = 0;
  const canRaise = (index: number) => {
    const day = days[index];
    return day !== undefined && tests.some((test) => test.canRaise(day));
  };
  for (const [index, day] of days.entries()) {
    const needing = tests.filter((test) => test.needs(day));
    if (needing.length > 0 && !known.has(day.day)) {
      const wanted = days
        .slice(index, index + DAYS_AT_ONCE)
        .filter((_, i) => i === 0 || canRaise(index + i) || canRaise(index + i - 1))
        .map((each) => each.day);
      readings = await read(wanted);
      known = new Set(wanted);
    }
    const own = sliceSeries(readings, day.day * DAY_MS, (day.day + 1) * DAY_MS);
    for (const each of tests)
      if (needing.includes(each)) each.play(own);
      else each.skip();
    if (needing.length === 0) continue;
    lastAt = own.at.at(-1) ?? lastAt;
    since += own.at.length;
    if (since < READINGS_AT_ONCE) continue;
    since = 0;
    await nextTurn();
  }
  return { days: days.length, lastAt };
}

/** Reads the whole history: signals and defrosts depend on all readings and on other channels. */
async function playTracks(
  db: Db,
  channelId: number,
  rules: readonly LimitRule[],
  tests: readonly BackTest[],
  from: number,
  to: number,
): Promise<Played> {
  const plan = {
    channelId,
    versions: rules.map((rule) => ({
      rule,
      from: Number.NEGATIVE_INFINITY,
      until: Number.POSITIVE_INFINITY,
      endReason: 'rule-edited' as const,
    })),
    reachMs: reachOf(rules),
    others: otherChannelsOf(rules),
  };
  const days = new Set<number>();
  let lastAt = 0;
  for (let begin = from; begin < to; begin += DAYS_AT_ONCE * DAY_MS) {
    const end = Math.min(begin + DAYS_AT_ONCE * DAY_MS, to);
    const tracks = await loadTracks(db, [{ plan, from: begin, to: end }]);
    const { readings, signals, defrosts } = tracks.get(channelId) ?? NO_TRACK;
    if (readings.at.length === 0) continue;
    for (const test of tests) test.play(readings, signals, defrosts);
    for (const at of readings.at) days.add(Math.floor(at / DAY_MS));
    lastAt = readings.at.at(-1) as number;
  }
  return { days: days.size, lastAt };
}
