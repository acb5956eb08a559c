import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { provisionDevices } from '@isotherm/contracts/devices';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadedItem, startLoadedDevice } from './loaded-device.ts';
import { storedReadings } from './stored.ts';

const SIZE = '320m';
const CHUNK = Buffer.alloc(1024 * 1024);
const START_MS_AGO = 40 * 3_600_000;
const NUMBERS = ['52000001', '52000002', '52000003', '52000004'];

const mount = (folder: string) =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=700`, 'tmpfs', folder], { stdio: 'ignore' })
    .status === 0;
const unmount = (folder: string) => spawnSync('umount', [folder], { stdio: 'ignore' });

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-mount-'));
  const may = mount(folder);
  if (may) unmount(folder);
  rmSync(folder, { recursive: true });
  return may;
}

/** Fills the rest of the file system; the returned function frees it. */
function fill(folder: string): () => void {
  const file = join(folder, 'ballast');
  const descriptor = openSync(file, 'w');
  try {
    for (let bytes = CHUNK.length; bytes >= 1; bytes = Math.floor(bytes / 16)) fillWith(descriptor, bytes);
  } finally {
    closeSync(descriptor);
  }
  return () => unlinkSync(file);
}

function fillWith(descriptor: number, bytes: number): void {
  try {
    while (writeSync(descriptor, CHUNK, 0, bytes) > 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}

/**
 * Defines a test with a disk that is small enough to fill, which requires the right to mount; otherwise the
 * test does not exist. The server's reaction to a full disk is tested everywhere, with a simulated database
 * error (reading-writer.db.test.ts).
 */
export function describeSmallDisk(): void {
  if (!mayMount()) return;
  describe('full database disk', () => {
    let folder: string;
    let demo: DemoServer;

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'isotherm-small-disk-'));
      mount(folder);
      demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_SEAL_AFTER_HOURS: '10000' }, folder);
      const account = demo.accounts[0] as { username: string; password: string };
      const manager = await logIn(demo.url, account.username, account.password);
      await manager.call(provisionDevices, { body: { items: NUMBERS.map(loadedItem) } });
    });
    afterAll(async () => {
      await demo?.stop();
      unmount(folder);
      rmSync(folder, { recursive: true, force: true });
    });

    test('a server whose disk is full refuses messages, and accepts them all when there is space again', async () => {
      const startAt = Date.now() - START_MS_AGO;
      const devices = NUMBERS.map((number, index) =>
        startLoadedDevice(
          (['http', 'mqtt', 'packets'] as const)[index % 3] ?? 'http',
          number,
          startAt,
          [demo],
          10,
        ),
      );
      const acknowledged = () => devices.map((device) => device.acknowledged.length);
      const ready = async () => {
        const answer = await fetch(`${demo.url}/readyz`);
        return { code: answer.status, ...((await answer.json()) as { status: string }) };
      };
      await expect.poll(() => Math.min(...acknowledged())).toBeGreaterThan(20);

      const giveBack = fill(folder);
      await expect.poll(ready).toMatchObject({ code: 503, status: 'database disk full' });
      await demo.server.waitForOutput(/no space left on the disk of the database, readings wait/);
      expect((await fetch(`${demo.url}/healthz`)).status).toBe(200);

      giveBack();
      const before = acknowledged();
      await expect
        .poll(() => acknowledged().every((count, index) => count > (before[index] as number) + 50))
        .toBe(true);
      expect(await ready()).toMatchObject({ code: 200 });
      await Promise.all(devices.map((device) => device.stop()));
      for (const device of devices)
        expect(
          (await storedReadings(demo.databaseUrl, device.number)).slice(0, device.acknowledged.length),
        ).toEqual(device.acknowledged);
    });
  });
}
