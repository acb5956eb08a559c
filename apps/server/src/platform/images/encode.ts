import { AppError } from '@isotherm/contracts/errors';
import {
  AVATAR_MAX_BYTES,
  FLOOR_PLAN_MAX_BYTES,
  HANDOVER_PHOTO_MAX_BYTES,
  LOGO_MAX_BYTES,
  SNAPSHOT_MAX_BYTES,
} from '@isotherm/contracts/fields';
import sharp from 'sharp';

/** The uses of an image, which decide its limits (requirements §5) and its size. */
export const IMAGE_USES = {
  avatar: { maxBytes: AVATAR_MAX_BYTES, width: 256, height: 256, fit: 'cover' },
  logo: { maxBytes: LOGO_MAX_BYTES, width: 640, height: 160, fit: 'inside' },
  /** As PNG, because PDF files cannot contain WebP. */
  'print-logo': { maxBytes: LOGO_MAX_BYTES, width: 640, height: 240, fit: 'inside' },
  snapshot: { maxBytes: SNAPSHOT_MAX_BYTES, width: 1280, height: 960, fit: 'inside' },
  handover: { maxBytes: HANDOVER_PHOTO_MAX_BYTES, width: 1600, height: 1600, fit: 'inside' },
  'floor-plan': { maxBytes: FLOOR_PLAN_MAX_BYTES, width: 4096, height: 4096, fit: 'inside' },
} as const;
export type ImageUse = keyof typeof IMAGE_USES;

/** Type of the encoded image of a use. */
export type MediaTypeOf<Use extends ImageUse> = Use extends 'print-logo' ? 'image/png' : 'image/webp';

export interface EncodedImage<Use extends ImageUse = ImageUse> {
  bytes: Buffer;
  mediaType: MediaTypeOf<Use>;
  width: number;
  height: number;
}

/** Maximum number of pixels: photos have up to 50 million; larger images are refused. */
const MAX_PIXELS = 60_000_000;
const ENCODE_WITHIN_S = 20;
const QUALITY = 86;
const MEGABYTE = 1024 * 1024;

// Only one thread is used, because two cores are shared with ingest. Unused loaders are disabled, so that
// they cannot be attacked.
sharp.concurrency(1);
sharp.cache(false);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadJpegBuffer', 'VipsForeignLoadPngBuffer', 'VipsForeignLoadNsgifBuffer'],
});

/** Returns the type of an image by its first bytes, whatever its name; null for any other type. */
export function pictureKind(bytes: Uint8Array): 'jpeg' | 'png' | 'gif' | null {
  const head = Buffer.from(bytes.subarray(0, 8)).toString('latin1');
  if (head.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (head === '\x89PNG\r\n\x1a\n') return 'png';
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif';
  return null;
}

/**
 * Encodes the image again: upright, cropped or fitted for its use, only the first frame of an animation,
 * without metadata or any other content of the file. Uploaded bytes are never served.
 *
 * @throws {AppError} `upload.too_large`, `upload.format`, `upload.unreadable`
 */
export async function encodeImage<Use extends ImageUse>(
  bytes: Uint8Array,
  use: Use,
): Promise<EncodedImage<Use>> {
  const { maxBytes, width, height, fit } = IMAGE_USES[use];
  if (bytes.length > maxBytes) throw new AppError('upload.too_large', { megabytes: maxBytes / MEGABYTE });
  const kind = pictureKind(bytes);
  if (!kind) throw new AppError('upload.format');
  try {
    const isPng = use === 'print-logo';
    const fitted = sharp(bytes, {
      limitInputPixels: MAX_PIXELS,
      failOn: 'truncated',
      sequentialRead: true,
    })
      .timeout({ seconds: ENCODE_WITHIN_S })
      .autoOrient()
      .resize({ width, height, fit, withoutEnlargement: fit === 'inside' });
    const { data, info } = await (isPng ? fitted.png() : fitted.webp({ quality: QUALITY })).toBuffer({
      resolveWithObject: true,
    });
    const mediaType = (isPng ? 'image/png' : 'image/webp') as MediaTypeOf<Use>;
    return { bytes: data, mediaType, width: info.width, height: info.height };
  } catch (cause) {
    throw new AppError('upload.unreadable', {}, { cause });
  }
}
