import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

const BUCKET = 'isotherm-files';

/** An S3 service on this machine, with one bucket. It keeps its files and its port when it is stopped and started. */
export interface S3Service {
  settings: { endpoint: string; bucket: string; region: string; accessKey: string; secretKey: string };
  /** Names of the stored objects. */
  keys(): string[];
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it and deletes its files. */
  remove(): Promise<void>;
}

export async function startS3Service(): Promise<S3Service> {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-s3-'));
  let running: S3rver | null = null;
  let port = 0;
  async function start(): Promise<void> {
    running = new S3rver({
      port,
      address: '127.0.0.1',
      silent: true,
      directory: folder,
      configureBuckets: [{ name: BUCKET, configs: [] }],
    });
    ({ port } = await running.run());
  }
  async function stop(): Promise<void> {
    await running?.close();
    running = null;
  }
  await start();
  /** Ending of the files in which the service keeps the content of objects. */
  const CONTENT = '._S3rver_object';
  return {
    settings: {
      endpoint: `http://127.0.0.1:${port}`,
      bucket: BUCKET,
      region: 'us-east-1',
      // The login that this service knows.
      accessKey: 'S3RVER',
      secretKey: 'S3RVER',
    },
    keys: () =>
      readdirSync(join(folder, BUCKET))
        .filter((name) => name.endsWith(CONTENT))
        .map((name) => name.slice(0, -CONTENT.length)),
    start,
    stop,
    async remove() {
      await stop();
      rmSync(folder, { recursive: true });
    },
  };
}
