import { createHash } from 'node:crypto';
import {
  joinTracks,
  mergeTracks,
  PER_DEGREE,
  PER_KMH,
  sliceTrack,
  type TrackColumns,
  unsealTrack,
} from '@isotherm/domain/geo/sealed-track';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type { Db } from '../../platform/db/pool.ts';
import {
  type DeviceMoment,
  findSealedTracks,
  listHotPlacesAt,
  listHotTracksBetween,
  listSealedNeighbours,
  listSealedTracks,
  type SealedNeighbours,
  type SealedTrackRow,
} from './tracks.repo.ts';

export const NO_TRACK: TrackColumns = joinTracks([]);

/** A position of a device as it was measured; `at` in epoch ms. */
export interface StoredPosition {
  deviceId: number;
  at: number;
  latitude: number;
  longitude: number;
  speedKmh: number | null;
}

export const unsealRow = ({ positions, count, day }: SealedTrackRow): TrackColumns =>
  unsealTrack(positions, count, day * DAY_MS);

/** SHA-256 of the positions themselves, so that it does not depend on their encoding. */
export function hashTrack({ at, latitude, longitude, speed, heading }: TrackColumns): Buffer {
  const hash = createHash('sha256');
  for (const column of [at, latitude, longitude, speed, heading])
    hash.update(Buffer.from(column.buffer, column.byteOffset, column.byteLength));
  return hash.digest();
}

/**
 * Returns all positions from `from` (inclusive) to `to` (exclusive) by device, sealed or not; epoch ms. Unsealed ones are
 * read first, so that a position that is sealed in between is found twice and merged, and never missed. Do not use it in
 * transactions with the isolation level repeatable read.
 */
export async function loadTrackColumns(
  db: Db,
  deviceIds: readonly number[],
  from: number,
  to: number,
): Promise<Map<number, TrackColumns>> {
  if (deviceIds.length === 0) return new Map();
  const all = await listHotTracksBetween(db, deviceIds, from, to);
  const sealed = new Map<number, TrackColumns[]>();
  for (const row of await listSealedTracks(
    db,
    deviceIds,
    Math.floor(from / DAY_MS),
    Math.floor((to - 1) / DAY_MS),
  ))
    sealed.set(row.deviceId, [...(sealed.get(row.deviceId) ?? []), unsealRow(row)]);
  for (const [deviceId, days] of sealed) {
    const whole = joinTracks(days);
    const hot = all.get(deviceId);
    all.set(deviceId, hot ? mergeTracks(whole, hot) : whole);
  }
  return new Map([...all].map(([deviceId, track]) => [deviceId, sliceTrack(track, from, to)]));
}

/** Returns sealed positions near these times, with at least `count` earlier and later ones with a fix if there are. */
export async function loadSealedNeighbours(
  db: Db,
  wanted: readonly SealedNeighbours[],
  count: number,
): Promise<StoredPosition[]> {
  const rows = await listSealedNeighbours(db, wanted, count);
  return rows.flatMap((row) => positionsOf(row.deviceId, unsealRow(row)));
}

/**
 * Returns for each of these moments the last position with a fix in the `withinMs` before it, sealed or not; null without one.
 */
export async function loadPlacesAt(
  db: Db,
  moments: readonly DeviceMoment[],
  withinMs: number,
): Promise<(Pick<StoredPosition, 'latitude' | 'longitude'> | null)[]> {
  if (moments.length === 0) return [];
  const places = await listHotPlacesAt(db, moments, withinMs);
  const daysOf = ({ deviceId, at }: DeviceMoment) =>
    [...new Set([at, at - withinMs].map((each) => Math.floor(each / DAY_MS)))].map((day) => ({
      deviceId,
      day,
    }));
  const sealed = new Map<number, StoredPosition[]>();
  for (const row of await findSealedTracks(db, moments.flatMap(daysOf)))
    sealed.set(row.deviceId, [
      ...(sealed.get(row.deviceId) ?? []),
      ...positionsOf(row.deviceId, unsealRow(row)),
    ]);
  return moments.map(({ deviceId, at }, index) => {
    const hot = places[index] ?? null;
    const last = sealed
      .get(deviceId)
      ?.findLast(
        (each) => each.at <= at && each.at > at - withinMs && (each.latitude !== 0 || each.longitude !== 0),
      );
    const found = last && (!hot || last.at > hot.at) ? last : hot;
    return found && { latitude: found.latitude, longitude: found.longitude };
  });
}

function positionsOf(deviceId: number, track: TrackColumns): StoredPosition[] {
  return Array.from(track.at, (at, index) => {
    const speed = track.speed[index] as number;
    return {
      deviceId,
      at,
      latitude: (track.latitude[index] as number) / PER_DEGREE,
      longitude: (track.longitude[index] as number) / PER_DEGREE,
      speedKmh: speed < 0 ? null : speed / PER_KMH,
    };
  });
}
