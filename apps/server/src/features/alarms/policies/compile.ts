import { setTimeout as sleep } from 'node:timers/promises';
import type { AlarmEndReason } from '@isotherm/domain/alarms/catalogue';
import type pg from 'pg';
import type { Invalidations } from '../../../platform/cache/invalidations.ts';
import type { Clock } from '../../../platform/clock.ts';
import { LOCK_KEYS } from '../../../platform/db/lock-keys.ts';
import {
  HANGING_SESSION_TIMEOUT_MS,
  isDatabaseAway,
  type Tx,
  transactionOn,
  withSessionLock,
} from '../../../platform/db/pool.ts';
import type { Logger } from '../../../platform/log.ts';
import { LANES, laneOf, lockFreeLanes, lockLanes } from '../../telemetry/index.ts';
import { channelsHeldBy } from '../alarms.repo.ts';
import { endOfRules } from '../end-rules.ts';
import type { Announced } from '../episodes.repo.ts';
import type { News } from '../evaluator.ts';
import type { ChannelPlan, RuleBook } from '../rule-book.ts';
import { readRevisions, touchRules } from '../rules.repo.ts';
import {
  applyDifference,
  compareRules,
  deleteRequests,
  devicesOfRequests,
  endOwnRules,
  hasPolicies,
  hasRequests,
  type LastRequests,
  listOwnRules,
  listReplaced,
  type RuleDifference,
  readLastRequests,
  readReplacements,
  readRequests,
} from './compilation.repo.ts';

/**
 * Number of lanes (advisory locks, each for a group of devices) whose devices are compared in one query,
 * without locking.
 */
const LANES_AT_ONCE = 16;
/**
 * Maximum number of rules that one transaction adds or ends. Ingest of its devices waits during the
 * transaction; ingest of most others continues.
 */
const CHANGES_AT_ONCE = 2_500;
/** Maximum number of rules that are read at once to be replaced, which bounds the memory for it. */
const REPLACED_AT_ONCE = 100_000;
/** A compilation that failed is tried again after this time. */
const AGAIN_MS = 2_000;
/** Interval at which a process looks for requests whose notification it has missed. */
const LOOK_MS = 60_000;
/** Interval at which a process that waits for another one's compilation looks again. */
const WAIT_MS = 50;
const ALL_LANES: readonly number[] = Array.from({ length: LANES }, (_, lane) => lane);

/** Compiles policies to rules of channels, with a few SQL statements for many channels. */
export interface Compiler {
  /**
   * Compiles everything that was requested before the call. It is idempotent: correct rules stay unchanged. One process
   * compiles at a time, and the others wait until their requests are carried out: of two comparisons at the same time, the
   * one that began first could put rules in force that the other one found to be removed already. Callers in one
   * process share a compilation, so that they do not take the database connections that ingest needs.
   */
  compile(): Promise<void>;
  /**
   * Ends the direct rules of an asset in this transaction. Returns their number, and a function that
   * publishes the change after the commit.
   */
  endOwn(tx: Tx, assetId: number): Promise<{ ended: number; announce: () => void }>;
  /**
   * Compiles whenever any process requests it, and again after a failure. Requests made while this process was not
   * running are compiled, too.
   */
  watch(invalidations: Pick<Invalidations, 'onInvalidated'>, log: Logger): void;
  /** Ends what waits or can be continued by another process. Resolves when nothing is being compiled. */
  stop(): Promise<void>;
}

export function createCompiler(
  pool: pg.Pool,
  rules: RuleBook,
  clock: Clock,
  announce: (news: News) => void,
): Compiler {
  /** Compiles the rules of these devices. All rules of one device change in the same transaction. */
  async function compileDevices(client: Tx, deviceIds: readonly number[]): Promise<void> {
    // Read before the comparison, so that a change of rules after it is noticed.
    const revisions = await readRevisions(client, [...new Set(deviceIds.map(laneOf))]);
    await putAllInForce(client, await compareRules(client, deviceIds, new Date(clock.now())), revisions);
  }

  /** Replaces the rules that an edit of a policy removed. Channels do not have to be compared for that. */
  async function replaceRules(client: Tx, policyId: number): Promise<void> {
    for (;;) {
      const revisions = await readRevisions(client, ALL_LANES);
      const difference = await listReplaced(client, policyId, REPLACED_AT_ONCE);
      await putAllInForce(client, difference, revisions);
      if (difference.close.length < REPLACED_AT_ONCE) return;
    }
  }

  async function putAllInForce(
    client: Tx,
    difference: RuleDifference,
    revisions: Map<number, number>,
  ): Promise<void> {
    const ofDevice = byDevice(difference);
    const remaining = portionsByLane(difference);
    while (remaining.size > 0) {
      const { lanes, alarms } = await transactionOn(client, async (tx) => {
        // The locks ensure that nobody evaluates these channels in the meantime.
        const taken = await lockFreeLanes(tx, [...remaining.keys()], lanesAtOnce(remaining));
        const devices = [...taken].flatMap((lane) => remaining.get(lane)?.[0]?.deviceIds ?? []);
        const compared: RuleDifference = {
          close: devices.flatMap((id) => ofDevice.get(id)?.close ?? []),
          open: devices.flatMap((id) => ofDevice.get(id)?.open ?? []),
        };
        return { lanes: taken, alarms: await putInForce(tx, devices, compared, revisions) };
      });
      for (const lane of lanes) {
        const [, ...later] = remaining.get(lane) ?? [];
        if (later.length > 0) remaining.set(lane, later);
        else remaining.delete(lane);
      }
      if (alarms.length > 0) announce({ alarms, assetIds: [] });
    }
  }

  /**
   * Applies the difference of these devices, whose lanes the transaction holds. `revisions` are those of the lanes before the
   * comparison; they are updated by what this transaction changes.
   */
  async function putInForce(
    tx: Tx,
    deviceIds: readonly number[],
    compared: RuleDifference,
    revisions: Map<number, number>,
  ): Promise<Announced[]> {
    const lanes = [...new Set(deviceIds.map(laneOf))];
    const current = await readRevisions(tx, lanes);
    // Rules in force only change together with the revision of their lane. What decides which rules are wanted
    // may have changed since the comparison; then a later request compiles these devices again.
    const unchanged = lanes.filter((lane) => current.get(lane) === revisions.get(lane));
    const now = clock.now();
    const difference =
      unchanged.length === lanes.length ? compared : await compareRules(tx, deviceIds, new Date(now));
    const ended = new Map(difference.close.map(({ ruleId, reason }) => [ruleId, reason]));
    const closed = [...new Set(difference.close.map(({ channelId }) => channelId))];
    // Rules are only read for channels that are not at rest, which in a large fleet are few, and mostly none.
    const held = await channelsHeldBy(tx, closed, [...ended.keys()]);
    const before = held.length > 0 ? await rules.of(tx, held) : new Map<number, ChannelPlan>();
    const opened = difference.open.flatMap(({ channelId, otherChannelId, defrostChannelId, andChannelIds }) =>
      [channelId, otherChannelId, defrostChannelId, ...(andChannelIds ?? [])].filter((id) => id !== null),
    );
    await touchRules(tx, [...new Set([...closed, ...opened])]);
    await applyDifference(tx, difference, new Date(now));
    // A lane that another transaction has changed keeps its old revision, so that its next portions are compared, too.
    for (const [lane, revision] of await readRevisions(tx, unchanged)) revisions.set(lane, revision);
    return endOfRules(tx, before, ended, now);
  }

  async function compileRequests(): Promise<void> {
    const last = await readLastRequests(pool);
    while (!isStopping && (await hasRequests(pool, last))) {
      const done = await withSessionLock(
        pool,
        LOCK_KEYS.compilation,
        HANGING_SESSION_TIMEOUT_MS,
        async (client) => ({ failures: await carryOut(client, last) }),
      );
      if (done === null) await sleep(WAIT_MS);
      else if (done.failures.length > 0) throw done.failures[0];
    }
  }

  /**
   * Carries out what was requested until `last`. Returns the errors of policies whose rules could not be replaced; their
   * requests stay, and others are carried out.
   */
  async function carryOut(client: Tx, last: LastRequests): Promise<Error[]> {
    const failures = new Map<number, Error>();
    while (!isStopping && (await hasRequests(client, last))) {
      const replacements = await readReplacements(client);
      const requests = await readRequests(client);
      for (const id of new Set(replacements.map(({ policyId }) => policyId)))
        await replaceRules(client, id).catch((error: Error) => {
          if (isDatabaseAway(error)) throw error;
          failures.set(id, error);
        });
      // Devices are registered and moved in installations without policies, too.
      if (requests.length > 0 && (await hasPolicies(client))) {
        const devices = await devicesOfRequests(client, requests);
        for (const slice of slicesByLane(devices)) {
          if (isStopping) return [];
          await compileDevices(client, slice);
        }
      }
      // Requests are deleted last, so that they are still pending if a crash interrupts the work.
      await deleteRequests(
        client,
        requests,
        replacements.filter(({ policyId }) => !failures.has(policyId)).map(({ id }) => id),
      );
      if (failures.size > 0) break;
    }
    return [...failures.values()];
  }

  let isStopping = false;
  let again: NodeJS.Timeout | null = null;
  let running: Promise<void> = Promise.resolve();
  /**
   * The compilation that waits for the running one to end. It includes everything that was requested until it
   * begins.
   */
  let next: Promise<void> | null = null;

  function compile(): Promise<void> {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = null;
        return compileRequests();
      });
    running = next;
    return next;
  }

  async function endOwn(tx: Tx, assetId: number) {
    const found = await listOwnRules(tx, assetId);
    await lockLanes(tx, [...new Set(found.map(({ deviceId }) => deviceId))]);
    // The rules are read again under the lock, because from now on no other transaction can change them.
    const own = await listOwnRules(tx, assetId);
    if (own.length === 0) return { ended: 0, announce: () => undefined };
    const now = clock.now();
    const channels = [...new Set(own.map(({ channelId }) => channelId))];
    const before = await rules.of(tx, channels);
    await touchRules(tx, channels);
    await endOwnRules(
      tx,
      assetId,
      own.map(({ ruleId }) => ruleId),
      new Date(now),
    );
    const closed = new Map(own.map(({ ruleId }): [number, AlarmEndReason] => [ruleId, 'rule-deleted']));
    const alarms = await endOfRules(tx, before, closed, now);
    return { ended: own.length, announce: () => announce({ alarms, assetIds: [assetId] }) };
  }

  return {
    compile,
    endOwn,
    watch(invalidations, log) {
      const attempt = () => {
        if (again !== null) clearTimeout(again);
        again = null;
        compile().then(
          () => plan(LOOK_MS),
          (error: Error) => {
            log.warn({ error: error.message }, 'compiling alarm policies failed');
            plan(AGAIN_MS);
          },
        );
      };
      const plan = (inMs: number) => {
        if (isStopping || again !== null) return;
        again = setTimeout(attempt, inMs);
        again.unref();
      };
      plan(LOOK_MS);
      invalidations.onInvalidated('compilation', attempt);
    },
    async stop() {
      isStopping = true;
      if (again !== null) clearTimeout(again);
      await running.catch(() => undefined);
    },
  };
}

function byDevice({ close, open }: RuleDifference): Map<number, RuleDifference> {
  const devices = new Map<number, RuleDifference>();
  const of = (deviceId: number): RuleDifference => {
    const known = devices.get(deviceId) ?? { close: [], open: [] };
    devices.set(deviceId, known);
    return known;
  };
  for (const each of close) of(each.deviceId).close.push(each);
  for (const each of open) of(each.deviceId).open.push(each);
  return devices;
}

/** Devices of one lane whose rules change in the same transaction, and the number of changes. */
export interface Portion {
  deviceIds: number[];
  changes: number;
}

/**
 * Splits the changes of each lane (the advisory lock of a group of devices) into portions. A lane is one portion if that is
 * small enough for one transaction: each transaction that changes a lane makes ingest read the rules of all its channels again.
 */
export function portionsByLane({ close, open }: RuleDifference): Map<number, Portion[]> {
  const changes = new Map<number, number>();
  for (const { deviceId } of [...close, ...open]) changes.set(deviceId, (changes.get(deviceId) ?? 0) + 1);
  const lanes = new Map<number, Portion[]>();
  for (const [deviceId, count] of changes) {
    const portions = lanes.get(laneOf(deviceId)) ?? [];
    const last = portions.at(-1);
    if (last && last.changes + count <= CHANGES_AT_ONCE) {
      last.deviceIds.push(deviceId);
      last.changes += count;
    } else portions.push({ deviceIds: [deviceId], changes: count });
    lanes.set(laneOf(deviceId), portions);
  }
  return lanes;
}

/** Number of lanes whose next portions are together small enough for one transaction, whichever of them are free; at least one. */
export function lanesAtOnce(remaining: ReadonlyMap<number, readonly Portion[]>): number {
  let largest = 1;
  for (const [next] of remaining.values()) largest = Math.max(largest, next?.changes ?? 0);
  return Math.max(1, Math.floor(CHANGES_AT_ONCE / largest));
}

/**
 * Groups devices by lane, the advisory lock of a group of devices (docs/processes.md), with a few lanes per
 * slice.
 */
function slicesByLane(deviceIds: readonly number[]): number[][] {
  const slices = new Map<number, number[]>();
  for (const id of deviceIds) {
    const slice = Math.floor(laneOf(id) / LANES_AT_ONCE);
    const own = slices.get(slice);
    if (own) own.push(id);
    else slices.set(slice, [id]);
  }
  return [...slices.values()];
}
