import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type S3Service, startS3Service } from '../../testing/s3-service.ts';
import { type FileStore, StoreAway } from './file-store.ts';
import { createS3Store } from './s3-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'isotherm-s3-files-'));
let service: S3Service;
let store: FileStore;

beforeAll(async () => {
  service = await startS3Service();
  store = createS3Store(service.settings);
});
afterAll(async () => {
  await service.remove();
  rmSync(folder, { recursive: true });
});

async function read(key: string): Promise<string | null> {
  const body = await store.read(key);
  if (!body) return null;
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function written(text: string): string {
  const path = join(folder, 'file');
  writeFileSync(path, text);
  return path;
}

test('a file is stored, read and deleted', async () => {
  const text = 'readings\r\n'.repeat(500_000);
  const path = written(text);
  await store.put('7-1-abc', path);
  expect(service.keys()).toEqual(['7-1-abc']);
  expect(() => readFileSync(path)).toThrow('ENOENT');
  expect(await read('7-1-abc')).toBe(text);
  await store.remove('7-1-abc');
  expect(await read('7-1-abc')).toBeNull();
  expect(service.keys()).toEqual([]);
  await store.remove('7-1-abc');
});

test('a service that refuses the login or is away is reported, and the file is kept', async () => {
  const path = written('x');
  const stranger = createS3Store({ ...service.settings, accessKey: 'nobody' });
  await expect(stranger.put('k', path)).rejects.toThrow(StoreAway);
  const nowhere = createS3Store({ ...service.settings, endpoint: 'http://127.0.0.1:9' });
  await expect(nowhere.put('k', path)).rejects.toThrow(StoreAway);
  await expect(nowhere.read('k')).rejects.toThrow(StoreAway);
  await expect(nowhere.remove('k')).rejects.toThrow(StoreAway);
  const other = createS3Store({ ...service.settings, bucket: 'no-such-bucket' });
  await expect(other.put('k', path)).rejects.toThrow('PUT answered 404');
  expect(readFileSync(path, 'utf8')).toBe('x');
});
