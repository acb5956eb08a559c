import {
  changesOf,
  type FenceEvent,
  type FenceWindow,
  isSettled,
  judgeFences,
} from '@isotherm/domain/geo/fence-judge';
import { type DeviceTrack, fenceWindow } from '@isotherm/domain/geo/fence-window';
import type { Tx } from '../../../platform/db/pool.ts';
import type { FenceBook } from './fence-book.ts';
import {
  type BoundSpan,
  deleteEvents,
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
    const arrived = arrivedOf(spans, positions);
    if (arrived.size === 0) return;
    const wanted = spans.flatMap((span) => {
      const times = arrived.get(span.assetId);
      return times ? [{ ...span, ...times }] : [];
    });
    await lockShared(tx, wanted);
    const pathOf = new Map(wanted.map(({ assetId, path }) => [assetId, path]));
    const versions = await book.of(tx, [...new Set(pathOf.values())]);
    const gone: number[] = [];
    const changed: (FenceEvent & { assetId: number })[] = [];
    let missing: readonly WantedSpan[] = wanted;
    // More of the past and of what follows is read until it decides which positions are faults, and where later events stay as they are.
    for (let count = FIRST_COUNT; missing.length > 0; count *= 8) {
      const { windows, empty } = await loadWindows(tx, missing, arrived, count);
      const stored = await listEventsFrom(
        tx,
        [...windows].map(([assetId, { start }]) => ({ assetId, start })),
      );
      const ofAsset = grouped(stored, ({ assetId }) => assetId);
      const done = new Set(empty);
      for (const [assetId, window] of windows) {
        const applying = versions.get(pathOf.get(assetId) as string) ?? [];
        const known = ofAsset.get(assetId) ?? [];
        const judged = judgeFences(applying, window, known, receivedAt);
        if (!isSettled(judged, known, window.end)) continue;
        done.add(assetId);
        const difference = changesOf(applying, window, known, judged);
        gone.push(...difference.gone.map(({ id }) => id));
        changed.push(...difference.changed.map((event) => ({ ...event, assetId })));
      }
      missing = missing.filter(({ assetId }) => !done.has(assetId));
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

interface Arrived {
  since: number;
  latest: number;
}

/** Times of the earliest and latest new position of each asset. */
function arrivedOf(spans: readonly BoundSpan[], positions: readonly ArrivedPosition[]): Map<number, Arrived> {
  const ofDevice = grouped(spans, ({ deviceId }) => deviceId);
  const arrived = new Map<number, Arrived>();
  for (const { device_id: deviceId, at } of positions)
    for (const { assetId, from, until } of ofDevice.get(deviceId) ?? []) {
      if (at < from || at >= until) continue;
      const { since, latest } = arrived.get(assetId) ?? { since: at, latest: at };
      arrived.set(assetId, {
        since: Math.min(Math.floor(at), since),
        latest: Math.max(Math.ceil(at), latest),
      });
    }
  return arrived;
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

/** What is to be judged of each asset, as far as this many earlier and later positions decide it; and assets without any. */
async function loadWindows(
  tx: Tx,
  spans: readonly WantedSpan[],
  arrived: ReadonlyMap<number, Arrived>,
  count: number,
): Promise<{ windows: Map<number, FenceWindow>; empty: number[] }> {
  const windows = new Map<number, FenceWindow>();
  const places = grouped(await listPlaces(tx, spans, count), ({ assetId }) => assetId);
  for (const [assetId, own] of places) {
    const times = arrived.get(assetId) as Arrived;
    const tracks = [...grouped(own, ({ deviceId }) => deviceId)].map(([deviceId, all]) =>
      trackOf(deviceId, all, times, count),
    );
    const window = fenceWindow(tracks, times.since, times.latest);
    if (window) windows.set(assetId, window);
  }
  return { windows, empty: spans.map(({ assetId }) => assetId).filter((id) => !places.has(id)) };
}

/** Each span of a device has its own positions; only those next to the new ones are without a gap. */
function trackOf(
  deviceId: number,
  places: DeviceTrack['places'],
  { since, latest }: Arrived,
  count: number,
): DeviceTrack {
  const inOrder = [...places].sort((one, other) => one.at - other.at);
  const earlier = inOrder.filter(({ at }) => at < since).length;
  const later = inOrder.filter(({ at }) => at > latest).length;
  return {
    deviceId,
    places: inOrder.slice(Math.max(0, earlier - count), inOrder.length - Math.max(0, later - count)),
    isComplete: earlier < count,
    isCut: later >= count,
  };
}
