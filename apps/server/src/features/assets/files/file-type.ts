import type { FILE_TYPES } from '@isotherm/contracts/asset-files';
import { pictureKind } from '../../../platform/images/encode.ts';

const PDF = '%PDF-';

/** What a file is by its first bytes, whatever it is called; null for anything that is no document here. */
export function fileTypeOf(bytes: Uint8Array): (typeof FILE_TYPES)[number] | null {
  if (Buffer.from(bytes.subarray(0, PDF.length)).toString('latin1') === PDF) return 'application/pdf';
  const picture = pictureKind(bytes);
  return picture && `image/${picture}`;
}
