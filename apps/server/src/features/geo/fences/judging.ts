import {
  changesOf,
  type FenceEvent,
  type FenceWindow,
  isSettled,
  judgeFences,
} from '@isotherm/domain/geo/fence-judge';
import { type DeviceTrack, fenceWindow } from '@isotherm/domain/geo/fence-window';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type { Tx } from '../../../platform/db/pool.ts';
import { loadSealedNeighbours } from '../../telemetry/index.ts';
import type { FenceBook } from './fence-book.ts';
import {
  type BoundSpan,
  deleteEvents,
  listBoundSpans,
  listEventsFrom,
  listPlaces,
  lockAssets,
  type NewEvent,
  type PlaceOfSpan,
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
    const today = Math.floor(receivedAt / DAY_MS);
    // More of the past and of what follows is read until it decides which positions are faults, and where later events stay as they are.
    for (let count = FIRST_COUNT; missing.length > 0; count *= 8) {
      const { windows, empty } = await loadWindows(tx, missing, arrived, count, today);
      const stored = await listEventsFrom(
        tx,
        [...windows].map(([assetId, { start }]) => ({ assetId, start })),
      );
      const ofAsset = grouped(stored, ({ assetId }) => assetId);
      const done = new Set(empty);
      for (const [assetId, window] of windows) {
        const known = ofAsset.get(assetId) ?? [];
        const applying =
          versions.get(pathOf.get(assetId) as string)?.at(
            window.before ? [window.before, ...window.positions] : window.positions,
            known.map(({ versionId }) => versionId),
          ) ?? [];
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

/**
 * Positions of these spans, sealed or not. Sealed days are read only if a span reaches into the past: most positions are of
 * today, and enough positions of today are before them.
 */
async function placesOf(
  tx: Tx,
  spans: readonly WantedSpan[],
  count: number,
  today: number,
): Promise<PlaceOfSpan[]> {
  const places = await listPlaces(tx, spans, count);
  const earlierToday = new Map<string, number>();
  const keyOf = ({ assetId, deviceId }: { assetId: number; deviceId: number }) => `${assetId}:${deviceId}`;
  const since = new Map(spans.map((span) => [keyOf(span), span.since]));
  for (const place of places)
    if (place.at >= today * DAY_MS && place.at < (since.get(keyOf(place)) as number))
      earlierToday.set(keyOf(place), (earlierToday.get(keyOf(place)) ?? 0) + 1);
  const reaching = spans.filter(
    (span) => span.since < today * DAY_MS || (earlierToday.get(keyOf(span)) ?? 0) < count,
  );
  if (reaching.length === 0) return places;
  const sealed = grouped(
    await loadSealedNeighbours(
      tx,
      reaching.map(({ deviceId, from, until, since, latest }) => ({
        deviceId,
        since: Math.min(Math.max(since, from), until),
        latest: Math.min(Math.max(latest, from), until),
      })),
      count,
    ),
    ({ deviceId }) => deviceId,
  );
  if (sealed.size === 0) return places;
  const known = new Set<string>();
  const all = [
    ...reaching.flatMap(({ assetId, deviceId, from, until }) =>
      (sealed.get(deviceId) ?? []).flatMap(({ at, latitude, longitude }) =>
        at >= from && at < until && (latitude !== 0 || longitude !== 0)
          ? [{ assetId, deviceId, at, latitude, longitude }]
          : [],
      ),
    ),
    ...places,
  ];
  // A position may be sealed and not yet deleted, and one that was sent again may differ: the sealed one came first.
  return all.filter((place) => {
    const key = `${keyOf(place)}:${place.at}`;
    return !known.has(key) && known.add(key);
  });
}

/** What is to be judged of each asset, as far as this many earlier and later positions decide it; and assets without any. */
async function loadWindows(
  tx: Tx,
  spans: readonly WantedSpan[],
  arrived: ReadonlyMap<number, Arrived>,
  count: number,
  today: number,
): Promise<{ windows: Map<number, FenceWindow>; empty: number[] }> {
  const windows = new Map<number, FenceWindow>();
  const places = grouped(await placesOf(tx, spans, count, today), ({ assetId }) => assetId);
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
