import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { encodeImage, type ImageUse, pictureKind } from './encode.ts';

// Enables a loader that encode.ts disables, so that the test can read the result.
sharp.unblock({ operation: ['VipsForeignLoadWebpBuffer'] });

const HTML = Buffer.from('<html><script>alert(1)</script></html>');

function picture(width: number, height: number) {
  return sharp({ create: { width, height, channels: 3, background: { r: 200, g: 30, b: 30 } } });
}
const png = (width = 64, height = 48) => picture(width, height).png().toBuffer();
const jpeg = (width = 64, height = 48) => picture(width, height).jpeg().toBuffer();
const gif = () => picture(64, 48).gif().toBuffer();

/** Returns a GIF with two frames: red, then blue. */
async function animatedGif(): Promise<Buffer> {
  const frame = (r: number, b: number) =>
    sharp({ create: { width: 32, height: 32, channels: 3, background: { r, g: 0, b } } })
      .png()
      .toBuffer();
  return sharp([await frame(255, 0), await frame(0, 255)], { join: { animated: true } })
    .gif({ delay: [100, 100] })
    .toBuffer();
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return ~crc >>> 0;
}
function chunk(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const content = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
/** Returns a few kilobytes that declare and unpack to 30,000 × 30,000 pixels. */
function bomb(): Buffer {
  const size = 30_000;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([1, 0, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(size * (size / 8 + 1)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

describe('accepted file types: jpg, jpeg, png or gif, by their content', () => {
  it.each([
    ['jpg', jpeg],
    ['png', png],
    ['gif', gif],
  ])('%s is accepted and converted to webp', async (_name, make) => {
    const image = await encodeImage(await make(), 'avatar');
    expect(image).toMatchObject({ mediaType: 'image/webp', width: 256, height: 256 });
    expect((await sharp(image.bytes).metadata()).format).toBe('webp');
  });

  it.each<[string, () => Promise<Buffer> | Buffer, string]>([
    [
      'svg',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
      'upload.format',
    ],
    ['html', () => HTML, 'upload.format'],
    ['webp', () => picture(8, 8).webp().toBuffer(), 'upload.format'],
    ['tiff', () => picture(8, 8).tiff().toBuffer(), 'upload.format'],
    ['pdf', () => Buffer.from('%PDF-1.7'), 'upload.format'],
    ['nothing', () => Buffer.alloc(0), 'upload.format'],
    ['the beginning of a png', () => Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'upload.unreadable'],
    [
      'the beginning of a gif without the rest',
      () => Buffer.from('GIF89a=1;alert(1)//'),
      'upload.unreadable',
    ],
    ['a truncated jpeg', async () => (await jpeg(800, 600)).subarray(0, 900), 'upload.unreadable'],
    [
      'a truncated png',
      async () => {
        const noise = Buffer.from(Array.from({ length: 300 * 300 * 3 }, (_, i) => (i * 7919) % 251));
        const whole = await sharp(noise, { raw: { width: 300, height: 300, channels: 3 } })
          .png()
          .toBuffer();
        return whole.subarray(0, whole.length / 2);
      },
      'upload.unreadable',
    ],
    ['an image that unpacks to 900 million pixels', bomb, 'upload.unreadable'],
    [
      'a png that begins with the bytes of a jpeg',
      async () => Buffer.concat([Buffer.from('\xff\xd8\xff', 'latin1'), await png()]),
      'upload.unreadable',
    ],
  ])('%s is refused', async (_name, make, code) => {
    await expect(encodeImage(await make(), 'avatar')).rejects.toMatchObject({ code });
  });

  it.each<[ImageUse, number]>([
    ['avatar', 5],
    ['logo', 2],
  ])('%s of more than %i MB is refused before decoding', async (use, megabytes) => {
    const bytes = Buffer.concat([await png(), Buffer.alloc(megabytes * 1024 * 1024)]);
    await expect(encodeImage(bytes, use)).rejects.toMatchObject({
      code: 'upload.too_large',
      params: { megabytes },
    });
  });

  it('a decompression bomb is refused at once', async () => {
    const bytes = bomb();
    const begin = performance.now();
    await expect(encodeImage(bytes, 'logo')).rejects.toMatchObject({ code: 'upload.unreadable' });
    expect(performance.now() - begin).toBeLessThan(1_000);
  });
});

describe('sanitising uploaded images', () => {
  it.each<[string, () => Promise<Buffer>]>([
    ['an HTML page after a png', async () => Buffer.concat([await png(), HTML])],
    [
      'a script after a gif',
      async () => Buffer.concat([await gif(), Buffer.from('/*<script>alert(1)</script>')]),
    ],
    [
      'a script in the comment of a gif',
      async () => {
        const bytes = await gif();
        const text = Buffer.from('<script>alert(1)</script>');
        const comment = Buffer.concat([Buffer.from([0x21, 0xfe, text.length]), text, Buffer.from([0])]);
        const end = bytes.length - 1;
        return Buffer.concat([bytes.subarray(0, end), comment, bytes.subarray(end)]);
      },
    ],
    [
      'a script in the title of a jpeg',
      () =>
        picture(64, 48)
          .withExif({ IFD0: { ImageDescription: '<script>alert(1)</script>' } })
          .jpeg()
          .toBuffer(),
    ],
  ])('%s is removed', async (_name, make) => {
    const upload = await make();
    expect(upload.includes('<script>')).toBe(true);
    const { bytes } = await encodeImage(upload, 'avatar');
    expect(bytes.includes('<script>')).toBe(false);
    expect(bytes.includes('script')).toBe(false);
  });

  it('location and camera of a photo are removed', async () => {
    const upload = await picture(64, 48)
      .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitude: '31/1 7/1 0/1' } })
      .withIccProfile('p3')
      .jpeg()
      .toBuffer();
    const { bytes } = await encodeImage(upload, 'avatar');
    const { exif, icc, xmp, iptc } = await sharp(bytes).metadata();
    expect([exif, icc, xmp, iptc]).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('a rotated photo becomes upright', async () => {
    const half = await picture(300, 100).png().toBuffer();
    const upload = await sharp({ create: { width: 600, height: 100, channels: 3, background: 'blue' } })
      .composite([{ input: half, left: 0, top: 0 }])
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const { width, height } = await encodeImage(upload, 'logo');
    expect(height).toBeGreaterThan(width);
  });

  it('an animated gif becomes its first frame', async () => {
    const { bytes } = await encodeImage(await animatedGif(), 'avatar');
    const metadata = await sharp(bytes).metadata();
    expect(metadata.pages ?? 1).toBe(1);
    const { channels } = await sharp(bytes).stats();
    expect(channels[0]?.mean).toBeGreaterThan(200);
    expect(channels[2]?.mean).toBeLessThan(60);
  });
});

describe('sizes of encoded images', () => {
  it.each<[string, ImageUse, number, number, number, number]>([
    ['an avatar is cut to a square', 'avatar', 800, 300, 256, 256],
    ['a small avatar is enlarged', 'avatar', 20, 20, 256, 256],
    ['a wide logo fits its width', 'logo', 1280, 160, 640, 80],
    ['a tall logo fits its height', 'logo', 400, 1600, 40, 160],
    ['a small logo stays as it is', 'logo', 100, 40, 100, 40],
  ])('the image is fitted to its use: %s', async (_name, use, width, height, wantedWidth, wantedHeight) => {
    expect(await encodeImage(await png(width, height), use)).toMatchObject({
      width: wantedWidth,
      height: wantedHeight,
    });
  });

  it('the transparency of a logo is kept', async () => {
    const upload = await sharp({ create: { width: 40, height: 20, channels: 4, background: '#00000000' } })
      .png()
      .toBuffer();
    const { bytes } = await encodeImage(upload, 'logo');
    expect((await sharp(bytes).metadata()).hasAlpha).toBe(true);
  });
});

it.each([
  [Buffer.from('\xff\xd8\xff\xe0', 'latin1'), 'jpeg'],
  [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'png'],
  [Buffer.from('GIF87a'), 'gif'],
  [Buffer.from('GIF89a'), 'gif'],
  [Buffer.from('GIF90a'), null],
  [Buffer.from('BM'), null],
])('the type of %s is detected', (bytes, kind) => {
  expect(pictureKind(bytes)).toBe(kind);
});
