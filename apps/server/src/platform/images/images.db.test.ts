import { createTestDatabase, type TestDatabase } from '@isotherm/testkit/test-database';
import Fastify, { type FastifyInstance } from 'fastify';
import pg from 'pg';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createImages, type Images } from './images.ts';

const START = Date.UTC(2026, 10, 21, 8);
const DAY_MS = 86_400_000;

let database: TestDatabase;
let pool: pg.Pool;
let app: FastifyInstance;
let images: Images;
let now = START;
const caller = { accountId: 1, organizationId: 1, username: 'anna' };

beforeAll(async () => {
  database = await createTestDatabase();
  pool = new pg.Pool({ connectionString: database.connectionString, max: 4 });
  images = createImages(pool, { now: () => now });
  app = Fastify();
  images.mount(app);
});
afterAll(async () => {
  await app.close();
  await pool.end();
  await database.drop();
});

async function store(): Promise<string> {
  const bytes = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'teal' } })
    .png()
    .toBuffer();
  return images.store(pool, bytes, { use: 'avatar', caller });
}

/** Returns a few kilobytes that decode to 59 million pixels. */
const large = () =>
  sharp({ create: { width: 7_700, height: 7_700, channels: 3, background: 'teal' } })
    .png({ compressionLevel: 9, palette: true })
    .toBuffer();

describe('many large pictures of one user', () => {
  it('many large pictures of one user delay other users by at most one picture, and pictures above the limit are refused', async () => {
    const bytes = await large();
    expect(bytes.length).toBeLessThan(400_000);
    const done: string[] = [];
    const encode = (owner: string, picture: Uint8Array) =>
      images.encode(owner, picture, 'avatar').then(
        () => done.push(owner),
        (error: { code: string }) => done.push(error.code),
      );
    const small = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'teal' } })
      .png()
      .toBuffer();
    await Promise.all([...Array.from({ length: 8 }, () => encode('mallory', bytes)), encode('anna', small)]);
    expect(done.slice(0, 6)).toEqual([
      'request.too_many',
      'request.too_many',
      'request.too_many',
      'request.too_many',
      'mallory',
      'anna',
    ]);
  }, 60_000);
});

describe('stored pictures', () => {
  it('a stored picture is served at an unguessable address, cached forever, with a policy that blocks scripts', async () => {
    const url = await store();
    expect(url).toMatch(/^\/files\/images\/[0-9a-f]{32}$/);
    const answer = await app.inject({ url });
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'public, max-age=31536000, immutable',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    expect(answer.rawPayload.subarray(8, 12).toString('latin1')).toBe('WEBP');
  });

  it.each([
    '/files/images/00000000000000000000000000000000',
    '/files/images/..%2f..%2fetc%2fpasswd',
    "/files/images/'%20or%201=1",
    '/files/images/%00',
  ])('there is no picture at %s', async (url) => {
    expect((await app.inject({ url })).statusCode).not.toBe(200);
  });

  it('a stored picture is deleted after a day if nothing uses it', async () => {
    const shown = await store();
    const logo = await store();
    const orphan = await store();
    await pool.query(
      `with o as (insert into organization (code, name, level, path) values ('HQ', 'HQ', 'hq', '/1/') returning id)
       insert into account (organization_id, username, realname, password_hash, account_type, avatar)
       select id, 'somebody', 'Somebody', '', 'staff', $1 from o`,
      [shown],
    );
    await pool.query(
      `insert into brand (title, collapsed_title, page_title, copyright_entity, host, menu_logo)
       values ('', '', '', '', 'images.example.org', $1)`,
      [logo],
    );
    const stands = async (url: string) => (await app.inject({ url })).statusCode === 200;
    const prune = () => images.jobs[0]?.run();
    now = START + DAY_MS - 1;
    await prune();
    expect(await stands(orphan)).toBe(true);
    now = START + DAY_MS + 1;
    await prune();
    expect(await stands(orphan)).toBe(false);
    expect(await stands(shown)).toBe(true);
    expect(await stands(logo)).toBe(true);
  });
});
