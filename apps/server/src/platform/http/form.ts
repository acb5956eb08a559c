import { createHash } from 'node:crypto';
import { AppError } from '@isotherm/contracts/errors';
import type { UploadedFile } from '@isotherm/contracts/fields';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';

/** A multipart body. */
export interface Form {
  values: Record<string, string | UploadedFile>;
  /** The values with which the fields are signed. */
  signed: ReadonlyMap<string, string>;
}

export const NO_FORM: Form = { values: {}, signed: new Map() };

const MAX_FIELD_BYTES = 64 * 1024;
const MAX_FIELDS = 50;
const MAX_FORM_BYTES = 1024 * 1024;

/** Largest body of public routes. */
export const MAX_PUBLIC_BODY_BYTES = 16 * 1024;

/** Returns the file fields of a contract's body with their size limits (`fields.ts`, `file`). */
function fileLimits(body: z.ZodType): Map<string, number> {
  const shape = body instanceof z.ZodObject ? (body.shape as Record<string, z.ZodType>) : {};
  return new Map(
    Object.entries(shape).flatMap(([name, schema]) => {
      const field = schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
      const maxBytes = field.meta()?.maxBytes;
      return typeof maxBytes === 'number' ? [[name, maxBytes] as const] : [];
    }),
  );
}

/**
 * Reads a multipart body in bounded memory: only the files of the contract, each up to its limit. Throws
 * `request.malformed`, `request.too_large`, `upload.too_large`.
 */
export async function readForm(
  request: FastifyRequest,
  body: z.ZodType,
  /** Size limit for everything except the files. */
  maxBytes = MAX_FORM_BYTES,
): Promise<Form> {
  const limits = fileLimits(body);
  const largest = Math.max(0, ...limits.values());
  const announced = Number(request.headers['content-length'] ?? 0);
  const most = maxBytes + [...limits.values()].reduce((sum, bytes) => sum + bytes, 0);
  if (announced > most) throw tooLarge(largest);
  const values = new Map<string, string | UploadedFile>();
  const signed = new Map<string, string>();
  try {
    const parts = request.parts({
      limits: {
        fieldSize: Math.min(MAX_FIELD_BYTES, maxBytes),
        fields: MAX_FIELDS,
        files: limits.size,
        fileSize: largest || 1,
      },
    });
    for await (const part of parts) {
      if (part.type === 'field') {
        const text = String(part.value);
        values.set(part.fieldname, text);
        signed.set(part.fieldname, text);
        continue;
      }
      const limit = limits.get(part.fieldname);
      if (limit === undefined) throw new AppError('request.malformed');
      const bytes = await part.toBuffer();
      if (bytes.length > limit) throw tooLarge(limit);
      values.set(part.fieldname, { name: part.filename, mediaType: part.mimetype, bytes });
      // This does the same as `fileDigest` of the contracts, in native code.
      signed.set(part.fieldname, `sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause;
    if ((cause as { code?: string }).code === 'FST_REQ_FILE_TOO_LARGE') throw tooLarge(largest);
    throw new AppError('request.malformed', {}, { cause });
  }
  return { values: Object.fromEntries(values), signed };
}

function tooLarge(limit: number): AppError {
  return limit === 0
    ? new AppError('request.too_large')
    : new AppError('upload.too_large', { megabytes: limit / 1024 / 1024 });
}
