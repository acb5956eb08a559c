import { SILENCE_KINDS } from '@isotherm/domain/alarms/catalogue';
import type { AfterCommit, Tx } from '../../platform/db/pool.ts';
import { readLatestTimes, type StoredBatch } from '../telemetry/index.ts';
import { forgetSilences, loadStates, type OpenSilenceState } from './alarms.repo.ts';
import { evaluateClocks } from './clock-alarms.ts';
import { restartSilences } from './due.repo.ts';
import { type Announced, endAlarms } from './episodes.repo.ts';
import { evaluateFresh } from './fresh-readings.ts';
import { evaluateLate, type LateStretch } from './late-readings.ts';
import type { ChannelPlan, RuleBook } from './rule-book.ts';

/** Changes that are published after the transaction of the batch is committed. */
export interface News {
  alarms: Announced[];
  /** Assets that have changed. */
  assetIds: number[];
}

/**
 * Creates the evaluator, which evaluates every batch in the transaction that stores it. No reading is stored
 * without being evaluated, except those measured after the expiry of their device (decision 33).
 */
export function createEvaluator(rules: RuleBook, announce: (news: News) => void) {
  return async function onBatch(tx: Tx, stored: StoredBatch): Promise<AfterCommit> {
    const { batch, fresh, late, receivedAt } = stored;
    const channelIds = [...new Set([...fresh, ...late].map((slice) => slice.channelId))];
    const ofClocks = await evaluateClocks(tx, stored.clocks, receivedAt);
    if (channelIds.length === 0) return () => announce({ alarms: ofClocks, assetIds: [] });
    const book = await rules.of(tx, channelIds);
    const watchers = [...book.values()].flatMap(({ watchedBy }) => watchedBy);
    const unread = watchers.filter((id) => !book.has(id));
    if (unread.length > 0) for (const [id, plan] of await rules.of(tx, unread)) book.set(id, plan);
    const replayed = new Set([...late.map(({ channelId }) => channelId), ...watchers]);
    for (const { channelId, from } of fresh) {
      const plan = book.get(channelId);
      if (plan && isBeforeChange(plan, batch.at[from] as number)) replayed.add(channelId);
    }
    const partial = [...replayed].flatMap((id) => (book.get(id)?.isPartial ? [id] : []));
    if (partial.length > 0) for (const [id, plan] of await rules.complete(tx, partial)) book.set(id, plan);
    const { machines, silences } = await loadStates(tx, [...book.keys()]);

    const stretches = new Map<number, LateStretch>();
    for (const { channelId, earliest, latest } of late) {
      const plan = book.get(channelId);
      if (plan && plan.versions.length > 0 && earliest < plan.expiresAt)
        stretches.set(channelId, {
          plan,
          earliest,
          latest: latest + plan.reachMs,
          before: Number.POSITIVE_INFINITY,
        });
    }
    if (watchers.length > 0) await addWatchers(tx, stored, book, stretches);
    const inOrder: { slice: StoredBatch['fresh'][number]; plan: ChannelPlan }[] = [];
    for (const slice of fresh) {
      const plan = book.get(slice.channelId);
      if (!plan || plan.versions.length === 0) continue;
      const first = batch.at[slice.from] as number;
      if (first >= plan.expiresAt) continue;
      const last = batch.at[slice.to - 1] as number;
      const stretch = stretches.get(slice.channelId);
      if (isBeforeChange(plan, first) || last >= plan.expiresAt || plan.expiresAt <= receivedAt) {
        // These readings were measured before the rules changed, so they need the versions that were in
        // force at that time; or before alarms timed out, so that these may go on; or some of them after the
        // expiry of the device; or before an expiry that has passed, at which alarms have ended.
        const earliest = Math.min(first, stretch?.earliest ?? first);
        stretches.set(slice.channelId, {
          plan,
          earliest,
          latest: last + plan.reachMs,
          before: Number.POSITIVE_INFINITY,
        });
        continue;
      }
      if (stretch) stretch.before = first;
      inOrder.push({ slice, plan });
    }
    const announced = [...ofClocks, ...(await endSilences(tx, stored, silences))];
    announced.push(...(await evaluateLate(tx, [...stretches.values()], machines, receivedAt)));
    announced.push(...(await evaluateFresh(tx, stored, inOrder, machines)));

    const assetIds = new Set<number>();
    for (const id of channelIds) {
      const assetId = book.get(id)?.assetId;
      if (assetId != null) assetIds.add(assetId);
    }
    return () => announce({ alarms: announced, assetIds: [...assetIds] });
  };
}

/** True if a reading was measured before the last change of the rules or the last timeout of alarms. */
function isBeforeChange({ boundary, timeouts }: ChannelPlan, at: number): boolean {
  return at < boundary || at < (timeouts.at(-1) ?? Number.NEGATIVE_INFINITY);
}

/**
 * A rule of one channel may use readings of another channel. New readings of that other channel may change
 * the result, so the stored readings of the first channel are evaluated again, as after late readings.
 */
async function addWatchers(
  tx: Tx,
  { batch, fresh, late }: StoredBatch,
  book: ReadonlyMap<number, ChannelPlan>,
  stretches: Map<number, LateStretch>,
): Promise<void> {
  const own = new Map(fresh.map(({ channelId, from }) => [channelId, batch.at[from] as number]));
  const spans = [
    ...fresh.map(({ channelId, from, to }) => ({
      channelId,
      earliest: batch.at[from] as number,
      latest: batch.at[to - 1] as number,
    })),
    ...late,
  ];
  const wanted = spans.flatMap(({ channelId, earliest, latest }) =>
    (book.get(channelId)?.watchedBy ?? [])
      // Skips a channel whose own new readings in this batch begin no later than those of the other channel,
      // because its readings from then on are evaluated anyway.
      .filter((id) => (own.get(id) ?? Number.POSITIVE_INFINITY) > earliest)
      .map((id) => ({ id, earliest, latest })),
  );
  if (wanted.length === 0) return;
  const newest = await readLatestTimes(
    tx,
    wanted.map(({ id }) => id),
  );
  for (const { id, earliest, latest } of wanted) {
    const plan = book.get(id);
    if (!plan || plan.versions.length === 0 || earliest >= plan.expiresAt) continue;
    if ((newest.get(id) ?? earliest) < earliest) continue;
    const known = stretches.get(id);
    stretches.set(id, {
      plan,
      earliest: Math.min(earliest, known?.earliest ?? earliest),
      latest: Math.max(latest + plan.reachMs, known?.latest ?? latest),
      before: Number.POSITIVE_INFINITY,
    });
  }
}

/** Ends the no-data alarms of channels, and of devices, that report again. */
async function endSilences(
  tx: Tx,
  { batch, fresh, receivedAt }: StoredBatch,
  silences: readonly OpenSilenceState[],
): Promise<Announced[]> {
  if (silences.length === 0) return [];
  const firstAt = new Map(fresh.map(({ channelId, from }) => [channelId, batch.at[from] as number]));
  const over = silences.filter(({ channelId, lastAt }) => (firstAt.get(channelId) ?? lastAt) > lastAt);
  const ends = new Map<number, { channel_id: number; ended_at: number }>();
  for (const { channelId, alarmChannelId } of over) {
    const at = Math.min(
      firstAt.get(channelId) as number,
      ends.get(alarmChannelId)?.ended_at ?? Number.POSITIVE_INFINITY,
    );
    ends.set(alarmChannelId, { channel_id: alarmChannelId, ended_at: at });
  }
  if (over.length === 0) return [];
  await forgetSilences(tx, over);
  const returned = over.filter(({ channels }) => channels.length > 1);
  if (returned.length > 0)
    await restartSilences(
      tx,
      returned.flatMap(({ channels }) => channels),
    );
  const ended = await endAlarms(tx, [...ends.values()], SILENCE_KINDS, 'data-returned', receivedAt);
  return ended.map(({ id }) => ({ id, topic: 'alarm.changed' }));
}
