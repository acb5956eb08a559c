import { randomBytes } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/pool.ts';
import { createGate } from '../gate.ts';
import { type CallerName, ownerOf } from '../http/caller.ts';
import type { Job } from '../jobs/jobs.ts';
import { createTimeBudget } from '../time-budget.ts';
import { type EncodedImage, encodeImage, type ImageUse } from './encode.ts';
import { deleteOrphans, findImage, insertImage } from './images.repo.ts';

const PATH = '/files/images/';
const ORPHANED_AFTER_MS = 86_400_000;
/**
 * Limits decoding to one at a time, because a large picture decodes to a quarter of a gigabyte. Each waits
 * with its upload in memory; users are served in turn.
 */
const CROWD = { atOnce: 1, waiting: 20, ofOne: { atOnce: 1, waiting: 3 } };
/** Budget of decoding time for one user's uploads, per quarter of an hour. */
const DECODING_MS = 60_000;

export interface Images {
  /**
   * Checks and encodes a picture that its feature stores itself; throws what `store` throws. Users are
   * served in turn.
   */
  encode<Use extends ImageUse>(owner: string, bytes: Uint8Array, use: Use): Promise<EncodedImage<Use>>;
  /**
   * Checks, encodes and stores an image; returns its address, which the caller stores. An image without
   * references is deleted after a day.
   *
   * @throws {AppError} `upload.too_large`, `upload.format`, `upload.unreadable`, `request.too_many`
   */
  store(db: Db, bytes: Uint8Array, about: { use: ImageUse; caller: CallerName }): Promise<string>;
  /**
   * Mounts `GET /files/images/<id>`, without a session because an `<img>` cannot sign requests: the address
   * cannot be guessed, and its content never changes.
   */
  mount(app: FastifyInstance): void;
  jobs: readonly Job[];
}

export function createImages(pool: pg.Pool, clock: Clock): Images {
  const gate = createGate(CROWD, () => new AppError('request.too_many'));
  const decoding = createTimeBudget(DECODING_MS);

  const encode = <Use extends ImageUse>(owner: string, bytes: Uint8Array, use: Use) =>
    gate.pass(() => decoding.spend(owner, () => encodeImage(bytes, use)), owner);

  return {
    encode,
    async store(db, bytes, { use, caller }) {
      const image = await encode(ownerOf(caller), bytes, use);
      const id = randomBytes(16).toString('hex');
      const { organizationId, accountId: createdBy } = caller;
      await insertImage(db, {
        ...image,
        use,
        organizationId,
        createdBy,
        id,
        createdAt: new Date(clock.now()),
      });
      return `${PATH}${id}`;
    },
    mount(app) {
      app.get<{ Params: { id: string } }>(`${PATH}:id`, async (request, reply) => {
        const { id } = request.params;
        const image = /^[0-9a-f]{32}$/.test(id) ? await findImage(pool, id) : null;
        if (!image) throw new AppError('request.not_found');
        return reply
          .type(image.mediaType)
          .header('cache-control', 'public, max-age=31536000, immutable')
          .header('content-security-policy', "default-src 'none'; sandbox")
          .header('content-disposition', 'inline')
          .send(image.bytes);
      });
    },
    jobs: [
      {
        name: 'image-orphans',
        cron: '23 * * * *',
        async run() {
          await deleteOrphans(pool, new Date(clock.now() - ORPHANED_AFTER_MS));
        },
      },
    ],
  };
}
