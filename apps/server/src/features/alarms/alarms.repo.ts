import type { AlarmState } from '@isotherm/domain/alarms/alarm-machine';
import { int4Array } from '../../platform/db/binary-array.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';
import type { Silence } from './silence-rows.ts';

/** State of an open no-data alarm, stored for each channel whose readings end it. */
export interface OpenSilenceState {
  channelId: number;
  ruleId: number;
  /** Newest reading of this channel before the alarm, epoch ms. */
  lastAt: number;
  /** Channel that the alarm is stored with. */
  alarmChannelId: number;
  /** All channels whose readings end the alarm; more than one if the alarm is about a device. */
  channels: readonly number[];
}

/**
 * Stored states of channels: state machines of their limit rules, and open no-data alarms. A rule without a
 * stored state is normal.
 */
export interface ChannelStates {
  machines: Map<number, Map<number, AlarmState>>;
  silences: OpenSilenceState[];
}

/** A stored state of a no-data rule; processes of the previous release write it without `channels`. */
interface SilenceState {
  phase: 'active';
  limit: null;
  since: number;
  raisedAt: number;
  lastAt: number;
  alarmChannelId?: number;
  channels?: number[];
}

export async function loadStates(tx: Tx, channelIds: readonly number[]): Promise<ChannelStates> {
  const { rows } = await tx.query<{ channel_id: number; rule_id: number; state: AlarmState | SilenceState }>({
    name: 'alarm-states',
    text: 'select channel_id, rule_id, state from alarm_state where channel_id = any($1::int4[])',
    values: [int4Array(channelIds)],
  });
  const loaded: ChannelStates = { machines: new Map(), silences: [] };
  for (const { channel_id, rule_id, state } of rows) {
    if (isSilence(state)) {
      loaded.silences.push({
        channelId: channel_id,
        ruleId: rule_id,
        lastAt: state.lastAt,
        alarmChannelId: state.alarmChannelId ?? channel_id,
        channels: state.channels ?? [channel_id],
      });
      continue;
    }
    const ofChannel = loaded.machines.get(channel_id) ?? new Map<number, AlarmState>();
    ofChannel.set(rule_id, state);
    loaded.machines.set(channel_id, ofChannel);
  }
  return loaded;
}

/** Those of the channels that have a state of one of these rules. */
export async function channelsHeldBy(
  tx: Tx,
  channelIds: readonly number[],
  ruleIds: readonly number[],
): Promise<number[]> {
  if (channelIds.length === 0) return [];
  const { rows } = await tx.query<{ channel_id: number }>(
    `select distinct channel_id from alarm_state
      where channel_id = any($1::int4[]) and rule_id = any($2::bigint[])`,
    [channelIds, ruleIds],
  );
  return rows.map(({ channel_id }) => channel_id);
}

/**
 * An active state of a limit rule always has the limit that it was raised under; a state of a no-data rule
 * has none.
 */
function isSilence(state: AlarmState | SilenceState): state is SilenceState {
  return state.phase === 'active' && state.limit === null;
}

/** Stores, for each channel whose readings end them, that these alarms are open. */
export async function saveSilences(tx: Tx, silences: readonly Silence[]): Promise<void> {
  const rows = silences.flatMap(({ plan, rule, since, raisedAt, channels }) =>
    channels.map(({ channelId, measuredAt }) => {
      const state: SilenceState = {
        phase: 'active',
        limit: null,
        since,
        raisedAt,
        lastAt: measuredAt ?? since,
        alarmChannelId: plan.channelId,
        channels: channels.map((channel) => channel.channelId),
      };
      return { channel_id: channelId, rule_id: rule.id, state };
    }),
  );
  if (rows.length > 0) await upsertStates(tx, rows);
}

/** Deletes the stored states of open no-data alarms, for all channels whose readings would end the alarms. */
export async function forgetSilences(tx: Tx, silences: readonly OpenSilenceState[]): Promise<void> {
  await deleteStates(
    tx,
    silences.flatMap(({ ruleId, channels }) =>
      channels.map((channelId) => ({ channel_id: channelId, rule_id: ruleId })),
    ),
  );
}

export interface StateChange {
  channel_id: number;
  rule_id: number;
  /** Null if the rule is back to normal. */
  state: AlarmState | null;
}

export async function saveStates(tx: Tx, changes: readonly StateChange[]): Promise<void> {
  const gone = changes.filter((change) => change.state === null);
  const kept = changes.filter((change) => change.state !== null);
  if (gone.length > 0) await deleteStates(tx, gone);
  if (kept.length > 0) await upsertStates(tx, kept);
}

async function deleteStates(tx: Tx, gone: readonly { channel_id: number; rule_id: number }[]): Promise<void> {
  await tx.query(
    `delete from alarm_state s using unnest($1::int4[], $2::bigint[]) as g(channel_id, rule_id)
      where s.channel_id = g.channel_id and s.rule_id = g.rule_id`,
    [gone.map((row) => row.channel_id), gone.map((row) => row.rule_id)],
  );
}

async function upsertStates(
  tx: Tx,
  rows: readonly { channel_id: number; rule_id: number; state: AlarmState | SilenceState | null }[],
): Promise<void> {
  await tx.query(
    `insert into alarm_state (channel_id, rule_id, phase, state)
     select channel_id, rule_id, state ->> 'phase', state
       from jsonb_to_recordset($1::jsonb) as s(channel_id integer, rule_id bigint, state jsonb)
     on conflict (channel_id, rule_id) do update set phase = excluded.phase, state = excluded.state`,
    [JSON.stringify(rows)],
  );
}

/**
 * Clears the stored peaks in the states of these channels, because late readings have changed their
 * episodes. The next reading outside the limits is then compared with the peak of the stored alarm.
 */
export async function forgetPeaks(tx: Tx, channelIds: readonly number[]): Promise<void> {
  await tx.query(
    `update alarm_state set state = state || '{"peak": null, "peakAt": null}'
      where channel_id = any($1::int4[]) and phase in ('active', 'recovering')`,
    [channelIds],
  );
}

export async function forgetStates(tx: Tx, channelIds: readonly number[]): Promise<void> {
  await tx.query('delete from alarm_state where channel_id = any($1)', [channelIds]);
}

export async function deleteOutboxBefore(db: Db, days: number): Promise<void> {
  await db.query('delete from outbox where created_at < now() - make_interval(days => $1)', [days]);
}
