import { exportTrack, getTrack, listMapMarks } from '@isotherm/contracts/maps';
import type { Mount } from '../../platform/http/mount.ts';
import { createGeoService, type GeoNeeds } from './geo.service.ts';

export { loadTrackLines, type TrackLines } from './track-lines.ts';

/** Maps: where the assets are, and where they were. */
export function createGeo(needs: GeoNeeds): { mount(mount: Mount): void } {
  const service = createGeoService(needs);
  return {
    mount(mount) {
      mount(listMapMarks, ({ caller, query }) => service.marks(caller, query));
      mount(getTrack, ({ caller, params, query }) => service.track(caller, params.id, query));
      mount(exportTrack, ({ caller, params, body }) => service.export(caller, params.id, body));
    },
  };
}
