import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createWebcam } from '@isotherm/contracts/webcams';
import { logIn } from '@isotherm/simulator/client/api-client';
import type { DemoServer } from '@isotherm/testkit/demo-server';
import { startProgram } from '@isotherm/testkit/processes';
import { startWebcam } from '@isotherm/testkit/webcam';
import { startWhepCamera } from '@isotherm/testkit/whep-camera';
import type { Locator } from 'playwright-core';
import { expect } from 'vitest';
import { type ConsoleBrowser, logInAs } from './console-page.ts';

const PLAYLIST = 'live.m3u8';
const SIZE = { width: 320, height: 240 };
const PICTURE = [
  '-hide_banner',
  '-loglevel',
  'error',
  '-re',
  '-f',
  'lavfi',
  '-i',
  `testsrc2=size=${SIZE.width}x${SIZE.height}:rate=15`,
];

/** Tests cameras with streams of ffmpeg: they are added, viewed and left. */
export async function lookAtRealStreams(
  demo: DemoServer,
  browser: ConsoleBrowser,
  ffmpeg: string,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'isotherm-hls-'));
  const encoder = startProgram({
    command: ffmpeg,
    args: [
      ...PICTURE,
      '-c:v',
      'libvpx-vp9',
      '-deadline',
      'realtime',
      '-cpu-used',
      '8',
      '-g',
      '15',
      '-f',
      'hls',
      '-hls_time',
      '1',
      '-hls_list_size',
      '6',
      '-hls_segment_type',
      'fmp4',
      join(folder, PLAYLIST),
    ],
  });
  const hls = await startWebcam({ folder });
  const whep = await startWhepCamera(ffmpeg, PICTURE);
  const { page, faults, context, travel } = await browser.open();
  try {
    const { username, password } = demo.accounts[0] as { username: string; password: string };
    const manager = await logIn(demo.url, username, password);
    const add = async (name: string, kind: 'hls' | 'whep', address: string) => {
      const body = { organizationId: 2, name, kind, address };
      return (await manager.call(createWebcam, { body })).id;
    };
    const gate = await add('Gate', 'hls', `${hls.url}/files/${PLAYLIST}`);
    const ramp = await add('Ramp', 'whep', whep.url);
    await logInAs(page, demo.url, username, password);
    await expect.poll(() => existsSync(join(folder, PLAYLIST))).toBe(true);

    await travel(`/asset/webcams?webcam=${gate}`);
    await moves(page.getByLabel('Live picture of Gate'));
    await page.getByRole('dialog').getByText('Working').waitFor();

    await travel(`/asset/webcams?webcam=${ramp}`);
    await moves(page.getByLabel('Live picture of Ramp'));
    // The first view records the state of the camera at once.
    await page.getByRole('dialog').getByText('Working').waitFor();
    expect(whep.sessions()).toHaveLength(1);
    // Opens another page of the console, so that the camera's page is hidden: a hidden page plays no video.
    await travel('/asset/groups');
    await expect.poll(() => whep.sessions()).toEqual([]);
    await travel(`/asset/webcams?webcam=${ramp}`);
    await moves(page.getByLabel('Live picture of Ramp'));
    // This leaves the console.
    await page.goto('about:blank');
    await expect.poll(() => whep.sessions()).toEqual([]);
    expect(whep.asked.filter((each) => each.startsWith('DELETE'))).toHaveLength(2);
    expect(faults).toEqual([]);
  } finally {
    await context.close();
    await Promise.all([encoder.stop(), hls.stop(), whep.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks that the test picture is displayed and changes. */
async function moves(video: Locator): Promise<void> {
  const shown = () => video.evaluate(pictureOf);
  await expect.poll(async () => (await shown()).size).toEqual(SIZE);
  const { bytes } = await shown();
  await expect.poll(async () => (await shown()).bytes === bytes).toBe(false);
}

/** Returns a sample of the displayed picture. Runs in the page. */
function pictureOf(element: Element) {
  const video = element as HTMLVideoElement;
  const canvas = Object.assign(document.createElement('canvas'), { width: 32, height: 24 });
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D;
  pen.drawImage(video, 0, 0, canvas.width, canvas.height);
  const { data } = pen.getImageData(0, 0, canvas.width, canvas.height);
  return { size: { width: video.videoWidth, height: video.videoHeight }, bytes: data.join() };
}
