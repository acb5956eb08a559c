import { inflateSync } from 'node:zlib';

/** Finds the gap of a slider puzzle by its pixels, as an attacking program would. */
export function findGap(dataUrl: string): number {
  const png = Buffer.from(dataUrl.split(',')[1] as string, 'base64');
  const width = png.readUInt32BE(16);
  const height = png.readUInt32BE(20);
  const start = png.indexOf('IDAT') + 4;
  const pixels = inflateSync(png.subarray(start, start + png.readUInt32BE(start - 8)));
  for (let x = 0; x < width; x++) {
    let run = 0;
    for (let y = 0; y < height; y++) {
      const offset = y * (width * 4 + 1) + 1 + x * 4;
      const red = pixels[offset] as number;
      if (red > 155 && red < 180) run++;
    }
    if (run > 30) return x;
  }
  return -1;
}
