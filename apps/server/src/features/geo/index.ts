import { exportTrack, exportTracks, getTrack, listMapMarks, listTrackEvents } from '@isotherm/contracts/maps';
import type { Translate } from '@isotherm/i18n/translator';
import type { Audit } from '../../platform/audit/audit.ts';
import type { Invalidations } from '../../platform/cache/invalidations.ts';
import type { Mount } from '../../platform/http/mount.ts';
import type { Imports } from '../../platform/imports/imports.ts';
import type { Job } from '../../platform/jobs/jobs.ts';
import { type CarParts, mountCars } from './cars/cars.ts';
import { createFenceBook } from './fences/fence-book.ts';
import { createFenceFiles } from './fences/fence-files.ts';
import { createFencesService, type FenceUses } from './fences/fences.service.ts';
import { mountGeofences } from './fences/geofences.routes.ts';
import { recordDueDwells } from './fences/judging.repo.ts';
import { createFenceJudge, type OnFenceEvents } from './fences/judging.ts';
import { createGeoService, type GeoNeeds } from './geo.service.ts';
import { mountOverview } from './overview/overview.ts';
import { mountReplays, type ReplayParts } from './replays/replays.ts';

export type { NewEvent as FenceEvent } from './fences/judging.repo.ts';
export { listPlacesOf } from './geo.repo.ts';
export { loadTrackLines, type TrackLines } from './track-lines.ts';
export { loadTripTrack } from './trip-track.ts';
export type { OnFenceEvents };

/** Judges positions at geofences in the transaction that stores them. */
export function createGeofences(invalidations: Invalidations, onEvents: OnFenceEvents) {
  return { onPositions: createFenceJudge(createFenceBook(invalidations), onEvents) };
}

export interface MapsNeeds extends GeoNeeds, Omit<CarParts, 'audit'>, Omit<ReplayParts, 'audit'> {
  audit: Audit;
  translate: Translate;
  running: Pick<Imports, 'run'>;
  fenceUses: FenceUses;
}

/** Maps: where the assets are, where they were, and what they did at geofences. */
export function createGeo(needs: MapsNeeds): { mount(mount: Mount): void; jobs: readonly Job[] } {
  const service = createGeoService(needs);
  const fences = createFencesService(needs.pool, needs.audit, needs.clock, needs.fenceUses);
  const files = createFenceFiles({ ...needs, fences });
  return {
    mount(mount) {
      mount(listMapMarks, ({ caller, query }) => service.marks(caller, query));
      mount(getTrack, ({ caller, params, query }) => service.track(caller, params.id, query));
      mount(exportTrack, ({ caller, params, body }) =>
        service.export(caller, { ...body, assetIds: [params.id] }),
      );
      mount(exportTracks, ({ caller, body }) => service.export(caller, body));
      mount(listTrackEvents, ({ caller, params, query }) => service.events(caller, params.id, query));
      mountGeofences(mount, fences, files);
      mountCars(mount, needs);
      mountReplays(mount, service, needs);
      mountOverview(mount, needs);
    },
    jobs: [
      {
        name: 'geofence-dwells',
        cron: '* * * * *',
        async run() {
          await recordDueDwells(needs.pool, new Date(needs.clock.now()));
        },
      },
    ],
  };
}
