import {
  type BackTestResult,
  type backTestPolicy,
  type listBackTestChannels,
  MAX_BACK_TEST_ALARMS,
} from '@isotherm/contracts/back-test';
import { AppError } from '@isotherm/contracts/errors';
import type { ResponseOf } from '@isotherm/contracts/route';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { defaultGapAllowanceMs, type LimitRule } from '@isotherm/domain/alarms/alarm-machine';
import { compareAlarms } from '@isotherm/domain/alarms/back-test';
import { kindOf, type LimitKind } from '@isotherm/domain/alarms/catalogue';
import type { Episode } from '@isotherm/domain/alarms/episode';
import { inTimeZone, type PolicyDefinition, rulesOf } from '@isotherm/domain/alarms/graded-policy';
import type { OtherSensor, PolicySignal } from '@isotherm/domain/alarms/policy-signal';
import type { Signal } from '@isotherm/domain/alarms/signal';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type pg from 'pg';
import type { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { createGate } from '../../../platform/gate.ts';
import { type Caller, ownerOf } from '../../../platform/http/caller.ts';
import type { RuleBook } from '../rule-book.ts';
import { loadHolidays } from '../rules.repo.ts';
import { findTested, listMeasured, listReached, type TestedRow } from './back-test.repo.ts';
import { backTestChannel } from './back-test-channel.ts';

/** Tests drafts of policies on stored readings. It only reads. */
export interface BackTestService {
  channels(
    caller: Caller,
    query: z.output<(typeof listBackTestChannels)['query']>,
  ): Promise<ResponseOf<typeof listBackTestChannels>>;
  /** Stops when `isAborted` is true. Throws `channel.not_found`, `back_test.busy`. */
  test(
    caller: Caller,
    body: z.output<(typeof backTestPolicy)['body']>,
    isAborted: () => boolean,
  ): Promise<ResponseOf<typeof backTestPolicy>>;
}

/**
 * Limits of back-tests at the same time: each uses a database connection and up to one core, which ingest and
 * other callers need as well.
 */
const LIMITS = { atOnce: 2, waiting: 60, ofOne: { atOnce: 1, waiting: 20 } };

export function createBackTestService(
  pool: pg.Pool,
  clock: Clock,
  rules: Pick<RuleBook, 'of'>,
): BackTestService {
  const gate = createGate(LIMITS, () => new AppError('back_test.busy'));

  return {
    channels: (caller, { quantities, policyId, targetKind, targetId, limit }) => {
      if (policyId !== undefined) return listReached(pool, caller.scope, policyId, quantities, limit);
      const target = targetKind && targetId !== undefined ? { kind: targetKind, id: targetId } : null;
      return listMeasured(pool, caller.scope, quantities, target, limit);
    },
    test: (caller, { definition, channelIds, days, to: until }, isAborted) =>
      gate.pass(async () => {
        const to = Math.min(until === undefined ? Number.POSITIVE_INFINITY : Date.parse(until), clock.now());
        const from = to - days * DAY_MS;
        const ids = [...new Set(channelIds)];
        const tested = await findTested(pool, caller.scope, ids);
        if (tested.length < ids.length) throw new AppError('channel.not_found');
        const plans = await rules.of(pool, ids);
        const holidays = await loadHolidays(pool, ids);
        const draft = createSummary();
        const inForce = createSummary();
        const channels: { id: number; days: number }[] = [];
        for (const channel of tested) {
          const { id } = channel;
          // Nobody reads this answer.
          if (isAborted()) throw new AppError('back_test.busy');
          const plan = plans.get(id);
          const history = await backTestChannel(
            pool,
            {
              channelId: id,
              draft: draftRules(definition as PolicyDefinition, channel, holidays.get(id) ?? new Set()),
              inForce: plan?.limit ?? [],
              gaps: plan?.gaps ?? [],
              quiet: plan?.quiet ?? [],
            },
            from,
            Math.min(to, plan?.expiresAt ?? to),
          );
          const { added, removed } = compareAlarms(history.draft, history.inForce);
          draft.add(id, history.draft, added, history.lastAt);
          inForce.add(id, history.inForce, removed, history.lastAt);
          channels.push({ id, days: history.days });
        }
        return {
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
          channels,
          leftOut: definition.conditions
            .map(({ quantity }) => quantity)
            .filter((quantity) => quantity === 'contact'),
          draft: draft.result(),
          inForce: inForce.result(),
        };
      }, ownerOf(caller)),
  };
}

/** The rules that a channel would have from a draft. Their ids are negative, unlike those of rules in force. */
function draftRules(
  definition: PolicyDefinition,
  channel: TestedRow,
  holidayDays: ReadonlySet<number>,
): LimitRule[] {
  return rulesOf(inTimeZone(definition, channel.timeZone)).flatMap((rule, index) => {
    const signal = draftSignal(rule.signal, channel);
    if (rule.quantity !== channel.indicator || rule.limit === null || signal === undefined) return [];
    return [
      {
        id: -1 - index,
        kind: kindOf(rule.predicate, signal?.type ?? null) as LimitKind,
        signal,
        schedule: rule.schedule && { ...rule.schedule, holidayDays },
        level: rule.level,
        limit: rule.limit,
        recoveryMargin: rule.recoveryMargin,
        triggerAfterMs: rule.triggerAfterMs,
        recoverAfterMs: rule.recoverAfterMs,
        gapAllowanceMs: defaultGapAllowanceMs(channel.intervalMs),
        limitIsOutside: rule.limitIsOutside,
        defrost:
          rule.defrostDelayMs > 0
            ? { delayMs: rule.defrostDelayMs, channelId: defrostSwitchOf(channel) }
            : null,
      },
    ];
  });
}

/**
 * Returns the signal with the id of the channel to which it refers, as in compilation.repo.ts. Returns
 * undefined if the channel gets no rule with this signal, because a difference needs another channel.
 */
function draftSignal(signal: PolicySignal | null, { id, siblings }: TestedRow): Signal | null | undefined {
  if (signal === null) return null;
  /** If the other channel does not exist, 0 stands for one without readings, so its value counts as unknown. */
  const idOf = ({ otherQuantity, otherSensor }: OtherSensor) =>
    siblings.find((each) => each.indicator === otherQuantity && each.sensor === otherSensor)?.id ?? 0;
  const and = signal.and?.map((part) => ({ ...part, otherChannelId: idOf(part) }));
  if (!('otherSensor' in signal)) return { ...signal, and };
  const otherChannelId = idOf(signal);
  if (signal.type === 'difference' && (otherChannelId === 0 || otherChannelId === id)) return undefined;
  return { ...signal, otherChannelId, and };
}

/** The switch that says when the device defrosts, as in compilation.repo.ts; null if there is none. */
function defrostSwitchOf({ id, siblings }: TestedRow): number | null {
  const own = siblings.find((each) => each.id === id);
  const switches = siblings.filter(({ indicator }) => indicator === 'defrost');
  return (switches.find(({ sensor }) => sensor === own?.sensor) ?? switches[0])?.id ?? null;
}

/** Collects the alarms that one set of rules raises on several channels, and counts them. */
function createSummary() {
  const found: { channelId: number; episode: Episode; isOnlyHere: boolean; durationMs: number }[] = [];
  return {
    add(channelId: number, episodes: readonly Episode[], onlyHere: ReadonlySet<Episode>, lastAt: number) {
      for (const episode of episodes)
        found.push({
          channelId,
          episode,
          isOnlyHere: onlyHere.has(episode),
          durationMs: (episode.endedAt ?? lastAt) - episode.since,
        });
    },
    result(): BackTestResult {
      const first = found.toSorted(
        (a, b) => Number(b.isOnlyHere) - Number(a.isOnlyHere) || b.episode.since - a.episode.since,
      );
      return {
        total: found.length,
        byLevel: ALARM_LEVELS.map(
          (level) => found.filter(({ episode }) => episode.peakLevel === level).length,
        ),
        longestMs: found.reduce((longest, { durationMs }) => Math.max(longest, durationMs), 0),
        onlyHere: found.filter(({ isOnlyHere }) => isOnlyHere).length,
        alarms: first
          .slice(0, MAX_BACK_TEST_ALARMS)
          .map(({ channelId, episode, isOnlyHere, durationMs }) => ({
            channelId,
            kind: episode.kind,
            since: new Date(episode.since).toISOString(),
            raisedAt: new Date(episode.raisedAt).toISOString(),
            endedAt: episode.endedAt === null ? null : new Date(episode.endedAt).toISOString(),
            durationMs,
            level: episode.peakLevel,
            limit: episode.limit,
            peak: episode.peak,
            isOnlyHere,
          })),
      };
    },
  };
}
