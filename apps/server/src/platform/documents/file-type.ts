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

/** What a file is by its first bytes, whatever it is called; null for anything that is no document here. */
export function fileTypeOf(bytes: Uint8Array): FileType | null {
  if (Buffer.from(bytes.subarray(0, PDF.length)).toString('latin1') === PDF) return 'application/pdf';
  const picture = pictureKind(bytes);
  return picture && `image/${picture}`;
}

/** Stored bytes as they are sent: under the type that they were told by, and a name that ends in it. */
export function downloadOf(name: string, mediaType: FileType, bytes: Uint8Array): Download {
  return {
    fileName: `${name}.${EXTENSIONS[mediaType]}`,
    mediaType,
    body: (async function* () {
      yield bytes;
    })(),
  };
}
