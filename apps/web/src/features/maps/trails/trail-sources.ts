import { TRAIL_MS, type Trail, viewCarTrail } from '@isotherm/contracts/car-screens';
import { getTrack } from '@isotherm/contracts/maps';
import { call } from '../../../shared/api/client.ts';
import { serverNow } from '../../../shared/api/clock.ts';

/** Where the trail of an asset is read, with at most `toleranceM` metres of error. */
export interface TrailSource {
  read(assetId: number, toleranceM: number, signal: AbortSignal): Promise<Trail>;
}

/** Trails for users who may see the replay. */
export const CONSOLE_TRAILS: TrailSource = {
  read(id, toleranceM, signal) {
    const now = serverNow();
    const query = {
      from: new Date(now - TRAIL_MS).toISOString(),
      to: new Date(now).toISOString(),
      toleranceM,
    };
    return call(getTrack, { params: { id }, query, signal, quiet: true });
  },
};

/** Trails of the vehicles that a public link shows. */
export const linkTrails = (token: string): TrailSource => ({
  read: (assetId, toleranceM, signal) =>
    call(viewCarTrail, { body: { token, assetId, toleranceM }, signal, quiet: true }),
});
