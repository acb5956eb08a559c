import type { AlarmEndReason } from '@isotherm/domain/alarms/catalogue';
import type { Clock } from '../../../platform/clock.ts';
import type { Tx } from '../../../platform/db/pool.ts';
import { lockLanes } from '../../telemetry/index.ts';
import { endOfRules } from '../end-rules.ts';
import type { News } from '../evaluator.ts';
import type { RuleBook } from '../rule-book.ts';
import { touchRules } from '../rules.repo.ts';
import {
  type CopiedChannel,
  listDirectRules,
  replaceDirectRules,
  requestCompilation,
} from './alert-settings.repo.ts';

/**
 * Replaces the direct rules of channels of an asset by copies of those of other channels. Returns a function
 * that publishes the change after the commit.
 */
export type CopyRules = (
  tx: Tx,
  assetId: number,
  targets: readonly CopiedChannel[],
  /** The channel whose rules each target gets. */
  sourceOf: ReadonlyMap<number, number>,
) => Promise<() => void>;

/**
 * Creates the copying of direct rules. Alarms that only an ended rule holds end with the reason
 * `rule-changed`.
 */
export function createRuleCopies(rules: RuleBook, clock: Clock, announce: (news: News) => void): CopyRules {
  return async (tx, assetId, targets, sourceOf) => {
    // Under the lock, nobody evaluates these channels or changes their rules.
    await lockLanes(tx, [...new Set(targets.map(({ deviceId }) => deviceId))]);
    const now = clock.now();
    const channels = targets.map(({ channelId }) => channelId);
    const ended = await listDirectRules(tx, channels);
    const before = await rules.of(tx, channels);
    await touchRules(tx, channels);
    await replaceDirectRules(
      tx,
      ended.map(({ id }) => id),
      channels.map((to) => [sourceOf.get(to) ?? to, to] as const),
      new Date(now),
    );
    await requestCompilation(tx, assetId);
    const closed = new Map(ended.map(({ id }): [number, AlarmEndReason] => [id, 'rule-changed']));
    const alarms = await endOfRules(tx, before, closed, now);
    return () => announce({ alarms, assetIds: [assetId] });
  };
}
