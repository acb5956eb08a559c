import type pg from 'pg';
import type { Invalidations } from '../../platform/cache/invalidations.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { OnChannelsRetired, OnDevicesRestored } from '../devices/index.ts';
import { createEndRetired, createReopenRestored } from './end-retired.ts';
import { createEvaluator, type News } from './evaluator.ts';
import { type Compiler, createCompiler } from './policies/compile.ts';
import { createRuleBook, type RuleBook } from './rule-book.ts';
import { createSilenceWatch } from './silence-watch.ts';

/** Rules and their evaluation, without the calls of the console. Telemetry and devices call its hooks. */
export interface AlarmEngine {
  rules: RuleBook;
  compiler: Compiler;
  /** Evaluates each batch of readings in its transaction. */
  onBatch: ReturnType<typeof createEvaluator>;
  onChannelsRetired: OnChannelsRetired;
  onDevicesRestored: OnDevicesRestored;
  /** Watches for devices that send nothing. It judges nobody while this installation receives nothing. */
  silenceWatch(isReceiving: () => boolean): ReturnType<typeof createSilenceWatch>;
}

export function createAlarmEngine(needs: {
  /** Pool of the work for devices, so that rules do not wait for API requests. */
  pool: pg.Pool;
  invalidations: Invalidations;
  clock: Clock;
  log: Logger;
  announce: (news: News) => void;
}): AlarmEngine {
  const { pool, clock, log, announce } = needs;
  const rules = createRuleBook(needs.invalidations);
  return {
    rules,
    compiler: createCompiler(pool, rules, clock, announce),
    onBatch: createEvaluator(rules, announce),
    onChannelsRetired: createEndRetired(clock, announce),
    onDevicesRestored: createReopenRestored(clock),
    silenceWatch: (isReceiving) => createSilenceWatch({ pool, rules, clock, log, announce, isReceiving }),
  };
}
