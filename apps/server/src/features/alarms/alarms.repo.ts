import type { AlarmState } from '@isotherm/domain/alarms/alarm-machine';
import type { AssetStatus } from '@isotherm/domain/assets/asset-status';
import { int4Array } from '../../platform/db/binary-array.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';

export interface ChannelRuleRow {
  channel_id: number;
  asset_id: number | null;
  organization_id: number;
  acquisition_interval_ms: number;
  rule_id: number | null;
  kind: string | null;
  level: number | null;
  limit_value: number | null;
  recovery_margin: number | null;
  trigger_after_ms: number | null;
  recover_after_ms: number | null;
  limit_is_outside: boolean | null;
}

export async function loadChannelRules(db: Db, channelIds: readonly number[]): Promise<ChannelRuleRow[]> {
  const { rows } = await db.query<ChannelRuleRow>({
    name: 'channel-rules',
    text: `select c.id as channel_id, c.asset_id, d.organization_id, d.acquisition_interval_ms,
                  r.id as rule_id, r.kind, r.level, r.limit_value, r.recovery_margin, r.trigger_after_ms,
                  r.recover_after_ms, r.limit_is_outside
             from channel c
             join device d on d.id = c.device_id
             left join alarm_rule r on r.channel_id = c.id and r.enabled and c.retired_at is null and d.deleted_at is null
            where c.id = any($1::int4[])`,
    values: [int4Array(channelIds)],
  });
  return rows;
}

export interface QuietRow {
  channel_id: number;
  status: AssetStatus;
  from_ms: number;
  /** Null while it has no end. */
  until_ms: number | null;
}

/** When the assets of these channels were, or are, in one of the statuses. */
export async function loadQuietSpans(
  db: Db,
  channelIds: readonly number[],
  statuses: readonly AssetStatus[],
): Promise<QuietRow[]> {
  const { rows } = await db.query<QuietRow>({
    name: 'quiet-spans',
    text: `select c.id as channel_id, s.to_status as status, extract(epoch from s.changed_at)::float8 * 1000 as from_ms,
                  extract(epoch from least(s.ended_at, s.until_at))::float8 * 1000 as until_ms
             from channel c
             join asset_status_change s on s.asset_id = c.asset_id
            where c.id = any($1::int4[]) and s.to_status = any($2)`,
    values: [int4Array(channelIds), statuses],
  });
  return rows;
}

export interface NewRule {
  channel_id: number;
  kind: string;
  level: number;
  limit_value: number | null;
  recovery_margin: number;
  trigger_after_ms: number;
  recover_after_ms: number;
}

export async function insertRules(tx: Tx, rules: readonly NewRule[]): Promise<void> {
  await tx.query(
    `insert into alarm_rule (channel_id, kind, level, limit_value, recovery_margin, trigger_after_ms, recover_after_ms)
     select * from jsonb_to_recordset($1::jsonb) as r(channel_id integer, kind text, level smallint,
            limit_value float8, recovery_margin float8, trigger_after_ms bigint, recover_after_ms bigint)`,
    [JSON.stringify(rules)],
  );
}

/** The machine's memory of these channels, by channel and rule. What is absent is normal. */
export async function loadStates(
  tx: Tx,
  channelIds: readonly number[],
): Promise<Map<number, Map<number, AlarmState>>> {
  const { rows } = await tx.query<{ channel_id: number; rule_id: number; state: AlarmState }>({
    name: 'alarm-states',
    text: 'select channel_id, rule_id, state from alarm_state where channel_id = any($1::int4[])',
    values: [int4Array(channelIds)],
  });
  const states = new Map<number, Map<number, AlarmState>>();
  for (const row of rows) {
    const ofChannel = states.get(row.channel_id) ?? new Map<number, AlarmState>();
    ofChannel.set(row.rule_id, row.state);
    states.set(row.channel_id, ofChannel);
  }
  return states;
}

export interface StateChange {
  channel_id: number;
  rule_id: number;
  /** Null when it is normal again. */
  state: AlarmState | null;
}

export async function saveStates(tx: Tx, changes: readonly StateChange[]): Promise<void> {
  const gone = changes.filter((change) => change.state === null);
  const kept = changes.filter((change) => change.state !== null);
  if (gone.length > 0)
    await tx.query(
      `delete from alarm_state s using unnest($1::int4[], $2::bigint[]) as g(channel_id, rule_id)
        where s.channel_id = g.channel_id and s.rule_id = g.rule_id`,
      [gone.map((change) => change.channel_id), gone.map((change) => change.rule_id)],
    );
  if (kept.length > 0)
    await tx.query(
      `insert into alarm_state (channel_id, rule_id, phase, state)
       select channel_id, rule_id, state ->> 'phase', state
         from jsonb_to_recordset($1::jsonb) as s(channel_id integer, rule_id bigint, state jsonb)
       on conflict (channel_id, rule_id) do update set phase = excluded.phase, state = excluded.state`,
      [JSON.stringify(kept)],
    );
}

/** Times are epoch ms. */
export interface NewAlarm {
  channel_id: number;
  rule_id: number;
  asset_id: number | null;
  organization_id: number;
  kind: string;
  level: number;
  state: string;
  since: number;
  raised_at: number;
  ended_at: number | null;
  end_reason: string | null;
  limit_value: number | null;
  recovery_margin: number | null;
  trigger_after_ms: number;
  value: number | null;
  peak_value: number | null;
  peak_at: number | null;
  late: boolean;
  recorded_at: number;
}

export interface Announced {
  id: number;
  topic: 'alarm.raised' | 'alarm.changed';
}

/** Inserts alarms and their outbox rows; an episode that stands already is left alone. */
export async function insertAlarms(tx: Tx, alarms: readonly NewAlarm[]): Promise<Announced[]> {
  const { rows } = await tx.query<{ alarm_id: number; topic: Announced['topic'] }>(
    `with made as (
       insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, state, since, raised_at,
              ended_at, end_reason, limit_value, recovery_margin, trigger_after_ms, value, peak_value, peak_at,
              late, recorded_at)
       select channel_id, rule_id, asset_id, organization_id, kind, level, state, to_timestamp(since / 1000),
              to_timestamp(raised_at / 1000), to_timestamp(ended_at / 1000), end_reason, limit_value,
              recovery_margin, trigger_after_ms, value, peak_value, to_timestamp(peak_at / 1000), late,
              to_timestamp(recorded_at / 1000)
         from jsonb_to_recordset($1::jsonb) as a(channel_id integer, rule_id bigint, asset_id bigint,
              organization_id bigint, kind text, level smallint, state text, since float8, raised_at float8,
              ended_at float8, end_reason text, limit_value float8, recovery_margin float8,
              trigger_after_ms bigint, value float8, peak_value float8, peak_at float8, late boolean,
              recorded_at float8)
       on conflict do nothing
       returning id, ended_at
     )
     insert into outbox (topic, alarm_id)
     select case when ended_at is null then 'alarm.raised' else 'alarm.changed' end, id from made
     returning alarm_id, topic`,
    [JSON.stringify(alarms)],
  );
  return rows.map((row) => ({ id: row.alarm_id, topic: row.topic }));
}

/** What a batch changed in an alarm that was open before it. Absent fields stay. */
export interface AlarmChange {
  channel_id: number;
  rule_id: number;
  state: 'active' | 'recovering' | 'ended' | null;
  peak_value: number | null;
  peak_at: number | null;
  ended_at: number | null;
  end_reason: string | null;
}

/** Changes open alarms. Only a change of state is news; a new peak is not. */
export async function changeOpenAlarms(tx: Tx, changes: readonly AlarmChange[]): Promise<Announced[]> {
  const { rows } = await tx.query<{ alarm_id: number }>(
    `with changed as (
       update alarm a
          set state = coalesce(c.state, a.state),
              peak_value = coalesce(c.peak_value, a.peak_value),
              peak_at = coalesce(to_timestamp(c.peak_at / 1000), a.peak_at),
              ended_at = to_timestamp(c.ended_at / 1000),
              end_reason = c.end_reason
         from jsonb_to_recordset($1::jsonb) as c(channel_id integer, rule_id bigint, state text,
              peak_value float8, peak_at float8, ended_at float8, end_reason text)
        where a.channel_id = c.channel_id and a.rule_id = c.rule_id and a.ended_at is null
       returning a.id, c.state as news
     )
     insert into outbox (topic, alarm_id) select 'alarm.changed', id from changed where news is not null
     returning alarm_id`,
    [JSON.stringify(changes)],
  );
  return rows.map((row) => ({ id: row.alarm_id, topic: 'alarm.changed' }));
}

export interface StandingRow {
  id: number;
  rule_id: number;
  state: string;
  end_reason: string | null;
  since: number;
  raised_at: number;
  ended_at: number | null;
  value: number;
  peak_value: number;
  peak_at: number;
}

/** Limit alarms of a channel that reach beyond `from`, in order of time. Epoch ms. */
export async function loadStandingAlarms(tx: Tx, channelId: number, from: number): Promise<StandingRow[]> {
  const { rows } = await tx.query<StandingRow>(
    `select id, rule_id, state, end_reason, (extract(epoch from since) * 1000)::float8 as since,
            (extract(epoch from raised_at) * 1000)::float8 as raised_at,
            (extract(epoch from ended_at) * 1000)::float8 as ended_at, value, peak_value,
            (extract(epoch from peak_at) * 1000)::float8 as peak_at
       from alarm
      where channel_id = $1 and kind <> 'no-data'
        and coalesce(ended_at, 'infinity') > to_timestamp($2::float8 / 1000)
      order by since`,
    [channelId, from],
  );
  return rows;
}

export interface Amended {
  id: number;
  state: string;
  since: number;
  raised_at: number;
  ended_at: number | null;
  end_reason: string | null;
  peak_value: number | null;
  peak_at: number | null;
}

export async function amendAlarms(tx: Tx, amendments: readonly Amended[]): Promise<Announced[]> {
  const { rows } = await tx.query<{ alarm_id: number }>(
    `with changed as (
       update alarm a
          set state = c.state, since = to_timestamp(c.since / 1000), raised_at = to_timestamp(c.raised_at / 1000),
              ended_at = to_timestamp(c.ended_at / 1000), end_reason = c.end_reason,
              peak_value = coalesce(c.peak_value, a.peak_value),
              peak_at = coalesce(to_timestamp(c.peak_at / 1000), a.peak_at)
         from jsonb_to_recordset($1::jsonb) as c(id bigint, state text, since float8, raised_at float8,
              ended_at float8, end_reason text, peak_value float8, peak_at float8)
        where a.id = c.id
       returning a.id
     )
     insert into outbox (topic, alarm_id) select 'alarm.changed', id from changed returning alarm_id`,
    [JSON.stringify(amendments)],
  );
  return rows.map((row) => ({ id: row.alarm_id, topic: 'alarm.changed' }));
}

/** Ends what is open on these channels and forgets what was pending; answers what was ended. */
export async function endAlarmsOf(
  tx: Tx,
  channelIds: readonly number[],
  now: Date,
): Promise<{ id: number; assetId: number | null }[]> {
  await tx.query('delete from alarm_state where channel_id = any($1)', [channelIds]);
  const { rows } = await tx.query<{ id: number; asset_id: number | null }>(
    `with ended as (
       update alarm set state = 'ended', ended_at = greatest($2::timestamptz, raised_at), end_reason = 'device-removed'
        where channel_id = any($1) and ended_at is null
       returning id, asset_id
     ), told as (insert into outbox (topic, alarm_id) select 'alarm.changed', id from ended)
     select id, asset_id from ended`,
    [channelIds, now],
  );
  return rows.map((row) => ({ id: row.id, assetId: row.asset_id }));
}

export interface SilentChannel {
  channel_id: number;
  device_id: number;
  rule_id: number;
}

/** Channels whose no-data rule is due at `now` and has not spoken yet. */
export async function findSilentChannels(db: Db, now: number, limit: number): Promise<SilentChannel[]> {
  const { rows } = await db.query<SilentChannel>(
    `select r.channel_id, c.device_id, r.id as rule_id
       from alarm_rule r
       join channel c on c.id = r.channel_id and c.retired_at is null
       join sensor n on n.id = c.sensor_id and n.disabled_at is null
       join device d on d.id = c.device_id and d.deleted_at is null
       join channel_latest l on l.channel_id = r.channel_id
      where r.kind = 'no-data' and r.enabled
        and l.measured_at < to_timestamp($1::float8 / 1000) - make_interval(secs => r.trigger_after_ms / 1000.0)
        and not exists (select 1 from alarm_state s where s.channel_id = r.channel_id and s.rule_id = r.id)
      limit $2`,
    [now, limit],
  );
  return rows;
}

export async function deleteOutboxBefore(db: Db, days: number): Promise<void> {
  await db.query('delete from outbox where created_at < now() - make_interval(days => $1)', [days]);
}
