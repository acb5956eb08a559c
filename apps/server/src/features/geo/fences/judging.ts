import {
  type FenceEvent,
  type FenceVersion,
  type FenceWindow,
  judgeFences,
} from '@isotherm/domain/geo/fence-judge';
import { type DeviceTrack, fenceWindow } from '@isotherm/domain/geo/fence-window';
import type { Tx } from '../../../platform/db/pool.ts';
import type { FenceBook } from './fence-book.ts';
import {
  type BoundSpan,
  deleteEvents,
  type EventRow,
  listBoundSpans,
  listEventsFrom,
  listPlaces,
  lockAssets,
  type NewEvent,
  saveEvents,
  type WantedSpan,
} from './judging.repo.ts';

/** A position as it arrives; `at` in epoch ms. */
export interface ArrivedPosition {
  device_id: number;
  at: number;
}

/** Called in the transaction of the positions with events that were not known before. */
export type OnFenceEvents = (tx: Tx, events: readonly NewEvent[]) => Promise<void>;

/** Earlier positions of each device that are read first; more only if many of them are faults. */
const FIRST_COUNT = 8;

/**
 * Judges the positions of a batch at the geofences of their assets, in the transaction that stores them. Late positions replay
 * what comes after them, so that any order of arrival gives the same events. Without geofences, it does nothing.
 */
export function createFenceJudge(
  book: FenceBook,
  onEvents: OnFenceEvents,
): (tx: Tx, positions: readonly ArrivedPosition[], receivedAt: number) => Promise<void> {
  return async (tx, positions, receivedAt) => {
    const fencedPaths = await book.fencedPaths(tx);
    if (fencedPaths.length === 0) return;
    const deviceIds = [...new Set(positions.map(({ device_id: id }) => id))];
    const spans = await listBoundSpans(tx, deviceIds, fencedPaths);
    const since = earliestOf(spans, positions);
    if (since.size === 0) return;
    const wanted = spans.flatMap((span) => {
      const from = since.get(span.assetId);
      return from === undefined ? [] : [{ ...span, since: from }];
    });
    await lockShared(tx, wanted);
    const pathOf = new Map(wanted.map(({ assetId, path }) => [assetId, path]));
    const versions = await book.of(tx, [...new Set(pathOf.values())]);
    const windows = await loadWindows(tx, wanted);
    const stored = await listEventsFrom(
      tx,
      [...windows].map(([assetId, { start }]) => ({ assetId, start })),
    );
    const ofAsset = grouped(stored, ({ assetId }) => assetId);
    const gone: number[] = [];
    const changed: (FenceEvent & { assetId: number })[] = [];
    for (const [assetId, window] of windows) {
      const applying = versions.get(pathOf.get(assetId) as string) ?? [];
      const difference = judgeAsset(applying, window, ofAsset.get(assetId) ?? [], receivedAt);
      gone.push(...difference.gone);
      changed.push(...difference.changed.map((event) => ({ ...event, assetId })));
    }
    if (gone.length > 0) await deleteEvents(tx, gone);
    if (changed.length === 0) return;
    const events = await saveEvents(tx, changed, receivedAt);
    if (events.length > 0) await onEvents(tx, events);
  };
}

function grouped<T>(items: readonly T[], keyOfItem: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const item of items) {
    const group = groups.get(keyOfItem(item));
    if (group) group.push(item);
    else groups.set(keyOfItem(item), [item]);
  }
  return groups;
}

/** Time of the earliest new position of each asset. */
function earliestOf(spans: readonly BoundSpan[], positions: readonly ArrivedPosition[]): Map<number, number> {
  const ofDevice = grouped(spans, ({ deviceId }) => deviceId);
  const earliest = new Map<number, number>();
  for (const { device_id: deviceId, at } of positions)
    for (const { assetId, from, until } of ofDevice.get(deviceId) ?? [])
      if (at >= from && at < until)
        earliest.set(assetId, Math.min(Math.floor(at), earliest.get(assetId) ?? at));
  return earliest;
}

/** Positions of one device are written one after the other; those of several devices of an asset may not be. */
async function lockShared(tx: Tx, spans: readonly WantedSpan[]): Promise<void> {
  const devices = new Map<number, number>();
  const shared = new Set<number>();
  for (const { assetId, deviceId } of spans) {
    if ((devices.get(assetId) ?? deviceId) !== deviceId) shared.add(assetId);
    devices.set(assetId, deviceId);
  }
  if (shared.size > 0) await lockAssets(tx, [...shared]);
}

/** What is to be judged of each asset; reads more of the past until it is known which positions are faults. */
async function loadWindows(tx: Tx, spans: readonly WantedSpan[]): Promise<Map<number, FenceWindow>> {
  const windows = new Map<number, FenceWindow>();
  const sinceOf = new Map(spans.map(({ assetId, since }) => [assetId, since]));
  let missing = spans;
  for (let count = FIRST_COUNT; missing.length > 0; count *= 8) {
    const places = grouped(await listPlaces(tx, missing, count), ({ assetId }) => assetId);
    for (const [assetId, own] of places) {
      const since = sinceOf.get(assetId) as number;
      const tracks = [...grouped(own, ({ deviceId }) => deviceId)].map(([deviceId, all]) =>
        trackOf(deviceId, all, since, count),
      );
      const window = fenceWindow(tracks, since);
      if (window) windows.set(assetId, window);
    }
    missing = missing.filter(({ assetId }) => places.has(assetId) && !windows.has(assetId));
  }
  return windows;
}

/** Each span of a device has its own last positions; only the last of all of them are without a gap. */
function trackOf(deviceId: number, places: DeviceTrack['places'], since: number, count: number): DeviceTrack {
  const inOrder = [...places].sort((one, other) => one.at - other.at);
  const first = inOrder.findIndex(({ at }) => at >= since);
  const earlier = first < 0 ? inOrder.length : first;
  return { deviceId, places: inOrder.slice(Math.max(0, earlier - count)), isComplete: earlier < count };
}

const keyOf = ({ versionId, kind, at }: FenceEvent) => `${versionId} ${kind} ${at}`;
const isStay = ({ kind }: FenceEvent) => kind === 'enter' || kind === 'found';

/** Compares what is stored of an asset with what its positions give. */
function judgeAsset(
  versions: readonly FenceVersion[],
  window: FenceWindow,
  stored: readonly EventRow[],
  now: number,
): { gone: number[]; changed: FenceEvent[] } {
  const { start, positions } = window;
  const open = stored.filter((event) => isStay(event) && event.at < start);
  const judged = judgeFences(versions, window, open, now);
  const applying = new Set(versions.map(({ id }) => id));
  const known = new Map(stored.map((event) => [keyOf(event), event]));
  const found = new Set(judged.map(keyOf));
  const recorded = new Set(open.filter(({ dueAt }) => dueAt === null).map(({ versionId }) => versionId));
  const changed = judged.filter((event) => {
    const before = known.get(keyOf(event));
    if (before) return before.until !== event.until || before.dueAt !== event.dueAt;
    // The dwell of a stay that began before was recorded when it became due.
    return !(event.kind === 'dwell' && event.at < start && recorded.has(event.versionId));
  });
  // The asset belongs to another organisation now: the stays in fences that apply no more end without an event.
  const left = open
    .filter(({ versionId, until }) => until === null && !applying.has(versionId))
    .map((event) => ({ ...event, until: positions[0]?.at ?? start, dueAt: null }));
  return {
    gone: stored
      .filter((event) => event.at >= start && applying.has(event.versionId) && !found.has(keyOf(event)))
      .map(({ id }) => id),
    changed: [...changed, ...left],
  };
}
