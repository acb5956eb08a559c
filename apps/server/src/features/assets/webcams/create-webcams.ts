import type pg from 'pg';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Images } from '../../../platform/images/images.ts';
import type { Job } from '../../../platform/jobs/jobs.ts';
import type { Logger } from '../../../platform/log.ts';
import { createOutgoing } from '../../../platform/outgoing/outgoing.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import { createAccountsService } from './accounts.service.ts';
import { createCallLimits } from './call-limits.ts';
import { type CameraSettings, createCameras } from './cameras.ts';
import { type IceSettings, iceServersFor } from './ice-servers.ts';
import { createLiveService } from './live.service.ts';
import { createSnapshotWatch } from './snapshot-watch.ts';
import { forgetPictures } from './snapshots.repo.ts';
import { createSnapshotsService } from './snapshots.service.ts';
import { noteAnswer } from './webcams.repo.ts';
import { mountWebcams } from './webcams.routes.ts';
import { createWebcamsService } from './webcams.service.ts';

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;
/**
 * Players request a playlist every few seconds; an unchanged camera state is recorded again only after this
 * time.
 */
const SAID_AGAIN_AFTER_MS = 60_000;
/** Number of snapshots deleted per transaction, so that no transaction takes long. */
const FORGOTTEN_AT_ONCE = 500;

export interface WebcamSettings extends CameraSettings {
  ice: IceSettings;
  /** Private networks in which cameras are allowed. */
  allowedNetworks: readonly string[];
  /** Origin of the demo's cameras; null outside the demo. */
  demoOrigin: string | null;
  /** Number of days for which snapshots without an alarm are kept. */
  snapshotDays: number;
  /** Number of years for which alarm snapshots are kept; 0 means forever. */
  alarmYears: number;
}

export interface Webcams {
  mount(mount: Mount): void;
  jobs: readonly Job[];
  /** Starts taking snapshots. */
  start(): void;
  /** Must be called after a new alarm, so that its snapshots are taken at once. */
  wake(): void;
  /** Ends streams and camera requests; another process continues the requested snapshots. */
  stop(): Promise<void>;
}

/** Creates webcams of assets: registry, live view and snapshots. */
export function createWebcams(parts: {
  pool: pg.Pool;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
  log: Logger;
  sealing: Sealing;
  images: Pick<Images, 'encode'>;
  /** Counts an action of a subject against its limit. Throws `request.too_many`. */
  limit: (subject: string, most: number) => Promise<void>;
  settings: WebcamSettings;
}): Webcams {
  const { pool, audit, clock, log, sealing, images, settings } = parts;
  const limit = createCallLimits(parts.limit);
  const outgoing = createOutgoing(settings.allowedNetworks, settings.demoOrigin);
  const cameras = createCameras(pool, sealing, outgoing, settings);
  const live = createLiveService(cameras, sealing, {
    limit,
    iceServers: (webcamId) => iceServersFor(settings.ice, webcamId, clock.now()),
    answered: (webcamId, fault) => {
      const now = clock.now();
      return noteAnswer(pool, webcamId, fault, new Date(now), { since: new Date(now - SAID_AGAIN_AFTER_MS) });
    },
  });
  const snapshots = createSnapshotsService(pool, audit, clock, cameras, images);
  const watch = createSnapshotWatch(pool, clock, log, snapshots.take);
  const services = {
    webcams: createWebcamsService(pool, audit, clock, cameras, watch.wake, limit),
    accounts: createAccountsService(pool, audit, clock, sealing),
    live,
    snapshots,
  };
  return {
    mount: (mount) => mountWebcams(mount, services),
    start: watch.start,
    wake: watch.wake,
    async stop() {
      live.stop();
      cameras.stop();
      await watch.stop();
    },
    jobs: [
      {
        name: 'webcam-snapshots-forget',
        cron: '41 * * * *',
        async run() {
          const before = new Date(clock.now() - settings.snapshotDays * DAY_MS);
          const ofAlarms =
            settings.alarmYears > 0 ? new Date(clock.now() - settings.alarmYears * YEAR_MS) : null;
          while ((await forgetPictures(pool, before, ofAlarms, FORGOTTEN_AT_ONCE)) === FORGOTTEN_AT_ONCE);
        },
      },
    ],
  };
}
