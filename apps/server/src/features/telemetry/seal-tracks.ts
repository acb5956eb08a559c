import {
  mergeTracks,
  PER_DEGREE,
  PER_KMH,
  sealTrack,
  type TrackColumns,
} from '@isotherm/domain/geo/sealed-track';
import { DAY_MS } from '@isotherm/domain/readings/sealed-day';
import type { Tx } from '../../platform/db/pool.ts';
import { POSITION_DAYS } from './partitions.repo.ts';
import type { SealedTable } from './seal-days.ts';
import {
  countHotPositions,
  deleteHotPositions,
  listHotTracks,
  listSealedTracks,
  type TrackSummary,
  upsertSealedTracks,
} from './tracks.repo.ts';
import { hashTrack, NO_TRACK, unsealRow } from './tracks.ts';

/** Positions are sealed like readings: by UTC day, one row per device (docs/maps.md). */
export const SEALED_TRACKS: SealedTable = {
  table: POSITION_DAYS,
  countHot: countHotPositions,
  sealSlice,
  deleteHot: deleteHotPositions,
};

/**
 * Writes the sealed tracks of these devices, reads them back, and compares the hash of what they decode to with that of the
 * originals. A position that is sealed already is kept as it is.
 */
async function sealSlice(tx: Tx, deviceIds: readonly number[], day: number): Promise<Map<number, number>> {
  const hot = await listHotTracks(tx, deviceIds, day);
  const before = new Map((await listSealedTracks(tx, deviceIds, day, day)).map((row) => [row.deviceId, row]));
  const rows = [...hot].map(([deviceId, track]) => {
    const sealed = before.get(deviceId);
    // Merging with nothing removes times that are the same millisecond.
    const whole = mergeTracks(sealed ? unsealRow(sealed) : NO_TRACK, track);
    return {
      deviceId,
      day,
      count: whole.at.length,
      hash: hashTrack(whole),
      positions: Buffer.from(sealTrack(whole, day * DAY_MS)),
      ...summaryOf(whole),
    };
  });
  await upsertSealedTracks(tx, day, rows);
  const written = new Map(
    (await listSealedTracks(tx, deviceIds, day, day)).map((row) => [row.deviceId, row]),
  );
  for (const { deviceId, hash } of rows) {
    const row = written.get(deviceId);
    if (!row || !hash.equals(row.hash) || !hash.equals(hashTrack(unsealRow(row))))
      throw new Error(`the track of device ${deviceId} does not come back`);
  }
  return new Map([...hot].map(([deviceId, { at }]) => [deviceId, at.length]));
}

function summaryOf({ at, latitude, longitude, speed }: TrackColumns): TrackSummary {
  const last = at.length - 1;
  const lastSpeed = speed[last] as number;
  return {
    firstAt: at[0] as number,
    lastAt: at[last] as number,
    fixedCount: latitude.filter((each, index) => each !== 0 || longitude[index] !== 0).length,
    lastLatitude: (latitude[last] as number) / PER_DEGREE,
    lastLongitude: (longitude[last] as number) / PER_DEGREE,
    lastSpeedKmh: lastSpeed < 0 ? null : lastSpeed / PER_KMH,
  };
}
