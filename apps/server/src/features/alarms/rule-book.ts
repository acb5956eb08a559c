import type { AlarmLevel } from '@isotherm/domain/alarms/alarm-level';
import {
  type AlarmRule,
  defaultGapAllowanceMs,
  type LimitRule,
  type NoDataRule,
} from '@isotherm/domain/alarms/alarm-machine';
import type { QuietSpan } from '@isotherm/domain/alarms/quiet-time';
import { ASSET_STATUSES, STATUS_QUIET } from '@isotherm/domain/assets/asset-status';
import type { Clock } from '../../platform/clock.ts';
import type { Db } from '../../platform/db/pool.ts';
import { loadChannelRules, loadQuietSpans } from './alarms.repo.ts';

/** What judging must know of a channel. */
export interface ChannelRules {
  channelId: number;
  assetId: number | null;
  organizationId: number;
  limit: LimitRule[];
  noData: NoDataRule[];
  /** Time in which limits, or silence, are not judged, since the asset is in a status that says so. */
  quiet: { limits: QuietSpan[]; silence: QuietSpan[] };
}

export interface RuleBook {
  /** Rules in force of these channels; channels that do not exist are absent. */
  of(db: Db, channelIds: readonly number[]): Promise<Map<number, ChannelRules>>;
  /** What has changed is asked for again at once; other processes learn of it within half a minute. */
  forgetAll(): void;
}

const KEEP_MS = 30_000;
const QUIETING = ASSET_STATUSES.filter((status) => STATUS_QUIET[status] !== 'nothing');

/** Rules change rarely and are needed with every batch: they are kept for half a minute per channel. */
export function createRuleBook(clock: Clock): RuleBook {
  const kept = new Map<number, { rules: ChannelRules; until: number }>();
  return {
    forgetAll: () => kept.clear(),
    async of(db, channelIds) {
      const now = clock.now();
      const found = new Map<number, ChannelRules>();
      const missing: number[] = [];
      for (const id of channelIds) {
        const entry = kept.get(id);
        if (entry && entry.until > now) found.set(id, entry.rules);
        else missing.push(id);
      }
      if (missing.length > 0)
        for (const rules of await load(db, missing)) {
          found.set(rules.channelId, rules);
          kept.set(rules.channelId, { rules, until: now + KEEP_MS });
        }
      return found;
    },
  };
}

async function load(db: Db, channelIds: readonly number[]): Promise<ChannelRules[]> {
  const channels = new Map<number, ChannelRules>();
  for (const row of await loadChannelRules(db, channelIds)) {
    let channel = channels.get(row.channel_id);
    if (!channel) {
      channel = {
        channelId: row.channel_id,
        assetId: row.asset_id,
        organizationId: row.organization_id,
        limit: [],
        noData: [],
        quiet: { limits: [], silence: [] },
      };
      channels.set(row.channel_id, channel);
    }
    if (row.rule_id === null) continue;
    const rule = toRule(row as RuleRow);
    if (rule.kind === 'no-data') channel.noData.push(rule);
    else channel.limit.push(rule);
  }
  for (const row of await loadQuietSpans(db, channelIds, QUIETING)) {
    const quiet = channels.get(row.channel_id)?.quiet;
    const span = { from: row.from_ms, until: row.until_ms ?? Number.POSITIVE_INFINITY };
    quiet?.limits.push(span);
    if (STATUS_QUIET[row.status] === 'everything') quiet?.silence.push(span);
  }
  return [...channels.values()];
}

interface RuleRow {
  rule_id: number;
  kind: AlarmRule['kind'];
  level: AlarmLevel;
  limit_value: number;
  recovery_margin: number;
  trigger_after_ms: number;
  recover_after_ms: number;
  limit_is_outside: boolean;
  acquisition_interval_ms: number;
}

function toRule(row: RuleRow): AlarmRule {
  const base = { id: row.rule_id, level: row.level, triggerAfterMs: row.trigger_after_ms };
  if (row.kind === 'no-data') return { ...base, kind: 'no-data' };
  return {
    ...base,
    kind: row.kind,
    limit: row.limit_value,
    recoveryMargin: row.recovery_margin,
    recoverAfterMs: row.recover_after_ms,
    gapAllowanceMs: defaultGapAllowanceMs(row.acquisition_interval_ms),
    limitIsOutside: row.limit_is_outside,
  };
}
