import { spawn } from 'node:child_process';
import { AppError } from '@isotherm/contracts/errors';
import { createGate } from '../../../platform/gate.ts';
import { CameraError } from './camera-error.ts';

const WITHIN_MS = 10_000;
const MAX_PICTURE_BYTES = 10_000_000;
/**
 * Maximum number of pixels: those of an 8K picture. A few bytes of video can declare a picture of gigabytes.
 */
const MAX_PIXELS = 7680 * 4320;

/** Limits the number of runs, since each can take 256 MB and a whole core. */
const gate = createGate({ atOnce: 1, waiting: 16 }, () => new AppError('request.too_many'));

/**
 * Returns the first complete picture of a few seconds of video, as JPEG. ffmpeg gets bytes instead of an
 * address: it opens no connection, and the camera's data cannot make it open a file.
 *
 * @throws {CameraError} `no_ffmpeg`, `no_picture`
 * @throws {AppError} `request.too_many`
 */
export function pictureOfVideo(command: string, video: Buffer): Promise<Buffer> {
  return gate.pass(() => run(command, video));
}

function run(command: string, video: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const child = spawn(
      command,
      [
        '-hide_banner',
        '-loglevel',
        'error',
        '-protocol_whitelist',
        'pipe',
        '-threads',
        '1',
        '-max_pixels',
        String(MAX_PIXELS),
        '-i',
        'pipe:0',
        '-map',
        '0:v:0',
        '-frames:v',
        '1',
        '-f',
        'image2pipe',
        '-c:v',
        'mjpeg',
        '-q:v',
        '3',
        'pipe:1',
      ],
      { stdio: ['pipe', 'pipe', 'ignore'], env: {} },
    );
    const pieces: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(() => child.kill('SIGKILL'), WITHIN_MS);
    child.once('error', (cause) => {
      clearTimeout(timer);
      reject(new CameraError('no_ffmpeg', { cause }));
    });
    // ffmpeg may exit before it has read all input. The error that this causes is ignored.
    child.stdin.on('error', () => undefined);
    child.stdin.end(video);
    child.stdout.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes > MAX_PICTURE_BYTES) child.kill('SIGKILL');
      else pieces.push(piece);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (code === 0 && bytes > 0) resolve(Buffer.concat(pieces));
      else reject(new CameraError('no_picture'));
    });
  });
}
