import type { FILE_TYPES } from '@isotherm/contracts/asset-files';
import type { Download } from '@isotherm/contracts/route';
import { pictureKind } from '../images/encode.ts';

type FileType = (typeof FILE_TYPES)[number];

const PDF = '%PDF-';
const EXTENSIONS: Record<FileType, string> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
};

/** Returns the type of a file by its first bytes, whatever its name; null if the type is not supported. */
export function fileTypeOf(bytes: Uint8Array): FileType | null {
  if (Buffer.from(bytes.subarray(0, PDF.length)).toString('latin1') === PDF) return 'application/pdf';
  const picture = pictureKind(bytes);
  return picture && `image/${picture}`;
}

/** Returns stored bytes as a download: with their detected type and a matching name. */
export function downloadOf(name: string, mediaType: FileType, bytes: Uint8Array): Download {
  return {
    fileName: `${name}.${EXTENSIONS[mediaType]}`,
    mediaType,
    body: (async function* () {
      yield bytes;
    })(),
  };
}
