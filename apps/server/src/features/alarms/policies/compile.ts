import type pg from 'pg';
import type { Invalidations } from '../../../platform/cache/invalidations.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Tx, transaction } from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import { laneOf, lockLanes } from '../../telemetry/index.ts';
import { endOfRules } from '../end-rules.ts';
import type { Announced } from '../episodes.repo.ts';
import type { News } from '../evaluator.ts';
import type { RuleBook } from '../rule-book.ts';
import { touchRules } from '../rules.repo.ts';
import {
  applyDifference,
  compareRules,
  deleteRequests,
  devicesOfRequests,
  readRequests,
} from './compilation.repo.ts';

/** Lanes of devices that one transaction holds: the ingest of all others goes on meanwhile. */
const LANES_AT_ONCE = 16;

/** Compiles policies to rules of channels in set-based statements. */
export interface Compiler {
  /**
   * Compiles everything that was requested. Idempotent: correct rules stay as they are, and several processes
   * may compile at the same time.
   */
  compile(): Promise<void>;
  /**
   * Compiles whenever any process requests it, including requests made while this process was not running.
   */
  watch(invalidations: Pick<Invalidations, 'onInvalidated'>, log: Logger): void;
  /** Resolves when nothing is being compiled. */
  stop(): Promise<void>;
}

export function createCompiler(
  pool: pg.Pool,
  rules: RuleBook,
  clock: Clock,
  announce: (news: News) => void,
): Compiler {
  /** One set of devices, whose rules change together. */
  async function compileDevices(deviceIds: readonly number[]): Promise<void> {
    const { close, open } = await compareRules(pool, deviceIds);
    if (close.length + open.length === 0) return;
    const alarms = await transaction(pool, (tx) => putInForce(tx, deviceIds));
    if (alarms.length > 0) announce({ alarms, assetIds: [] });
  }

  async function putInForce(tx: Tx, deviceIds: readonly number[]): Promise<Announced[]> {
    // Nobody evaluates these channels meanwhile; another process may have compiled them before.
    await lockLanes(tx, deviceIds);
    const difference = await compareRules(tx, deviceIds);
    const now = clock.now();
    const closed = [...new Set(difference.close.map(({ channelId }) => channelId))];
    const before = await rules.of(tx, closed);
    await applyDifference(tx, difference, new Date(now));
    await touchRules(tx, [...new Set([...closed, ...difference.open.map(({ channelId }) => channelId)])]);
    return endOfRules(
      tx,
      before,
      new Map(difference.close.map(({ ruleId, reason }) => [ruleId, reason])),
      now,
    );
  }

  async function compile(): Promise<void> {
    for (;;) {
      const requests = await readRequests(pool);
      if (requests.length === 0) return;
      const devices = await devicesOfRequests(pool, requests);
      for (const slice of slicesByLane(devices)) await compileDevices(slice);
      // Deleted last, so that work interrupted by a crash is still requested.
      await deleteRequests(pool, requests);
    }
  }

  let running: Promise<void> = Promise.resolve();
  let isQueued = false;
  return {
    compile,
    watch(invalidations, log) {
      invalidations.onInvalidated('compilation', () => {
        if (isQueued) return;
        isQueued = true;
        running = running
          .then(() => {
            isQueued = false;
            return compile();
          })
          .catch((error: Error) => log.warn({ error: error.message }, 'compiling alarm policies failed'));
      });
    },
    stop: () => running,
  };
}

/** Groups devices by lane (docs/processes.md), a few lanes per group. */
function slicesByLane(deviceIds: readonly number[]): number[][] {
  const slices = new Map<number, number[]>();
  for (const id of deviceIds) {
    const slice = Math.floor(laneOf(id) / LANES_AT_ONCE);
    const own = slices.get(slice);
    if (own) own.push(id);
    else slices.set(slice, [id]);
  }
  return [...slices.values()];
}
