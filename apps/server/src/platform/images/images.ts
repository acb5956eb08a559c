import { randomBytes } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/pool.ts';
import { createGate } from '../gate.ts';
import type { Job } from '../jobs/jobs.ts';
import { type EncodedImage, encodeImage, type ImageUse } from './encode.ts';
import { deleteOrphans, findImage, insertImage } from './images.repo.ts';

const PATH = '/files/images/';
const ORPHANED_AFTER_MS = 86_400_000;
/** Each waits with its upload in memory. */
const WAITING_PICTURES = 20;

export interface Images {
  /**
   * Checks and encodes a picture that its feature keeps itself; throws as `store` does. Waits its turn.
   */
  encode(bytes: Uint8Array, use: ImageUse): Promise<EncodedImage>;
  /**
   * Checks, encodes and keeps a picture; answers its address, to be kept where it is shown. One that nothing
   * refers to after a day is deleted.
   *
   * @throws {AppError} `upload.too_large`, `upload.format`, `upload.unreadable`, `request.too_many`
   */
  store(
    db: Db,
    bytes: Uint8Array,
    about: { use: ImageUse; organizationId: number | null; createdBy: number | null },
  ): Promise<string>;
  /**
   * `GET /files/images/<id>`. Without a session, since an `<img>` cannot sign: the address cannot be guessed
   * and what stands there never changes.
   */
  mount(app: FastifyInstance): void;
  jobs: readonly Job[];
}

export function createImages(pool: pg.Pool, clock: Clock): Images {
  // One at a time: a large picture unpacks to a quarter of a gigabyte.
  const gate = createGate({ atOnce: 1, waiting: WAITING_PICTURES }, () => new AppError('request.too_many'));

  const encode = (bytes: Uint8Array, use: ImageUse) => gate.pass(() => encodeImage(bytes, use));

  return {
    encode,
    async store(db, bytes, about) {
      const image = await encode(bytes, about.use);
      const id = randomBytes(16).toString('hex');
      await insertImage(db, { ...image, ...about, id, createdAt: new Date(clock.now()) });
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
