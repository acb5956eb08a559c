import { FUTURE_ALLOWANCE_MS } from '@isotherm/domain/devices/device-clock';
import { followedPositions } from '@isotherm/domain/geo/followed-device';
import { isFix, isTooFast, JUMP_REACH, newestPlace } from '@isotherm/domain/geo/track-faults';
import type { Tx } from '../../platform/db/pool.ts';
import {
  insertPositions,
  listNewestPositions,
  markDoubtful,
  type NewestPosition,
  type PositionRow,
  updatePlaces,
  type WrongClock,
} from './live-places.repo.ts';
import { loadSealedNeighbours } from './tracks.ts';

export type { PositionRow } from './live-places.repo.ts';

/** Positions of each device that are read to decide which of the last ones are jumps. */
const READ_COUNT = 8;

/**
 * Stores positions, and shows the newest that is no jump as the place of the asset, by the rule of the track (`track-faults.ts`).
 * Nearly always the database sees that a vehicle could have come from the shown place; only otherwise are earlier positions read,
 * once for the whole batch. `sent` has the times that the devices sent, which are stored; `estimated` has the same positions with
 * times that are estimated where a clock is wrong, by which the place is judged. It is the same array if all clocks are right.
 */
export async function storePositions(
  tx: Tx,
  sent: readonly PositionRow[],
  estimated: readonly PositionRow[],
  receivedAt: number,
): Promise<void> {
  const doubtful = await insertPositions(tx, sent, newestOf(estimated));
  if (doubtful.length > 0) await judgePlaces(tx, doubtful, receivedAt, wrongClocksOf(sent, estimated));
}

function wrongClocksOf(sent: readonly PositionRow[], estimated: readonly PositionRow[]): WrongClock[] {
  const found = new Map<number, WrongClock>();
  if (sent === estimated) return [];
  for (const [index, { device_id: deviceId, at }] of sent.entries()) {
    const offsetMs = at - (estimated[index] as PositionRow).at;
    if (offsetMs !== 0 && at > (found.get(deviceId)?.latest ?? Number.NEGATIVE_INFINITY))
      found.set(deviceId, { deviceId, offsetMs, latest: at });
  }
  return [...found.values()];
}

/**
 * The newest position with a fix of each device, and whether a vehicle could have come to it from the one before it in the same
 * batch; null if there is none before.
 */
export function newestOf(rows: readonly PositionRow[]): NewestPosition[] {
  const last = new Map<number, { newest: PositionRow; before: PositionRow | null }>();
  for (const row of rows) {
    if (!isFix(row)) continue;
    const own = last.get(row.device_id);
    if (!own || row.at > own.newest.at)
      last.set(row.device_id, { newest: row, before: own ? own.newest : null });
    else if (row.at < own.newest.at && (!own.before || row.at > own.before.at)) own.before = row;
  }
  return [...last.values()].map(({ newest, before }) => ({
    ...newest,
    is_reached: before && !isTooFast(before, newest),
  }));
}

async function judgePlaces(
  tx: Tx,
  assetIds: readonly number[],
  receivedAt: number,
  wrongClocks: readonly WrongClock[],
): Promise<void> {
  const until = receivedAt + FUTURE_ALLOWANCE_MS;
  const spans = await listNewestPositions(tx, assetIds, READ_COUNT, until, wrongClocks);
  const short = spans.filter(({ positions }) => positions.length > 0 && positions.length <= JUMP_REACH);
  const sealed =
    short.length > 0
      ? await loadSealedNeighbours(
          tx,
          short.map(({ deviceId, offsetMs, positions }) => {
            const since = (positions[0] as { at: number }).at + offsetMs;
            return { deviceId, since, latest: since };
          }),
          READ_COUNT,
        )
      : [];
  const tracksOf = (assetId: number) =>
    spans
      .filter((span) => span.assetId === assetId)
      .map(({ deviceId, offsetMs, from, positions }) => {
        const first = positions[0]?.at ?? 0;
        const before = sealed
          .filter((each) => each.deviceId === deviceId && isFix(each))
          // The heading of sealed positions is not loaded.
          .map((each) => ({ ...each, at: each.at - offsetMs, headingDeg: null }))
          .filter(({ at }) => at >= from && at < first);
        return { deviceId, places: [...before, ...positions] };
      });
  const places = assetIds.flatMap((assetId) => {
    const followed = followedPositions(tracksOf(assetId));
    const shown = newestPlace(followed);
    return shown ? [{ ...shown, assetId, isNewest: shown === followed.at(-1) }] : [];
  });
  const found = new Set(places.map(({ assetId }) => assetId));
  await updatePlaces(tx, places);
  const lost = assetIds.filter((id) => !found.has(id));
  if (lost.length > 0) await markDoubtful(tx, lost);
}
