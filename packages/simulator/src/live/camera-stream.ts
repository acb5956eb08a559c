import type { ServerResponse } from 'node:http';
import sharp from 'sharp';
import { LOCAL_TIME_ZONE } from '../physics/weather.ts';
import { seedFrom } from '../random.ts';
import { cameraPicture } from './camera-picture.ts';
import type { Member } from './member.ts';

const PICTURE_EVERY_MS = 1_000;
const BOUNDARY = 'picture';

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', timeZone: LOCAL_TIME_ZONE });

/** Sends images of an asset as motion JPEG until the viewer disconnects. */
export async function streamCamera(
  { asset, values }: Pick<Member, 'asset' | 'values'>,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': `multipart/x-mixed-replace; boundary=${BOUNDARY}` });
  while (!response.destroyed) {
    const now = values();
    const picture = cameraPicture({
      temperatureC: now['temperature-1'] ?? null,
      doorOpen: now['door-1'] === 1,
      powered: now['power-1'] !== 0,
      time: clock.format(Date.now()),
      seed: seedFrom(asset.code),
    });
    const jpeg = await sharp(Buffer.from(picture)).jpeg({ quality: 78 }).toBuffer();
    if (response.destroyed) return;
    response.write(`--${BOUNDARY}\r\ncontent-type: image/jpeg\r\ncontent-length: ${jpeg.length}\r\n\r\n`);
    // The next image waits until this one was sent, so that a viewer that stops reading causes no load.
    await new Promise<void>((resolve) => {
      response.once('close', resolve);
      response.write(Buffer.concat([jpeg, Buffer.from('\r\n')]), () => {
        response.off('close', resolve);
        resolve();
      });
    });
    await new Promise((resolve) => setTimeout(resolve, PICTURE_EVERY_MS));
  }
}
