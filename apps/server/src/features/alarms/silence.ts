import { NORMAL, step } from '@isotherm/domain/alarms/alarm-machine';
import { isQuiet } from '@isotherm/domain/alarms/quiet-time';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { transaction } from '../../platform/db/pool.ts';
import type { Logger } from '../../platform/log.ts';
import { lockLanes, readLatestTimes } from '../telemetry/index.ts';
import { findSilentChannels, loadStates } from './alarms.repo.ts';
import { type News, Verdicts } from './evaluator.ts';
import type { RuleBook } from './rule-book.ts';

const TICK_MS = 5_000;
const AT_ONCE = 2_000;

/** Looks at the clock for channels that ought to have spoken: the machine's tick input. */
export function createSilenceWatch(
  pool: pg.Pool,
  rules: RuleBook,
  clock: Clock,
  log: Logger,
  announce: (news: News) => void,
) {
  const startedAt = clock.now();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function tick(): Promise<void> {
    const now = clock.now();
    const due = await findSilentChannels(pool, now, AT_ONCE);
    if (due.length === 0) return;
    const news = await transaction(pool, async (tx) => {
      await lockLanes(
        tx,
        due.map((row) => row.device_id),
      );
      const channelIds = [...new Set(due.map((row) => row.channel_id))];
      const [latest, states, book] = [
        await readLatestTimes(tx, channelIds),
        await loadStates(tx, channelIds),
        await rules.of(tx, channelIds),
      ];
      const verdicts = new Verdicts(now);
      const assetIds = new Set<number>();
      for (const row of due) {
        const channel = book.get(row.channel_id);
        const rule = channel?.noData.find((candidate) => candidate.id === row.rule_id);
        const lastReadingAt = latest.get(row.channel_id);
        // While the server was away everybody seemed silent: a device gets its full time from our start.
        if (!channel || !rule || lastReadingAt === undefined || now - startedAt < rule.triggerAfterMs)
          continue;
        if (isQuiet(channel.quiet.silence, now)) continue;
        const before = states.get(row.channel_id)?.get(rule.id) ?? NORMAL;
        const { state, effects } = step(rule, before, { type: 'tick', at: now, lastReadingAt });
        if (effects.length === 0) continue;
        verdicts.add(channel, rule, state, effects, false);
        if (channel.assetId !== null) assetIds.add(channel.assetId);
      }
      return { alarms: await verdicts.write(tx), assetIds: [...assetIds] };
    });
    if (news.alarms.length > 0) announce(news);
  }

  return {
    tick,
    start() {
      timer = setInterval(() => {
        running = running
          .then(tick)
          .catch((error: Error) => log.warn({ error: error.message }, 'silence tick failed'));
      }, TICK_MS);
    },
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
