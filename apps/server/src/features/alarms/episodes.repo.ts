import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import type { AlarmEndReason, AlarmKind, AlarmSubject, LimitKind } from '@isotherm/domain/alarms/catalogue';
import { LIMIT_KINDS } from '@isotherm/domain/alarms/catalogue';
import type { EpisodeEvent } from '@isotherm/domain/alarms/episode';
import type { StoredAlarm } from '@isotherm/domain/alarms/reconcile';
import { int4Array, timestamptzArray } from '../../platform/db/binary-array.ts';
import type { Tx } from '../../platform/db/pool.ts';

/** A row of `alarm` as it is read and written. Times are epoch ms. */
export interface AlarmRow {
  channel_id: number;
  rule_id: number;
  subject: AlarmSubject;
  asset_id: number | null;
  organization_id: number;
  kind: AlarmKind;
  level: AlarmLevel;
  peak_level: AlarmLevel;
  state: 'active' | 'recovering' | 'ended';
  since: number;
  raised_at: number;
  ended_at: number | null;
  end_reason: AlarmEndReason | null;
  limit_value: number | null;
  recovery_margin: number | null;
  trigger_after_ms: number;
  /** By how much a defrost delayed the alarm; null or absent: not at all. */
  defrost_delay_ms?: number | null;
  value: number | null;
  peak_value: number | null;
  peak_at: number | null;
  late: boolean;
  recorded_at: number;
  events: readonly EpisodeEvent[];
}

/** Change of an alarm that is published to consoles and other subscribers. */
export interface Announced {
  id: number;
  topic: 'alarm.raised' | 'alarm.changed';
}

export interface InsertedAlarm {
  id: number;
  channelId: number;
  /** Time at which the alarm was raised, epoch ms. */
  raisedAt: number;
  ended: boolean;
}

/** Events that record what late readings changed. Replays neither read nor replace them. */
const NOT_OF_EPISODE = `'late-readings', 'reopened'`;

const EVENTS = `jsonb_to_recordset(i.events) as e(type text, at float8, level smallint, "limit" float8, value float8)`;

/**
 * Inserts alarms with their events and outbox rows. A channel has at most one open alarm of each kind, so an
 * alarm is not inserted if one is open. An alarm that has already ended is published as raised and then as
 * changed, because no subscriber has seen it yet.
 */
export async function insertAlarms(tx: Tx, alarms: readonly AlarmRow[]): Promise<InsertedAlarm[]> {
  const { rows } = await tx.query<{ id: number; channel_id: number; raised_at: number; ended: boolean }>(
    `with input as materialized (
       select * from jsonb_to_recordset($1::jsonb) as a(channel_id integer, rule_id bigint, subject text, asset_id bigint,
              organization_id bigint, kind text, level smallint, peak_level smallint, state text, since float8,
              raised_at float8, ended_at float8, end_reason text, limit_value float8, recovery_margin float8,
              trigger_after_ms bigint, value float8, peak_value float8, peak_at float8, late boolean,
              recorded_at float8, events jsonb, defrost_delay_ms bigint)
     ), made as (
       insert into alarm (channel_id, rule_id, subject, asset_id, organization_id, kind, level, peak_level, state, since,
              raised_at, ended_at, end_reason, limit_value, recovery_margin, trigger_after_ms, value, peak_value,
              peak_at, late, recorded_at, defrost_delay_ms)
       select channel_id, rule_id, subject, asset_id, organization_id, kind, level, peak_level, state,
              to_timestamp(since / 1000), to_timestamp(raised_at / 1000), to_timestamp(ended_at / 1000), end_reason,
              limit_value, recovery_margin, trigger_after_ms, value, peak_value, to_timestamp(peak_at / 1000), late,
              to_timestamp(recorded_at / 1000), defrost_delay_ms
         from input order by raised_at, channel_id, kind
       on conflict do nothing
       returning id, channel_id, kind, raised_at, ended_at is not null as ended
     ), told as (
       insert into alarm_event (alarm_id, type, at, recorded_at, level, limit_value, value)
       select made.id, e.type, to_timestamp(e.at / 1000), to_timestamp(i.recorded_at / 1000), e.level, e."limit", e.value
         from made
         join input i on i.channel_id = made.channel_id and i.kind = made.kind
                     and to_timestamp(i.raised_at / 1000) = made.raised_at
        cross join ${EVENTS}
     ), published as (
       insert into outbox (topic, alarm_id)
       select topic, id from made
         join (values (1, 'alarm.raised'), (2, 'alarm.changed')) as t(position, topic) on position = 1 or ended
        order by id, position
     )
     select id, channel_id, (extract(epoch from raised_at) * 1000)::float8 as raised_at, ended from made order by id`,
    [JSON.stringify(alarms)],
  );
  return rows.map((row) => ({
    id: row.id,
    channelId: row.channel_id,
    raisedAt: row.raised_at,
    ended: row.ended,
  }));
}

/** The changes to publish for inserted alarms, in the order in which they happened. */
export function newsOfInserted(inserted: readonly InsertedAlarm[]): Announced[] {
  return inserted.flatMap(({ id, ended }): Announced[] => {
    const raised: Announced = { id, topic: 'alarm.raised' };
    return ended ? [raised, { id, topic: 'alarm.changed' }] : [raised];
  });
}

/** New content of a stored alarm. Times are epoch ms. */
export interface ChangedAlarm {
  id: number;
  state: AlarmRow['state'];
  since: number;
  raised_at: number;
  ended_at: number | null;
  end_reason: AlarmEndReason | null;
  level: AlarmLevel;
  peak_level: AlarmLevel;
  limit_value: number;
  recovery_margin: number;
  defrost_delay_ms: number | null;
  value: number;
  peak_value: number;
  peak_at: number;
  /** False if only the peak has changed, because such a change is not published. */
  news: boolean;
  recorded_at: number;
  events: readonly EpisodeEvent[];
  /** Start of the time range whose stored events are replaced; null if events are only added. */
  replace_from: number | null;
  replace_until: number | null;
}

/**
 * Writes changed alarms. Those that end are written first, in a separate statement, because a channel may
 * have only one open alarm of each kind after each statement.
 */
export async function changeAlarms(tx: Tx, changes: readonly ChangedAlarm[]): Promise<Announced[]> {
  const ended = changes.filter((change) => change.ended_at !== null);
  const open = changes.filter((change) => change.ended_at === null);
  return [...(await changeSome(tx, ended)), ...(await changeSome(tx, open))];
}

async function changeSome(tx: Tx, changes: readonly ChangedAlarm[]): Promise<Announced[]> {
  if (changes.length === 0) return [];
  const { rows } = await tx.query<{ alarm_id: number }>(
    `with input as materialized (
       select * from jsonb_to_recordset($1::jsonb) as c(id bigint, state text, since float8, raised_at float8,
              ended_at float8, end_reason text, level smallint, peak_level smallint, limit_value float8,
              recovery_margin float8, value float8, peak_value float8, peak_at float8, news boolean, recorded_at float8,
              events jsonb, replace_from float8, replace_until float8, defrost_delay_ms bigint)
     ), changed as (
       update alarm a
          set state = i.state, since = to_timestamp(i.since / 1000), raised_at = to_timestamp(i.raised_at / 1000),
              ended_at = to_timestamp(i.ended_at / 1000), end_reason = i.end_reason, level = i.level,
              peak_level = i.peak_level, limit_value = i.limit_value, recovery_margin = i.recovery_margin,
              value = i.value, peak_value = i.peak_value, peak_at = to_timestamp(i.peak_at / 1000),
              defrost_delay_ms = i.defrost_delay_ms
         from input i join alarm before on before.id = i.id where a.id = i.id
       returning a.id, i.news, a.ended_at is null and before.ended_at is not null as reopened,
                 before.ended_at as ended_before, a.level, a.limit_value, i.recorded_at
     ), replaced as (
       delete from alarm_event e using input i
        where e.alarm_id = i.id and e.type not in (${NOT_OF_EPISODE}) and e.at >= to_timestamp(i.replace_from / 1000)
          and e.at < coalesce(to_timestamp(i.replace_until / 1000), 'infinity')
     ), told as (
       insert into alarm_event (alarm_id, type, at, recorded_at, level, limit_value, value)
       select i.id, e.type, to_timestamp(e.at / 1000), to_timestamp(i.recorded_at / 1000), e.level, e."limit", e.value
         from input i cross join ${EVENTS}
       union all
       select id, 'reopened', ended_before, to_timestamp(recorded_at / 1000), level, limit_value, null
         from changed where reopened
     )
     insert into outbox (topic, alarm_id) select 'alarm.changed', id from changed where news returning alarm_id`,
    [JSON.stringify(changes)],
  );
  return rows.map((row) => ({ id: row.alarm_id, topic: 'alarm.changed' }));
}

/** Moves the events of an alarm from a moment on to the alarm that continues it. */
export async function moveEvents(
  tx: Tx,
  moves: readonly { from_alarm: number; to_alarm: number; at: number }[],
): Promise<void> {
  await tx.query(
    `update alarm_event e set alarm_id = m.to_alarm
       from jsonb_to_recordset($1::jsonb) as m(from_alarm bigint, to_alarm bigint, at float8)
      where e.alarm_id = m.from_alarm and e.at >= to_timestamp(m.at / 1000)`,
    [JSON.stringify(moves)],
  );
}

/**
 * Adds a note about what late readings imply to alarms that a person has ended, or has acknowledged after
 * their end; nothing else of them changes.
 */
export async function annotateAlarms(
  tx: Tx,
  notes: readonly { id: number; since: number; until: number | null; level: number; recorded_at: number }[],
): Promise<void> {
  await tx.query(
    `with input as materialized (
       select * from jsonb_to_recordset($1::jsonb)
           as n(id bigint, since float8, until float8, level smallint, recorded_at float8)
     ), noted as (
       update alarm a set implied_since = to_timestamp(i.since / 1000), implied_until = to_timestamp(i.until / 1000)
         from input i where a.id = i.id
     )
     insert into alarm_event (alarm_id, type, at, recorded_at, level)
     select id, 'late-readings', to_timestamp(since / 1000), to_timestamp(recorded_at / 1000), level from input`,
    [JSON.stringify(notes)],
  );
}

/** Raises the level of open alarms, each with an event at the given time. */
export async function raiseLevels(
  tx: Tx,
  levels: readonly { id: number; level: number; at: number }[],
  recordedAt: number,
): Promise<Announced[]> {
  if (levels.length === 0) return [];
  const { rows } = await tx.query<{ alarm_id: number }>(
    `with input as materialized (
       select * from jsonb_to_recordset($1::jsonb) as i(id bigint, level smallint, at float8)
     ), raised as (
       update alarm a set level = i.level, peak_level = greatest(a.peak_level, i.level) from input i where a.id = i.id
       returning a.id, i.level, greatest(to_timestamp(i.at / 1000), a.raised_at) as at
     ), told as (
       insert into alarm_event (alarm_id, type, at, recorded_at, level)
       select id, 'level-changed', at, to_timestamp($2::float8 / 1000), level from raised
     )
     insert into outbox (topic, alarm_id) select 'alarm.changed', id from raised returning alarm_id`,
    [JSON.stringify(levels), recordedAt],
  );
  return rows.map((row) => ({ id: row.alarm_id, topic: 'alarm.changed' }));
}

export interface EndedAlarm {
  id: number;
  assetId: number | null;
}

/**
 * Ends the open alarms of these kinds on these channels at a moment, with their events and outbox rows. An alarm never
 * ends before it was raised.
 */
export async function endAlarms(
  tx: Tx,
  ends: readonly { channel_id: number; ended_at: number }[],
  kinds: readonly AlarmKind[],
  reason: AlarmEndReason,
  recordedAt: number,
): Promise<EndedAlarm[]> {
  const { rows } = await tx.query<{ id: number; asset_id: number | null }>(
    `with ended as (
       update alarm a
          set state = 'ended', ended_at = greatest(to_timestamp(e.ended_at / 1000), a.raised_at), end_reason = $3,
              level = coalesce(a.peak_level, a.level)
         from jsonb_to_recordset($1::jsonb) as e(channel_id integer, ended_at float8)
        where a.channel_id = e.channel_id and a.kind = any($2) and a.ended_at is null
       returning a.id, a.asset_id, a.ended_at, a.level, a.limit_value
     ), told as (
       insert into alarm_event (alarm_id, type, at, recorded_at, level, limit_value)
       select id, 'ended', ended_at, to_timestamp($4::float8 / 1000), level, limit_value from ended
     ), published as (insert into outbox (topic, alarm_id) select 'alarm.changed', id from ended)
     select id, asset_id from ended`,
    [JSON.stringify(ends), kinds, reason, recordedAt],
  );
  return rows.map((row) => ({ id: row.id, assetId: row.asset_id }));
}

/** Ends those of these alarms that are open, at the time `endedAt` of the server clock. */
export async function endAlarmsById(
  tx: Tx,
  ids: readonly number[],
  reason: AlarmEndReason,
  endedAt: number,
): Promise<EndedAlarm[]> {
  const { rows } = await tx.query<{ id: number; asset_id: number | null }>(
    `with ended as (
       update alarm a
          set state = 'ended', ended_at = greatest(to_timestamp($3::float8 / 1000), a.raised_at), end_reason = $2,
              level = coalesce(a.peak_level, a.level)
        where a.id = any($1::bigint[]) and a.ended_at is null
       returning a.id, a.asset_id, a.ended_at, a.level, a.limit_value
     ), told as (
       insert into alarm_event (alarm_id, type, at, recorded_at, level, limit_value)
       select id, 'ended', ended_at, to_timestamp($3::float8 / 1000), level, limit_value from ended
     ), published as (insert into outbox (topic, alarm_id) select 'alarm.changed', id from ended)
     select id, asset_id from ended`,
    [ids, reason, endedAt],
  );
  return rows.map((row) => ({ id: row.id, assetId: row.asset_id }));
}

interface StoredRow {
  id: number;
  channel_id: number;
  kind: LimitKind;
  rule_id: number;
  since: number;
  raised_at: number;
  ended_at: number | null;
  end_reason: AlarmEndReason | null;
  state: AlarmRow['state'];
  level: AlarmLevel;
  peak_level: AlarmLevel;
  limit_value: number;
  recovery_margin: number;
  trigger_after_ms: number;
  defrost_delay_ms: number | null;
  value: number;
  peak_value: number;
  peak_at: number;
  acknowledged: boolean;
  implied_since: number | null;
  implied_until: number | null;
  held_until: number | null;
  events: EpisodeEvent[] | null;
}

const epoch = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`;
const STORED = `a.id, a.channel_id, a.kind, a.rule_id, ${epoch('a.since')} as since, ${epoch('a.raised_at')} as raised_at,
       ${epoch('a.ended_at')} as ended_at, a.end_reason, a.state, a.level, coalesce(a.peak_level, a.level) as peak_level,
       a.limit_value, a.recovery_margin, a.trigger_after_ms, a.defrost_delay_ms, a.value, a.peak_value, ${epoch('a.peak_at')} as peak_at,
       a.acknowledged_at is not null as acknowledged, ${epoch('a.implied_since')} as implied_since,
       ${epoch('a.implied_until')} as implied_until,
       case when a.end_reason = 'data-timeout'
            then (select ${epoch('min(t.at)')} from alarm_timeout t where t.channel_id = a.channel_id and t.at > a.ended_at)
       end as held_until`;

function byChannel(rows: readonly StoredRow[]): Map<number, StoredAlarm[]> {
  const alarms = new Map<number, StoredAlarm[]>();
  for (const row of rows) {
    const own = alarms.get(row.channel_id);
    if (own) own.push(toStored(row));
    else alarms.set(row.channel_id, [toStored(row)]);
  }
  return alarms;
}

function toStored(row: StoredRow): StoredAlarm {
  return {
    id: row.id,
    kind: row.kind,
    ruleId: row.rule_id,
    since: row.since,
    raisedAt: row.raised_at,
    endedAt: row.ended_at,
    endReason: row.end_reason,
    recovering: row.state === 'recovering',
    level: row.level,
    peakLevel: row.peak_level,
    limit: row.limit_value,
    recoveryMargin: row.recovery_margin,
    triggerAfterMs: row.trigger_after_ms,
    defrostDelayMs: row.defrost_delay_ms ?? undefined,
    value: row.value,
    peak: row.peak_value,
    peakAt: row.peak_at,
    events: row.events ?? [],
    acknowledged: row.acknowledged,
    heldUntil: row.held_until,
    impliedSince: row.implied_since,
    impliedUntil: row.implied_until,
  };
}

/** Open limit alarms of these channels, without their events. */
export async function loadOpenAlarms(
  tx: Tx,
  channelIds: readonly number[],
): Promise<Map<number, StoredAlarm[]>> {
  const { rows } = await tx.query<StoredRow>({
    name: 'open-alarms',
    text: `select ${STORED}, null as events from alarm a
            where a.channel_id = any($1::int4[]) and a.kind = any($2) and a.ended_at is null`,
    values: [int4Array(channelIds), LIMIT_KINDS],
  });
  return byChannel(rows);
}

/** Where in a channel's history alarms are looked for. */
interface AlarmsAsked {
  channelId: number;
  from: number;
  /** True if alarms of the channel timed out after `from`; they may have ended before. */
  hasTimeout: boolean;
}

/**
 * Limit alarms that last until or start after a given time of each channel, with their events, ordered by
 * time.
 */
export async function loadAlarmsSince(
  tx: Tx,
  asked: readonly AlarmsAsked[],
): Promise<Map<number, StoredAlarm[]>> {
  const timedOut = asked.filter(({ hasTimeout }) => hasTimeout);
  const found = await readAlarms(tx, 'alarms-since', UNTIL_NOW, asked);
  if (timedOut.length === 0) return byChannel(found);
  const known = new Set(found.map(({ id }) => id));
  const earlier = (await readAlarms(tx, 'alarms-timed-out', TIMED_OUT, timedOut)).filter(
    ({ id }) => !known.has(id),
  );
  return byChannel([...earlier, ...found].sort((a, b) => a.since - b.since || a.id - b.id));
}

/** SQL for alarms that last until `w.reach`; there is an index for this expression. */
const UNTIL_NOW = `greatest(coalesce(a.ended_at, 'infinity'),
                           case when a.implied_since is not null then coalesce(a.implied_until, 'infinity') end) >= w.reach`;
const TIMED_OUT = `a.end_reason = 'data-timeout'`;

async function readAlarms(
  tx: Tx,
  name: string,
  condition: string,
  asked: readonly AlarmsAsked[],
): Promise<StoredRow[]> {
  const { rows } = await tx.query<StoredRow>({
    name,
    text: `select ${STORED},
                  (select json_agg(json_build_object('type', e.type, 'at', ${epoch('e.at')}, 'level', e.level,
                                                     'limit', e.limit_value, 'value', e.value) order by e.at, e.id)
                     from alarm_event e where e.alarm_id = a.id and e.type not in (${NOT_OF_EPISODE})) as events
             from unnest($1::int4[], $2::timestamptz[]) as w(channel, reach)
             join alarm a on a.channel_id = w.channel and a.kind = any($3) and ${condition}
            order by a.since, a.id`,
    values: [
      int4Array(asked.map(({ channelId }) => channelId)),
      timestamptzArray(asked.map(({ from }) => from)),
      LIMIT_KINDS,
    ],
  });
  return rows;
}
