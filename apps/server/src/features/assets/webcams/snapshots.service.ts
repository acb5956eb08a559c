import { AppError } from '@isotherm/contracts/errors';
import type { Download, ResponseOf } from '@isotherm/contracts/route';
import type { listWebcamSnapshots, WebcamSnapshot } from '@isotherm/contracts/webcams';
import type { WebcamFault } from '@isotherm/domain/assets/webcam';
import type pg from 'pg';
import type { z } from 'zod';
import type { Audit } from '../../../platform/audit/audit.ts';
import type { Clock } from '../../../platform/clock.ts';
import { type Db, transaction } from '../../../platform/db/pool.ts';
import type { Caller } from '../../../platform/http/caller.ts';
import type { Images } from '../../../platform/images/images.ts';
import { faultOf } from './camera-error.ts';
import type { Cameras } from './cameras.ts';
import { createPlaces } from './places.ts';
import {
  findSnapshot,
  keepFault,
  keepPicture,
  listSnapshotRows,
  readPicture,
  type SnapshotRow,
  wantByPerson,
} from './snapshots.repo.ts';
import { findWebcam, setChecked } from './webcams.repo.ts';

/**
 * Limits of snapshots taken by users per user, per enterprise and in total, since each one waits for a
 * camera.
 */
const BY_PERSONS = { each: 2, ofEnterprise: 8, inAll: 16 };

export interface SnapshotsService {
  list(
    caller: Caller,
    query: z.output<(typeof listWebcamSnapshots)['query']>,
  ): Promise<ResponseOf<typeof listWebcamSnapshots>>;
  /** Throws `webcam.snapshot_missing`. */
  read(caller: Caller, id: number): Promise<Download>;
  /** Throws `webcam.missing`, `request.too_many`. */
  takeNow(caller: Caller, webcamId: number): Promise<WebcamSnapshot>;
  /**
   * Takes a requested snapshot, or records why it failed. Throws only errors that are not caused by the
   * camera.
   */
  take(wish: { id: number; webcamId: number }): Promise<void>;
}

type Outcome = { bytes: Buffer; mediaType: string; takenAt: Date } | { fault: WebcamFault };

/** Creates the service that takes, stores and reads snapshots. */
export function createSnapshotsService(
  pool: pg.Pool,
  audit: Pick<Audit, 'record'>,
  clock: Clock,
  cameras: Pick<Cameras, 'sourceOf' | 'picture'>,
  images: Pick<Images, 'encode'>,
): SnapshotsService {
  const places = createPlaces(BY_PERSONS);
  /** Simultaneous requests for one camera share one result. */
  const underWay = new Map<number, Promise<Outcome>>();

  async function look(webcamId: number): Promise<Outcome> {
    let outcome: Outcome;
    try {
      const jpeg = await cameras.picture(await cameras.sourceOf('/', webcamId));
      const takenAt = new Date(clock.now());
      const { bytes, mediaType } = await images.encode(`webcam:${webcamId}`, jpeg, 'snapshot');
      outcome = { bytes, mediaType, takenAt };
    } catch (error) {
      const fault = faultOf(error) ?? (isNoPicture(error) ? 'no_picture' : null);
      if (fault === null) throw error;
      outcome = { fault };
    }
    await setChecked(pool, webcamId, 'fault' in outcome ? outcome.fault : null, new Date(clock.now()));
    return outcome;
  }

  function lookOnce(webcamId: number): Promise<Outcome> {
    const asked = underWay.get(webcamId);
    if (asked) return asked;
    const answer = look(webcamId).finally(() => underWay.delete(webcamId));
    underWay.set(webcamId, answer);
    return answer;
  }

  async function take({ id, webcamId }: { id: number; webcamId: number }): Promise<void> {
    try {
      const outcome = await lookOnce(webcamId);
      if ('fault' in outcome) await keepFault(pool, id, outcome.fault);
      else await keepPicture(pool, id, outcome);
    } catch (error) {
      // The camera was deleted while the snapshot was taken.
      if (!(error instanceof AppError && error.code === 'webcam.missing')) throw error;
      await keepFault(pool, id, 'not_found');
    }
  }

  return {
    async list(caller, { page, pageSize, webcamId, alarmId }) {
      const filter = { scope: caller.scope, webcamId: webcamId ?? null, alarmId: alarmId ?? null };
      const { rows, total } = await listSnapshotRows(pool, filter, {
        limit: pageSize,
        offset: (page - 1) * pageSize,
      });
      return { items: rows.map(viewOf), total };
    },
    read: (caller, id) => downloadPicture(pool, caller.scope, id),
    async takeNow(caller, webcamId) {
      const leave = places.enter(caller);
      try {
        const id = await transaction(pool, async (tx) => {
          const webcam = await findWebcam(tx, caller.scope, webcamId);
          if (!webcam) throw new AppError('webcam.missing');
          const made = await wantByPerson(tx, webcamId, caller.username, new Date(clock.now()));
          await audit.record(tx, caller, {
            action: 'create',
            objectKind: 'webcam-snapshot',
            objectId: made,
            objectName: webcam.name,
            organizationPath: webcam.organizationPath,
          });
          return made;
        });
        await take({ id, webcamId });
        const row = await findSnapshot(pool, id);
        if (!row) throw new AppError('webcam.snapshot_missing');
        return viewOf(row);
      } finally {
        leave();
      }
    },
    take,
  };
}

/** Returns a picture of a webcam in scope as a file. Throws `webcam.snapshot_missing`. */
export async function downloadPicture(db: Db, scope: string, id: number): Promise<Download> {
  const picture = await readPicture(db, scope, id);
  if (!picture) throw new AppError('webcam.snapshot_missing');
  const { mediaType, bytes } = picture;
  return {
    fileName: `snapshot-${id}.webp`,
    mediaType,
    body: (async function* () {
      yield bytes;
    })(),
  };
}

/** Returns true if the camera's bytes are not an image, or too large to be stored. */
function isNoPicture(error: unknown): boolean {
  return error instanceof AppError && error.code.startsWith('upload.');
}

function viewOf({ wantedAt, takenAt, ...row }: SnapshotRow): WebcamSnapshot {
  return { ...row, wantedAt: wantedAt.toISOString(), takenAt: takenAt?.toISOString() ?? null };
}
