import { TRAIL_MS, type Trail, viewCarTrail } from '@isotherm/contracts/car-screens';
import { getTrack } from '@isotherm/contracts/maps';
import { usePermission } from '../../../shared/access/permissions.ts';
import { call } from '../../../shared/api/client.ts';
import { serverNow } from '../../../shared/api/clock.ts';

/** Where the trail of an asset is read, with at most `toleranceM` metres of error. */
export interface TrailSource {
  read(assetId: number, toleranceM: number, signal: AbortSignal): Promise<Trail>;
}

const CONSOLE_TRAILS: TrailSource = {
  async read(id, toleranceM, signal) {
    const now = serverNow();
    const query = {
      from: new Date(now - TRAIL_MS).toISOString(),
      to: new Date(now).toISOString(),
      toleranceM,
    };
    const track = await call(getTrack, { params: { id }, query, signal, quiet: true });
    const { at, latitude, longitude, lineEnds } = track;
    return { at, latitude, longitude, lineEnds };
  },
};

/** Trails for users of the console; null without the permission for the replay, of which the trail is a part. */
export function useConsoleTrails(): TrailSource | null {
  return usePermission('map-replay:view') ? CONSOLE_TRAILS : null;
}

/** Trails of the vehicles that a public link shows. */
export const linkTrails = (token: string): TrailSource => ({
  read: (assetId, toleranceM, signal) =>
    call(viewCarTrail, { body: { token, assetId, toleranceM }, signal, quiet: true }),
});
