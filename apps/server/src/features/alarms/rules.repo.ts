import type { AlarmEndReason, AlarmSubject, LimitKind, SilenceKind } from '@isotherm/domain/alarms/catalogue';
import type { Schedule } from '@isotherm/domain/alarms/schedule';
import type { AssetStatus } from '@isotherm/domain/assets/asset-status';
import { int4Array } from '../../platform/db/binary-array.ts';
import type { Db, Tx } from '../../platform/db/pool.ts';
import { LANES } from '../telemetry/index.ts';

export interface ChannelRuleRow {
  channel_id: number;
  asset_id: number | null;
  organization_id: number;
  acquisition_interval_ms: number;
  /** Lane of the device, and the revision of its rules at the time of the query. */
  lane: number;
  revision: number;
  rule_id: number | null;
  kind: LimitKind | SilenceKind;
  subject: AlarmSubject;
  level: number;
  limit_value: number | null;
  recovery_margin: number;
  trigger_after_ms: number;
  recover_after_ms: number;
  limit_is_outside: boolean;
  /** Epoch ms; infinite if the version has no end yet. */
  valid_from: number;
  valid_until: number;
  end_reason: AlarmEndReason | null;
  /** The signal of the rule as in the domain package, but without the id of the other channel. */
  signal: object | null;
  other_channel_id: number | null;
  and_channel_ids: number[] | null;
  defrost_delay_ms: number;
  defrost_channel_id: number | null;
  /** When the rule may raise an alarm; null: always. */
  schedule: Schedule | null;
  /** Channels of the device that have rules which use the readings of this channel; null: none. */
  watched_by: number[] | null;
  /** End of the newest version that was left out, epoch ms; null if there is none. */
  left_out_until: number | null;
  /** Expiry of the device, epoch ms; null if it has none. */
  expires_at: number | null;
  /** Moments at which alarms of the channel timed out, epoch ms, in order; null: none. */
  timeouts: number[] | null;
}

/**
 * Versions of the rules of these channels: all, or only those in force, which is what readings need that were
 * measured after the last change. A channel without such rules has one row without a rule.
 */
export async function loadChannelRules(
  db: Db,
  channelIds: readonly number[],
  which: 'all' | 'in-force',
): Promise<ChannelRuleRow[]> {
  const isAll = which === 'all';
  // What is known of a channel is read once for each channel, not once for each of its rules.
  const { rows } = await db.query<ChannelRuleRow>({
    name: `channel-rules-${which}`,
    text: `with asked as materialized (
             select c.id, c.asset_id, d.organization_id, d.acquisition_interval_ms, v.bucket, v.revision,
                    (extract(epoch from d.expires_at) * 1000)::float8 as expires_at,
                    watched.by_channels as watched_by, timed_out.moments as timeouts,
                    ${isAll ? 'null' : 'ended.last'}::float8 as left_out_until
               from channel c
               join device d on d.id = c.device_id
               join alarm_rule_revision v on v.bucket = d.id % ${LANES}
               left join (${WATCHED}) watched on watched.id = c.id
               left join (${TIMED_OUT}) timed_out on timed_out.channel_id = c.id
               ${isAll ? '' : LAST_ENDED}
              where c.id = any($1::int4[])
           )
           select a.id as channel_id, a.asset_id, a.organization_id, a.acquisition_interval_ms, a.bucket as lane, a.revision::float8 as revision,
                  r.id as rule_id, r.kind, r.subject, r.level, r.limit_value, r.recovery_margin, r.trigger_after_ms,
                  r.recover_after_ms, r.limit_is_outside, (extract(epoch from r.valid_from) * 1000)::float8 as valid_from,
                  (extract(epoch from coalesce(r.valid_until, 'infinity')) * 1000)::float8 as valid_until, r.end_reason,
                  r.signal, r.other_channel_id, r.and_channel_ids, r.defrost_delay_ms, r.defrost_channel_id, r.schedule,
                  a.watched_by, a.timeouts, a.left_out_until, a.expires_at
             from asked a
             left join alarm_rule r on r.channel_id = a.id ${isAll ? '' : 'and r.valid_until is null'}
            order by r.valid_from, r.id`,
    values: [int4Array(channelIds)],
  });
  return rows;
}

/**
 * The channels whose rules use the readings of the channels `$1`, by the latter. Most channels have none, which one search of each
 * index finds out for the whole batch.
 */
const WATCHED = `select u.id, array_agg(u.channel_id) as by_channels
                   from (select other_channel_id as id, channel_id from alarm_rule where other_channel_id = any($1::int4[])
                         union
                         select defrost_channel_id, channel_id from alarm_rule where defrost_channel_id = any($1::int4[])
                         union
                         select a.id, r.channel_id from alarm_rule r, unnest(r.and_channel_ids) as a(id)
                          where r.and_channel_ids && $1::int4[] and a.id = any($1::int4[])) u
                  group by u.id`;

/** The moments at which alarms of the channels `$1` timed out, epoch ms, by channel. */
const TIMED_OUT = `select t.channel_id, array_agg((extract(epoch from t.at) * 1000)::float8 order by t.at) as moments
                     from alarm_timeout t where t.channel_id = any($1::int4[]) group by t.channel_id`;

/** The end of the version that ended last, from the end of an index, however many a channel has had. */
const LAST_ENDED = `left join lateral (
                 select (extract(epoch from o.valid_until) * 1000)::float8 as last from alarm_rule o
                  where o.channel_id = c.id and o.valid_until is not null order by o.valid_until desc limit 1
               ) ended on true`;

export interface QuietRow {
  channel_id: number;
  status: AssetStatus;
  from_ms: number;
  /** Null if the status has no end yet. */
  until_ms: number | null;
}

/** Spans of time in which the assets of these channels had one of these statuses. */
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

/** Holidays of the organisations to which these channels belong, and of those above them, by channel. */
export async function loadHolidays(
  db: Db,
  channelIds: readonly number[],
): Promise<ReadonlyMap<number, ReadonlySet<number>>> {
  const { rows } = await db.query<{ channelId: number; days: number[] }>({
    name: 'holidays',
    text: `select c.id as "channelId", array_agg(distinct h.date - date '1970-01-01') as days
             from channel c
             join device d on d.id = c.device_id
             join organization o on o.id = d.organization_id
             join organization above on o.path like above.path || '%'
             join holiday h on h.organization_id = above.id
            where c.id = any($1::int4[])
            group by c.id`,
    values: [int4Array(channelIds)],
  });
  return new Map(rows.map(({ channelId, days }) => [channelId, new Set(days)]));
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

/** Revisions of these lanes. A changed revision means that a rule of some channel in the lane has changed. */
export async function readRevisions(db: Db, lanes: readonly number[]): Promise<Map<number, number>> {
  const { rows } = await db.query<[number, number]>({
    name: 'rule-revisions',
    text: 'select bucket, revision::float8 from alarm_rule_revision where bucket = any($1::int4[])',
    values: [int4Array(lanes)],
    rowMode: 'array',
  } as never);
  return new Map(rows);
}

/**
 * Marks the rules of these channels as changed, within the transaction of the change, which holds the lanes of
 * their devices. Every process then reads the rules of these lanes again before it evaluates the next batch. Call it
 * before writing the rules, with all channels whose rules the transaction writes, because the triggers of that table then send no
 * notifications to the caches.
 */
export async function touchRules(tx: Tx, channelIds: readonly number[]): Promise<void> {
  if (channelIds.length === 0) return;
  await tx.query(
    `with held as (
       select bucket from alarm_rule_revision
        where bucket in (select device_id % ${LANES} from channel where id = any($1::int4[])) order by bucket for update
     )
     update alarm_rule_revision r set revision = revision + 1 from held where r.bucket = held.bucket
     returning set_config('isotherm.rules_revised', 'on', true)`,
    [int4Array(channelIds)],
  );
}

/** Ends the rule versions in force of these channels. */
export async function closeRules(
  tx: Tx,
  channelIds: readonly number[],
  at: Date,
  reason: AlarmEndReason,
): Promise<void> {
  await touchRules(tx, channelIds);
  await tx.query(
    `update alarm_rule set enabled = false, valid_until = greatest($2::timestamptz, valid_from), end_reason = $3
      where channel_id = any($1) and enabled`,
    [channelIds, at, reason],
  );
}

/**
 * For the direct rules that ended when the devices of these channels were removed, inserts new versions that
 * are valid from `at` on.
 */
export async function reopenRules(tx: Tx, channelIds: readonly number[], at: Date): Promise<void> {
  await touchRules(tx, channelIds);
  await tx.query(
    `insert into alarm_rule (channel_id, kind, level, limit_value, recovery_margin, trigger_after_ms,
                             recover_after_ms, limit_is_outside, valid_from)
     select r.channel_id, r.kind, r.level, r.limit_value, r.recovery_margin, r.trigger_after_ms, r.recover_after_ms,
            r.limit_is_outside, $2
       from alarm_rule r
       join channel c on c.id = r.channel_id and c.retired_at is null
      where r.channel_id = any($1) and r.end_reason = 'device-removed' and r.policy_rule_id is null
        and r.valid_until = (select max(o.valid_until) from alarm_rule o where o.channel_id = r.channel_id)
        and not exists (select 1 from alarm_rule o where o.channel_id = r.channel_id and o.enabled)`,
    [channelIds, at],
  );
}
