import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import {
  defaultGapAllowanceMs,
  type LimitRule,
  type NoDataRule,
} from '@isotherm/domain/alarms/alarm-machine';
import type { LimitKind } from '@isotherm/domain/alarms/catalogue';
import type { PolicySignal } from '@isotherm/domain/alarms/policy-signal';
import type { QuietSpan } from '@isotherm/domain/alarms/quiet-time';
import { type ChannelRules, type RuleVersion, untilExpiry } from '@isotherm/domain/alarms/rule-version';
import type { Signal } from '@isotherm/domain/alarms/signal';
import { otherChannelsOf, reachOf } from '@isotherm/domain/alarms/signal-values';
import { ASSET_STATUSES, STATUS_QUIET } from '@isotherm/domain/assets/asset-status';
import { createCache } from '../../platform/cache/cache.ts';
import type { Invalidations } from '../../platform/cache/invalidations.ts';
import type { Db } from '../../platform/db/pool.ts';
import {
  type ChannelRuleRow,
  loadChannelRules,
  loadHolidays,
  loadQuietSpans,
  readRevisions,
} from './rules.repo.ts';

/** The rules of a channel with everything else that is needed to evaluate it. */
export interface ChannelPlan extends ChannelRules {
  channelId: number;
  /** Lane of the device, and its revision when the rules were read. */
  lane: number;
  revision: number;
  assetId: number | null;
  organizationId: number;
  /** Limit rules in force. */
  limit: readonly LimitRule[];
  /**
   * Time of the last change of the rules. Readings measured before it need earlier versions, later ones only
   * the rules in force.
   */
  boundary: number;
  timeouts: readonly number[];
  /** Readings measured from then on are not evaluated (decision 33); infinite for a device without expiry. */
  expiresAt: number;
  /** True if versions that have ended are left out. Replays need all versions. */
  isPartial: boolean;
  noData: readonly NoDataRule[];
  /** Spans of time in which no-data rules are not evaluated because of the status of the asset. */
  quietSilence: readonly QuietSpan[];
  /** How long before a reading other readings influence its evaluation, in ms; 0 without signals and defrost delays. */
  reachMs: number;
  /** Other channels whose readings the rules need. */
  others: ReadonlySet<number>;
  /** Channels of the device that have rules which use the readings of this channel. */
  watchedBy: readonly number[];
}

export interface RuleBook {
  /**
   * Rules of these channels; channels that do not exist are absent from the result. The result is up to date
   * while the caller holds the advisory locks of the channels' devices, because a change of rules increments
   * a revision under the same locks, and the revision is read on each call.
   */
  of(db: Db, channelIds: readonly number[]): Promise<Map<number, ChannelPlan>>;
  /** The rules of these channels with all versions, also those that have ended. They are not cached. */
  complete(db: Db, channelIds: readonly number[]): Promise<Map<number, ChannelPlan>>;
  /** Discards the cached rules of this process. Other processes are notified by database triggers. */
  forgetAll(): void;
}

const MAX_CHANNELS = 400_000;
const QUIETING = ASSET_STATUSES.filter((status) => STATUS_QUIET[status] !== 'nothing');

/**
 * Creates the cache of rules in force. Versions that have ended are not cached: only replays of readings measured
 * before the last change need them, and a channel may have had hundreds in years. Rules change rarely and are
 * needed for every batch, so they are cached until a trigger notifies of a change. The revision shows a change
 * even if its notification has not arrived yet.
 */
export function createRuleBook(invalidations: Invalidations): RuleBook {
  const channels = createCache<number, ChannelPlan, Db>({
    invalidations,
    topic: 'rules',
    keyOf: Number,
    max: MAX_CHANNELS,
    load: (channelIds, db) => load(db, channelIds, 'in-force'),
  });
  return {
    complete: (db, channelIds) => load(db, channelIds, 'all'),
    forgetAll: () => invalidations.invalidate('rules', null),
    async of(db, channelIds) {
      const plans = await channels.many(channelIds, db);
      const revisions = await readRevisions(db, [...new Set([...plans.values()].map(({ lane }) => lane))]);
      const stale = [...plans.values()]
        .filter(({ lane, revision }) => revision !== revisions.get(lane))
        .map(({ channelId }) => channelId);
      if (stale.length > 0) for (const [id, plan] of await channels.reload(stale, db)) plans.set(id, plan);
      return plans;
    },
  };
}

/** Shared by plans, since hundreds of thousands are kept and most have nothing of a kind. */
const NONE: readonly never[] = [];
const NO_CHANNELS: ReadonlySet<number> = new Set();

interface Building extends ChannelPlan {
  versions: RuleVersion[];
  limit: LimitRule[];
}

async function load(
  db: Db,
  channelIds: readonly number[],
  which: 'all' | 'in-force',
): Promise<Map<number, ChannelPlan>> {
  const plans = new Map<number, Building>();
  const rows = await loadChannelRules(db, channelIds, which);
  const onHolidays = new Set(
    rows
      .filter(({ schedule }) => schedule !== null && schedule.holidays !== 'ignore')
      .map((row) => row.channel_id),
  );
  const holidays = onHolidays.size > 0 ? await loadHolidays(db, [...onHolidays]) : NO_HOLIDAYS;
  for (const row of rows) {
    let plan = plans.get(row.channel_id);
    if (!plan) {
      plan = {
        channelId: row.channel_id,
        lane: row.lane,
        revision: row.revision,
        assetId: row.asset_id,
        organizationId: row.organization_id,
        versions: [],
        gaps: NONE,
        quiet: NONE,
        limit: [],
        boundary: row.left_out_until ?? Number.NEGATIVE_INFINITY,
        isPartial: row.left_out_until !== null,
        noData: NONE,
        quietSilence: NONE,
        reachMs: 0,
        others: NO_CHANNELS,
        watchedBy: row.watched_by ?? NONE,
        timeouts: row.timeouts ?? NONE,
        expiresAt: row.expires_at ?? Number.POSITIVE_INFINITY,
      };
      plans.set(row.channel_id, plan);
    }
    if (row.rule_id !== null) addRule(plan, row.rule_id, row, holidays.get(row.channel_id) ?? NO_DAYS);
  }
  for (const row of await loadQuietSpans(db, channelIds, QUIETING)) {
    const plan = plans.get(row.channel_id);
    if (!plan) continue;
    const span = { from: row.from_ms, until: row.until_ms ?? Number.POSITIVE_INFINITY };
    plan.quiet = [...plan.quiet, span];
    if (STATUS_QUIET[row.status] === 'everything') plan.quietSilence = [...plan.quietSilence, span];
  }
  for (const plan of plans.values()) {
    const rules = plan.versions.map(({ rule }) => rule);
    plan.reachMs = reachOf(rules);
    const others = otherChannelsOf(rules);
    if (others.size > 0) plan.others = others;
  }
  return plans;
}

const NO_DAYS: ReadonlySet<number> = new Set();
const NO_HOLIDAYS: ReadonlyMap<number, ReadonlySet<number>> = new Map();

function addRule(plan: Building, id: number, row: ChannelRuleRow, holidayDays: ReadonlySet<number>): void {
  const isInForce = row.valid_until === Number.POSITIVE_INFINITY;
  const schedule = row.schedule && { ...row.schedule, holidayDays };
  if (row.kind === 'no-data') {
    if (!isInForce) return;
    const { kind, level, trigger_after_ms: triggerAfterMs } = row;
    const ofDevice = row.subject === 'device';
    plan.noData = [
      ...plan.noData,
      { id, kind, level: level as AlarmLevel, triggerAfterMs, schedule, ofDevice },
    ];
    return;
  }
  const rule = toLimitRule(id, row.kind, row, schedule);
  const version: RuleVersion = {
    rule,
    from: row.valid_from,
    until: row.valid_until,
    endReason: row.end_reason ?? 'rule-edited',
  };
  plan.versions.push(untilExpiry(version, plan.expiresAt));
  if (isInForce) plan.limit.push(rule);
  for (const change of [row.valid_from, row.valid_until])
    if (Number.isFinite(change)) plan.boundary = Math.max(plan.boundary, change);
}

/** Every field is named: objects that are made by spreading another one take longer to make and more memory. */
function toLimitRule(
  id: number,
  kind: LimitKind,
  row: ChannelRuleRow,
  schedule: LimitRule['schedule'],
): LimitRule {
  return {
    id,
    level: row.level as AlarmLevel,
    triggerAfterMs: row.trigger_after_ms,
    schedule,
    kind,
    signal: signalOf(row),
    limit: row.limit_value as number,
    recoveryMargin: row.recovery_margin,
    recoverAfterMs: row.recover_after_ms,
    gapAllowanceMs: defaultGapAllowanceMs(row.acquisition_interval_ms),
    limitIsOutside: row.limit_is_outside,
    defrost:
      row.defrost_delay_ms > 0 ? { delayMs: row.defrost_delay_ms, channelId: row.defrost_channel_id } : null,
  };
}

/**
 * If the other channel does not exist, id 0 stands for a channel without readings, so its value is unknown.
 */
function signalOf({ signal, other_channel_id, and_channel_ids }: ChannelRuleRow): Signal | null {
  if (signal === null) return null;
  const stored = signal as PolicySignal;
  const and = stored.and?.map((part, i) => ({ ...part, otherChannelId: and_channel_ids?.[i] ?? 0 }));
  if (!('maxAgeMs' in stored)) return { ...stored, and };
  return { ...stored, otherChannelId: other_channel_id ?? 0, and };
}
