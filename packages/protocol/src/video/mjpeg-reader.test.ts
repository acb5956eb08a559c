import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MjpegReader, mjpegBoundary } from './mjpeg-reader.ts';

const MAX = 100;
const jpeg = (...rest: number[]) => Uint8Array.from([0xff, 0xd8, 0xff, ...rest]);
const latin = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const joined = (...pieces: Uint8Array[]) => Uint8Array.from(pieces.flatMap((piece) => [...piece]));
const part = (frame: Uint8Array, withLength = true) =>
  joined(
    latin(`\r\n--shot\r\nContent-Type: image/jpeg\r\n`),
    latin(withLength ? `Content-Length: ${frame.length}\r\n\r\n` : '\r\n'),
    frame,
  );
const end = latin('\r\n--shot--\r\n');

function read(body: Uint8Array, pieceBytes = body.length): number[][] {
  const reader = new MjpegReader('shot', MAX);
  const frames: number[][] = [];
  for (let at = 0; at < body.length; at += pieceBytes)
    for (const frame of reader.push(body.subarray(at, at + pieceBytes))) frames.push([...frame]);
  return frames;
}

describe('reading images from a motion JPEG stream', () => {
  it.each([true, false])('images are returned unchanged, with the length header %s', (withLength) => {
    const [one, two] = [jpeg(1, 2, 3), jpeg(4, 13, 10, 45, 45, 5)];
    expect(read(joined(part(one, withLength), part(two, withLength), end))).toEqual([[...one], [...two]]);
  });

  it('images are found however the stream is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.uint8Array({ maxLength: MAX - 3 }), fc.boolean())),
        fc.integer({ min: 1, max: 50 }),
        (parts, pieceBytes) => {
          const frames = parts.map(([bytes]) => jpeg(...bytes));
          const body = joined(...frames.map((frame, i) => part(frame, parts[i]?.[1])), end);
          expect(read(body, pieceBytes)).toEqual(frames.map((frame) => [...frame]));
        },
      ),
    );
  });

  it('the boundary may already include its dashes, as some cameras write it', () => {
    expect(new MjpegReader('--shot', MAX).push(joined(part(jpeg(9), false), end))).toHaveLength(1);
  });

  it.each([1, 7, 1000])(
    'parts that are not JPEG or too large are skipped, in pieces of %i bytes',
    (pieceBytes) => {
      const good = jpeg(1);
      const large = jpeg(...new Array(3 * MAX).fill(7));
      const body = joined(
        part(latin('<html>')),
        part(large),
        part(good),
        part(large, false),
        part(good),
        end,
      );
      expect(read(body, pieceBytes)).toEqual([[...good], [...good]]);
    },
  );

  it('the buffer does not grow without limit if a camera never ends a part', () => {
    const reader = new MjpegReader('shot', MAX);
    expect(reader.push(new Uint8Array(20_000))).toEqual([]);
    expect(reader.push(part(jpeg(1)))).toHaveLength(1);
    reader.push(latin('\r\n--shot\r\n\r\n'));
    for (let i = 0; i < 50; i++) expect(reader.push(new Uint8Array(50))).toEqual([]);
    expect(reader.push(part(jpeg(2)))).toHaveLength(1);
  });

  it('tiny pieces cost no additional time if a camera never ends a part', () => {
    for (const head of ['\r\n--shot\r\n\r\n', '\r\n--shot\r\nContent-Length: 3000000\r\n\r\n']) {
      const reader = new MjpegReader('shot', 4_000_000);
      reader.push(latin(head));
      reader.push(new Uint8Array(2_000_000).fill(13));
      const begin = performance.now();
      for (let i = 0; i < 2_000; i++) reader.push(Uint8Array.of(13));
      // Searching the whole buffer again for each piece would take minutes.
      expect(performance.now() - begin).toBeLessThan(1_000);
    }
  });

  it('any bytes are processed without an exception', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 300 })), (chunks) => {
        const reader = new MjpegReader('shot', MAX);
        for (const chunk of chunks)
          for (const frame of reader.push(chunk)) expect(frame.length).toBeLessThan(MAX + 1);
      }),
    );
  });
});

it.each([
  ['multipart/x-mixed-replace; boundary=shot', 'shot'],
  ['multipart/x-mixed-replace;boundary="my shot"', 'my shot'],
  ['Multipart/X-Mixed-Replace; charset=x; boundary=--shot; more=1', '--shot'],
  ['multipart/x-mixed-replace; charset=x', null],
  ['image/jpeg', null],
  ['text/html; boundary=shot', null],
  ['', null],
])('the content type %s has the boundary %s', (type, boundary) => {
  expect(mjpegBoundary(type)).toBe(boundary);
});
