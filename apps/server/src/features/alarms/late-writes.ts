import type { AlarmState } from '@isotherm/domain/alarms/alarm-machine';
import type { Amendment, StoredAlarm } from '@isotherm/domain/alarms/reconcile';
import { alarmAsEpisode } from '@isotherm/domain/alarms/reconcile';
import { dayOf, type Replay, withoutPeaks } from '@isotherm/domain/alarms/replay';
import type { Tx } from '../../platform/db/pool.ts';
import { changedRow, newRow } from './alarm-rows.ts';
import { forgetPeaks, type StateChange, saveStates } from './alarms.repo.ts';
import { clearCheckpoints, saveCheckpoints } from './checkpoints.repo.ts';
import {
  type AlarmRow,
  type Announced,
  annotateAlarms,
  type ChangedAlarm,
  changeAlarms,
  insertAlarms,
  moveEvents,
  newsOfInserted,
} from './episodes.repo.ts';
import type { ChannelPlan } from './rule-book.ts';

/** A channel whose late readings have been replayed completely. */
export interface ReplayedChannel {
  plan: ChannelPlan;
  replay: Replay;
  /** Start of the time range that was replayed. Its end is infinite if it reaches the newest reading. */
  from: number;
  until: number;
  lastDay: number;
  /** True if the stored checkpoints of this time range are already correct. */
  isCheckpointed: boolean;
  amendments: Amendment[];
}

/**
 * Writes the changes that result from replays of late readings: first alarms, then checkpoints and states.
 */
export async function writeReplays(
  tx: Tx,
  replayed: readonly ReplayedChannel[],
  statesBefore: ReadonlyMap<number, ReadonlyMap<number, AlarmState>>,
  receivedAt: number,
): Promise<Announced[]> {
  const announced = await writeAmendments(tx, replayed, receivedAt);
  await writeCheckpoints(tx, replayed);
  const changes = replayed.flatMap((channel) =>
    stateChanges(channel, statesBefore.get(channel.plan.channelId)),
  );
  if (changes.length > 0) await saveStates(tx, changes);
  const stale = replayed.filter(
    ({ replay, amendments }) => replay.settled?.as === 'same' && amendments.length > 0,
  );
  if (stale.length > 0)
    await forgetPeaks(
      tx,
      stale.map(({ plan }) => plan.channelId),
    );
  return announced;
}

async function writeAmendments(
  tx: Tx,
  replayed: readonly ReplayedChannel[],
  receivedAt: number,
): Promise<Announced[]> {
  const changed: ChangedAlarm[] = [];
  const inserted: { row: AlarmRow; move: { from: number; at: number } | null }[] = [];
  const moves: { from_alarm: number; to_alarm: number; at: number }[] = [];
  const notes: Parameters<typeof annotateAlarms>[1][number][] = [];
  for (const { plan, from, until, amendments } of replayed)
    for (const amendment of amendments) {
      if (amendment.type === 'insert') {
        const move = amendment.eventsFrom === null ? null : { from: amendment.eventsFrom, at: until };
        inserted.push({ row: newRow(plan, amendment.episode, true, receivedAt), move });
      } else if (amendment.type === 'amend') {
        const { alarm, episode, eventsFrom } = amendment;
        changed.push(changedRow(alarm, episode, receivedAt, { from, until }));
        if (eventsFrom !== null) moves.push({ from_alarm: eventsFrom, to_alarm: alarm.id, at: until });
      } else if (amendment.type === 'refute') changed.push(refuted(amendment, receivedAt));
      else
        notes.push({
          id: amendment.alarm.id,
          since: amendment.episode.since,
          until: amendment.episode.endedAt,
          level: amendment.episode.peakLevel,
          recorded_at: receivedAt,
        });
    }
  const announced = changed.length > 0 ? await changeAlarms(tx, changed) : [];
  if (inserted.length > 0) {
    const made = await insertAlarms(
      tx,
      inserted.map(({ row }) => row),
    );
    announced.push(...newsOfInserted(made));
    for (const { row, move } of inserted) {
      const alarm = made.find((one) => one.channelId === row.channel_id && one.raisedAt === row.raised_at);
      if (move && alarm) moves.push({ from_alarm: move.from, to_alarm: alarm.id, at: move.at });
    }
  }
  if (moves.length > 0) await moveEvents(tx, moves);
  if (notes.length > 0) await annotateAlarms(tx, notes);
  return announced;
}

/**
 * New content of an alarm that the late readings refute. It ends, but its start, its highest level and its
 * peak are kept.
 */
function refuted({ alarm, endedAt }: Amendment & { type: 'refute' }, receivedAt: number): ChangedAlarm {
  return changedRow(
    alarm,
    {
      ...alarmAsEpisode(alarm),
      endedAt,
      endReason: 'late-readings',
      recovering: false,
      level: alarm.peakLevel,
      events: endedEvents(alarm, endedAt),
    },
    receivedAt,
    // The range contains no events, so no stored event is replaced, but the change of the alarm is published.
    { from: Number.MAX_SAFE_INTEGER, until: Number.POSITIVE_INFINITY },
  );
}

function endedEvents(alarm: StoredAlarm, at: number) {
  if (alarm.endedAt !== null) return [];
  return [{ type: 'ended' as const, at, level: alarm.peakLevel, limit: alarm.limit, value: null }];
}

/** Replaces the stored checkpoints of the replayed range by those of the replay. */
async function writeCheckpoints(tx: Tx, replayed: readonly ReplayedChannel[]): Promise<void> {
  const crossing = replayed.filter(
    ({ from, lastDay, isCheckpointed }) => lastDay > dayOf(from) && !isCheckpointed,
  );
  if (crossing.length === 0) return;
  await clearCheckpoints(
    tx,
    crossing.map(({ plan, from, lastDay }) => ({
      channelId: plan.channelId,
      fromDay: dayOf(from),
      toDay: lastDay,
    })),
  );
  const checkpoints = crossing.flatMap(({ plan, replay }) =>
    replay.checkpoints.map(({ day, untilDay, states }) => ({
      channelId: plan.channelId,
      day,
      untilDay,
      states: withoutPeaks(states),
    })),
  );
  if (checkpoints.length > 0) await saveCheckpoints(tx, checkpoints);
}

/** Changed states of the rules after a replay that reaches the newest reading. */
function stateChanges(
  { plan, replay }: ReplayedChannel,
  before: ReadonlyMap<number, AlarmState> = new Map(),
): StateChange[] {
  if (replay.settled) return [];
  return plan.versions.flatMap(({ rule }) => {
    const state = replay.states.get(rule.id) ?? null;
    return state === null && !before.has(rule.id)
      ? []
      : [{ channel_id: plan.channelId, rule_id: rule.id, state }];
  });
}
