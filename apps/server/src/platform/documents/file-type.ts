import type { FILE_TYPES } from '@isotherm/contracts/asset-files';
import type { AttachmentType } from '@isotherm/contracts/attachments';
import type { Download } from '@isotherm/contracts/route';
import { unzipSync } from 'fflate';
import { pictureKind } from '../images/encode.ts';

type FileType = (typeof FILE_TYPES)[number];

const PDF = '%PDF-';
const ZIP = 'PK\u0003\u0004';
/** Endings of the names of files by type; the first one is given to downloads. */
const ENDINGS: Record<AttachmentType, readonly [string, ...string[]]> = {
  'application/pdf': ['pdf'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/png': ['png'],
  'image/gif': ['gif'],
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': ['xlsx'],
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': ['docx'],
};
/** The part that each office format has. */
const OFFICE_PARTS: readonly (readonly [part: string, type: AttachmentType])[] = [
  ['xl/workbook.xml', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['word/document.xml', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
];
/** Macros and embedded programs. */
const PROGRAM = /vbaproject|activex|\.(?:bin|exe|dll|js|vbs)$/i;

const headOf = (bytes: Uint8Array, length: number) =>
  Buffer.from(bytes.subarray(0, length)).toString('latin1');

/** Returns the type of a file by its first bytes, whatever its name; null if the type is not supported. */
export function fileTypeOf(bytes: Uint8Array): FileType | null {
  if (headOf(bytes, PDF.length) === PDF) return 'application/pdf';
  const picture = pictureKind(bytes);
  return picture && `image/${picture}`;
}

/** Returns the type of a spreadsheet or text document by its parts; null if it is none, or contains programs. */
function officeTypeOf(bytes: Uint8Array): AttachmentType | null {
  if (headOf(bytes, ZIP.length) !== ZIP) return null;
  const parts = new Set<string>();
  try {
    // Only the directory of the archive is read.
    unzipSync(bytes, {
      filter({ name }) {
        parts.add(name);
        return false;
      },
    });
  } catch {
    return null;
  }
  if (!parts.has('[Content_Types].xml') || [...parts].some((part) => PROGRAM.test(part))) return null;
  return OFFICE_PARTS.find(([part]) => parts.has(part))?.[1] ?? null;
}

/**
 * Returns the type of a file, including spreadsheets and text documents without macros, if the ending of its name says the same
 * as its content; otherwise null.
 */
export function namedFileType(bytes: Uint8Array, name: string): AttachmentType | null {
  const type = fileTypeOf(bytes) ?? officeTypeOf(bytes);
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return type && ENDINGS[type].includes(ending) ? type : null;
}

/** Returns stored bytes as a download: with their detected type and a matching name. */
export function downloadOf(name: string, mediaType: AttachmentType, bytes: Uint8Array): Download {
  return {
    fileName: `${name}.${ENDINGS[mediaType][0]}`,
    mediaType,
    body: (async function* () {
      yield bytes;
    })(),
  };
}
