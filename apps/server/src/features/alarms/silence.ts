import { isQuiet } from '@isotherm/domain/alarms/quiet-time';
import { type ReceivingSpan, receivingTimeAt, wallTimeAt } from '@isotherm/domain/alarms/receiving-clock';
import { isScheduled, scheduledSince } from '@isotherm/domain/alarms/schedule';
import { judgeSilence, type SilenceVerdict } from '@isotherm/domain/alarms/silence';
import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import { type Tx, transaction } from '../../platform/db/pool.ts';
import { lockLanes } from '../telemetry/index.ts';
import { saveSilences } from './alarms.repo.ts';
import {
  claimDue,
  type DueRule,
  type HeardChannel,
  holdDue,
  type Look,
  loadHeardChannels,
  loadOpenSilences,
  saveLooks,
} from './due.repo.ts';
import { type Announced, insertAlarms, newsOfInserted, raiseLevels } from './episodes.repo.ts';
import type { News } from './evaluator.ts';
import { readSpans } from './receiving-clock.repo.ts';
import type { ChannelPlan, RuleBook } from './rule-book.ts';
import { newSilence, type Silence } from './silence-rows.ts';

/** Maximum number of rules that one transaction checks. */
const LOOKS = 2_000;
/**
 * Maximum number of rules whose alarms one transaction raises, because it holds the advisory locks of their
 * devices.
 */
const RAISES = 500;

const NEVER = Number.NEGATIVE_INFINITY;
/** The start of a span of a schedule that is further back than this changes nothing (the longest delay is 7 days). */
const LONGEST_MS = 14 * 86_400_000;

/**
 * Checks the no-data rules that are due and raises their alarms. Any number of processes may do so at the
 * same time.
 */
export function createSilenceScan(
  pool: pg.Pool,
  rules: RuleBook,
  clock: Clock,
  announce: (news: News) => void,
) {
  /**
   * Reschedules the rules whose channels report. Returns the rules that seem to have no data, and whether
   * these were the last due ones.
   */
  async function look(now: number): Promise<{ silent: DueRule[]; isLast: boolean }> {
    return transaction(pool, async (tx) => {
      const due = await claimDue(tx, now, LOOKS);
      if (due.length === 0) return { silent: [], isLast: true };
      const facts = await loadFacts(tx, due, now, clock.now());
      const silent: DueRule[] = [];
      const looks: Look[] = [];
      for (const rule of due) {
        const { verdict, heardMs } = judgeDue(facts, rule, null);
        if (verdict.type === 'silent') silent.push(rule);
        else looks.push(lookOf(facts, rule, verdict.until, heardMs));
      }
      await saveLooks(tx, looks);
      return { silent, isLast: due.length < LOOKS };
    });
  }

  /** Checks these rules again under the advisory locks of their devices, and raises the alarms. */
  async function raise(seeming: readonly DueRule[], now: number): Promise<void> {
    const news = await transaction(pool, async (tx) => {
      const channelIds = seeming.map(({ channelId }) => channelId);
      const heard = await loadHeardChannels(tx, channelIds, new Date(clock.now()));
      const deviceIds = new Set(heard.map(({ deviceId }) => deviceId));
      await lockLanes(tx, [...deviceIds]);
      const due = await holdDue(
        tx,
        seeming.map(({ ruleId }) => ruleId),
        now,
      );
      const facts = await loadFacts(tx, due, now, clock.now());
      const plans = await rules.of(tx, [...new Set(channelIds)]);
      const raised = await raiseSilent(tx, facts, plans, due, deviceIds);
      await saveLooks(tx, raised.looks);
      return raised;
    });
    if (news.alarms.length > 0) announce({ alarms: news.alarms, assetIds: news.assetIds });
  }

  return {
    /** Raises all alarms that are due at `now`, a time of the receiving clock. */
    async scan(now: number): Promise<void> {
      for (let isLast = false; !isLast; ) {
        const looked = await look(now);
        for (let from = 0; from < looked.silent.length; from += RAISES)
          await raise(looked.silent.slice(from, from + RAISES), now);
        isLast = looked.isLast;
      }
    },
  };
}

/** Data that the check of due rules needs. */
interface Facts {
  /** Current time of the receiving clock; `wallNow` is that of the wall clock. */
  now: number;
  wallNow: number;
  spans: readonly ReceivingSpan[];
  channels: ReadonlyMap<number, HeardChannel>;
  channelsOfDevice: ReadonlyMap<number, HeardChannel[]>;
}

async function loadFacts(tx: Tx, due: readonly DueRule[], now: number, wallNow: number): Promise<Facts> {
  const channels = new Map<number, HeardChannel>();
  const channelsOfDevice = new Map<number, HeardChannel[]>();
  const heard = await loadHeardChannels(
    tx,
    due.map(({ channelId }) => channelId),
    new Date(wallNow),
  );
  for (const channel of heard) {
    channels.set(channel.channelId, channel);
    const own = channelsOfDevice.get(channel.deviceId);
    if (own) own.push(channel);
    else channelsOfDevice.set(channel.deviceId, [channel]);
  }
  return { now, wallNow, spans: await readSpans(tx), channels, channelsOfDevice };
}

const latestOf = (moments: readonly (number | null)[]): number | null =>
  moments.reduce((latest, at) => (at !== null && (latest === null || at > latest) ? at : latest), null);

function siblingsOf(facts: Facts, { channelId }: DueRule): readonly HeardChannel[] {
  return facts.channelsOfDevice.get(facts.channels.get(channelId)?.deviceId ?? 0) ?? [];
}

/**
 * Checks a due rule. Without a plan, the status of the asset and the schedule of the rule are not considered,
 * because they are not loaded yet. In a schedule, time without data counts from the start of the current span.
 */
function judgeDue(
  facts: Facts,
  rule: DueRule,
  plan: ChannelPlan | null,
): { verdict: SilenceVerdict; heardMs: number | null } {
  const { now, wallNow, spans } = facts;
  const channel = facts.channels.get(rule.channelId);
  const heardAt = channel?.receivedAt ?? null;
  // If the newest reading is not the one that the last check found, it was received after that check.
  const heardMs =
    heardAt === null || heardAt === rule.seenAt
      ? rule.seenMs
      : receivingTimeAt(spans, heardAt, rule.lookedAt, now);
  const deviceHeardMs = siblingsOf(facts, rule).map(({ receivedAt }) =>
    receivedAt === null ? NEVER : receivingTimeAt(spans, receivedAt, NEVER, now),
  );
  const schedule = plan?.noData.find(({ id }) => id === rule.ruleId)?.schedule ?? null;
  const isInSchedule = isScheduled(schedule, wallNow);
  const scheduledFrom =
    schedule && isInSchedule ? scheduledSince(schedule, wallNow, wallNow - LONGEST_MS) : NEVER;
  const quietEnds = [...(plan?.quietSilence ?? []).map(({ until }) => until), scheduledFrom].flatMap(
    (until) => (until <= wallNow ? receivingTimeAt(spans, until, NEVER, now) : []),
  );
  const verdict = judgeSilence({
    now,
    afterMs: rule.afterMs,
    ofDevice: rule.ofDevice,
    heardAt: heardMs ?? NEVER,
    deviceHeardAt: Math.max(heardMs ?? NEVER, ...deviceHeardMs),
    intervalMs: channel?.intervalMs ?? 0,
    countedFrom: Math.max(rule.countedFrom, ...quietEnds),
    isWatched: channel?.isWatched === true && isInSchedule && !isQuiet(plan?.quietSilence ?? [], wallNow),
  });
  return { verdict, heardMs };
}

function lookOf(facts: Facts, rule: DueRule, dueAt: number, heardMs: number | null): Look {
  return {
    rule_id: rule.ruleId,
    due_ms: dueAt,
    looked_ms: facts.now,
    heard_at: facts.channels.get(rule.channelId)?.receivedAt ?? null,
    heard_ms: heardMs,
  };
}

interface Raised {
  alarms: Announced[];
  assetIds: number[];
  looks: Look[];
}

async function raiseSilent(
  tx: Tx,
  facts: Facts,
  plans: ReadonlyMap<number, ChannelPlan>,
  due: readonly DueRule[],
  lockedDevices: ReadonlySet<number>,
): Promise<Raised> {
  const open = await loadOpenSilences(tx, [...facts.channels.keys()]);
  const looks: Look[] = [];
  const found: Silence[] = [];
  for (const rule of due) {
    const channel = facts.channels.get(rule.channelId);
    const plan = plans.get(rule.channelId);
    // If the channel now belongs to a device that is not locked, its rule is left to the next scan.
    if (channel && !lockedDevices.has(channel.deviceId)) continue;
    const inForce = plan?.noData.find(({ id }) => id === rule.ruleId);
    const { verdict, heardMs } = judgeDue(facts, rule, plan ?? null);
    const isSilent = verdict.type === 'silent' && channel && plan && inForce;
    looks.push(
      lookOf(facts, rule, verdict.type === 'wait' ? verdict.until : facts.now + rule.afterMs, heardMs),
    );
    if (!isSilent) continue;
    const siblings = siblingsOf(facts, rule);
    found.push({
      plan,
      rule: inForce,
      deviceId: channel.deviceId,
      subject: verdict.subject,
      since:
        verdict.subject === 'device'
          ? (latestOf(siblings.map(({ measuredAt }) => measuredAt)) as number)
          : (channel.measuredAt as number),
      raisedAt: wallTimeAt(facts.spans, verdict.raisedAt),
      channels: verdict.subject === 'device' ? siblings : [channel],
    });
  }
  // The rules are sorted by level, so that the most severe rule of a device raises its alarm.
  found.sort((a, b) => b.rule.level - a.rule.level || a.rule.id - b.rule.id);
  const { silences, levels } = newSilences(found, open, facts.channels);
  const inserted =
    silences.length > 0
      ? await insertAlarms(
          tx,
          silences.map((silence) => newSilence(silence, facts.wallNow)),
        )
      : [];
  const made = new Set(inserted.map(({ channelId }) => channelId));
  const stored = silences.filter(({ plan }) => made.has(plan.channelId));
  // The active state of a rule is saved only if its alarm was inserted.
  await saveSilences(tx, stored);
  const raised = await raiseLevels(tx, levels, facts.wallNow);
  return {
    alarms: [...newsOfInserted(inserted), ...raised],
    assetIds: [...new Set(stored.flatMap(({ plan }) => plan.assetId ?? []))],
    looks,
  };
}

/**
 * Selects the alarms to raise, one per device or channel that has no open alarm, and the open alarms whose
 * level rises.
 */
function newSilences(
  found: readonly Silence[],
  open: Awaited<ReturnType<typeof loadOpenSilences>>,
  channels: ReadonlyMap<number, HeardChannel>,
) {
  const openOfChannel = new Map(open.map((alarm) => [alarm.channelId, alarm]));
  const openOfDevice = new Map(
    open
      .filter(({ subject }) => subject === 'device')
      .map((alarm) => [channels.get(alarm.channelId)?.deviceId, alarm]),
  );
  const silences: Silence[] = [];
  const levels: { id: number; level: number; at: number }[] = [];
  const taken = new Set<string>();
  for (const silence of found) {
    const { plan, rule, deviceId, subject, raisedAt } = silence;
    const alarm = openOfDevice.get(deviceId) ?? openOfChannel.get(plan.channelId);
    if (alarm) {
      if (rule.level > alarm.level) {
        alarm.level = rule.level;
        levels.push({ id: alarm.id, level: rule.level, at: raisedAt });
      }
      continue;
    }
    const key = subject === 'device' ? `device ${deviceId}` : `channel ${plan.channelId}`;
    if (taken.has(key) || taken.has(`device ${deviceId}`)) continue;
    taken.add(key);
    silences.push(silence);
  }
  return { silences, levels };
}
