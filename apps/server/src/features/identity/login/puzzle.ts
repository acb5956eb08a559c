import { randomBytes, randomInt } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { AppError } from '@isotherm/contracts/errors';
import type { Clock } from '../../../platform/clock.ts';
import { sourceOf } from '../../../platform/connections/connection-limits.ts';
import type { Sealing } from '../../../platform/sealing.ts';
import type { UsedTokens } from '../../../platform/used-tokens.ts';

/**
 * The slider puzzle that is required after too many failed logins (decision 17). The image is drawn as
 * pixels, so that no text contains the answer; the answer is encrypted inside the puzzle id and valid once.
 */

const WIDTH = 320;
const HEIGHT = 116;
const PIECE = 44;
const KNOB = 7;
const TOLERANCE_PX = 5;
const LIFE_MS = 2 * 60_000;
/**
 * Maximum number of puzzles per address and minute: drawing uses processor time that ingest needs, and no
 * user needs more.
 */
const PER_ADDRESS_AND_MINUTE = 30;

export interface Puzzles {
  /** Throws `request.too_many`. */
  create(address: string): {
    puzzleId: string;
    image: string;
    piece: string;
    width: number;
    height: number;
    pieceSize: number;
    pieceTop: number;
  };
  /**
   * Returns true once for the right position in a puzzle that this server created within the last two
   * minutes.
   */
  solve(puzzleId: string, x: number): Promise<boolean>;
}

export function createPuzzles(sealing: Sealing, usedTokens: UsedTokens, clock: Clock): Puzzles {
  let minute = 0;
  const asked = new Map<string, number>();

  function admit(source: string): void {
    const now = Math.floor(clock.now() / 60_000);
    if (now !== minute) asked.clear();
    minute = now;
    const count = (asked.get(source) ?? 0) + 1;
    if (count > PER_ADDRESS_AND_MINUTE) throw new AppError('request.too_many');
    asked.set(source, count);
  }

  return {
    create(address) {
      admit(sourceOf(address));
      const left = randomInt(Math.floor(WIDTH / 3), WIDTH - PIECE - KNOB - 4);
      const top = randomInt(KNOB + 2, HEIGHT - PIECE - 2);
      const { image, piece } = draw(left, top);
      const answer = JSON.stringify({
        left,
        expiresAt: clock.now() + LIFE_MS,
        salt: randomBytes(8).toString('hex'),
      });
      return {
        puzzleId: sealing.sealText('puzzle', answer),
        image,
        piece,
        width: WIDTH,
        height: HEIGHT,
        pieceSize: PIECE + KNOB,
        pieceTop: top - KNOB,
      };
    },
    async solve(puzzleId, x) {
      const opened = sealing.openText('puzzle', puzzleId);
      if (!opened) return false;
      const { left, expiresAt } = JSON.parse(opened) as { left: number; expiresAt: number };
      if (expiresAt < clock.now()) return false;
      const firstUse = await usedTokens.use(`puzzle:${puzzleId}`, expiresAt);
      return firstUse && Math.abs(x - left) <= TOLERANCE_PX;
    },
  };
}

/**
 * Returns whether a point is inside the piece: a square with a knob on top and one at the right. Coordinates
 * are relative to the square's corner.
 */
function inPiece(x: number, y: number): boolean {
  if (x >= 0 && x < PIECE && y >= 0 && y < PIECE) return true;
  const onTop = (x - PIECE / 2) ** 2 + y ** 2 < KNOB ** 2 && y < 0;
  const onRight = (x - PIECE) ** 2 + (y - PIECE / 2) ** 2 < KNOB ** 2 && x >= PIECE;
  return onTop || onRight;
}

function onEdge(x: number, y: number): boolean {
  return inPiece(x, y) && !(inPiece(x - 1, y) && inPiece(x + 1, y) && inPiece(x, y - 1) && inPiece(x, y + 1));
}

const GROUND = [232, 237, 241] as const;
const LINE = [126, 143, 158] as const;
const EDGE = [11, 95, 130] as const;
/**
 * Brightness of the gap, which is a darker version of the image with its grain and lines, so that no colour
 * identifies it.
 */
const SHADE = 0.72;
const GRAIN = 9;

/** Draws a background of isotherms with random bends, the darkened gap, and the piece cut out. */
function draw(left: number, top: number): { image: string; piece: string } {
  const bends = Array.from({ length: 4 }, () => ({
    length: randomInt(60, 200),
    height: randomInt(3, 12),
    phase: randomInt(0, 628) / 100,
  }));
  const size = PIECE + KNOB;
  const picture = new Uint8Array(WIDTH * HEIGHT * 4);
  const cut = new Uint8Array(size * size * 4);
  const grain = randomBytes(WIDTH * HEIGHT);
  for (let y = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++) {
      let height = y;
      for (let i = 0; i < bends.length; i++) {
        const { length, height: swing, phase } = bends[i] as (typeof bends)[number];
        height += swing * Math.sin(x / length + phase + y / (40 + 9 * i));
      }
      const colour = ((height % 13) + 13) % 13 < 1.4 ? LINE : GROUND;
      const noise = ((grain[y * WIDTH + x] as number) % GRAIN) - (GRAIN >> 1);
      const [px, py] = [x - left, y - top];
      const inside = inPiece(px, py);
      if (inside) {
        const edge = onEdge(px, py);
        put(cut, size, px, py + KNOB, edge ? EDGE : colour, edge ? 0 : noise, 1);
      }
      put(picture, WIDTH, x, y, colour, noise, inside ? SHADE : 1);
    }
  return { image: dataUrl(picture, WIDTH, HEIGHT), piece: dataUrl(cut, size, size) };
}

function put(
  pixels: Uint8Array,
  width: number,
  x: number,
  y: number,
  colour: readonly [number, number, number],
  noise: number,
  shade: number,
): void {
  const offset = (y * width + x) * 4;
  pixels[offset] = (colour[0] + noise) * shade;
  pixels[offset + 1] = (colour[1] + noise) * shade;
  pixels[offset + 2] = (colour[2] + noise) * shade;
  pixels[offset + 3] = 255;
}

/** Returns a minimal PNG as a data URL (RGBA, 8 bits, no filter; W3C PNG §5 and §11). */
function dataUrl(pixels: Uint8Array, width: number, height: number): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  const rows = Buffer.alloc(height * (width * 4 + 1));
  for (let y = 0; y < height; y++)
    rows.set(pixels.subarray(y * width * 4, (y + 1) * width * 4), y * (width * 4 + 1) + 1);
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${png.toString('base64')}`;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8);
  frame.writeUInt32BE(data.length, 0);
  frame.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
}
