import { Readable } from 'node:stream';
import { AppError } from '@isotherm/contracts/errors';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { DeviceFirmware, FirmwareFile } from '../features/devices/index.ts';

/** Number of bytes sent at a time. */
const SLICE_BYTES = 256 * 1024;
/** Maximum size of a chunk. */
export const MOST_CHUNK_BYTES = 1024 * 1024;
const PARTIAL_CONTENT = 206;
const RANGE_NOT_SATISFIABLE = 416;

const chunkSize = z.coerce.number().int().min(1).max(MOST_CHUNK_BYTES);
const chunkNumber = z.coerce.number().int().min(0).max(1_000_000);
const asked = z.object({
  title: z.string().optional(),
  version: z.string().optional(),
  /** Chunk size; 0 means the whole file. */
  size: z.union([z.literal('0').transform(() => 0), chunkSize]).default(0),
  chunk: chunkNumber.optional(),
});

interface Span {
  from: number;
  /** End of the range, exclusive. */
  to: number;
}

/**
 * Handles `GET …/firmware?title=&version=` of the ThingsBoard device API: sends the whole file, one chunk of
 * it by `size` and `chunk`, or a `Range` to resume a download.
 */
export async function sendFirmware(
  request: FastifyRequest,
  reply: FastifyReply,
  firmware: DeviceFirmware,
  deviceId: number,
): Promise<FastifyReply> {
  const query = asked.safeParse(request.query);
  if (!query.success) throw new AppError('request.malformed');
  const { title = null, version = null, size, chunk = 0 } = query.data;
  const file = await firmware.file(deviceId, title, version);
  if (!file) throw new AppError('firmware.not_found');
  reply.header('content-type', 'application/octet-stream').header('accept-ranges', 'bytes');
  if (size > 0) return reply.send(await file.read(size * chunk, size));
  const span = spanOf(request.headers.range, file.size);
  if (span === null)
    return reply.code(RANGE_NOT_SATISFIABLE).header('content-range', `bytes */${file.size}`).send('');
  if (request.headers.range !== undefined && (span.from > 0 || span.to < file.size))
    reply.code(PARTIAL_CONTENT).header('content-range', `bytes ${span.from}-${span.to - 1}/${file.size}`);
  reply.header('content-length', span.to - span.from);
  return reply.send(Readable.from(slicesOf(file, span), { objectMode: false }));
}

async function* slicesOf(file: FirmwareFile, { from, to }: Span): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += SLICE_BYTES) yield await file.read(at, Math.min(SLICE_BYTES, to - at));
}

/**
 * Returns the span of a single `Range` (RFC 9110, 14.2); the whole file if the range cannot be parsed, null
 * if it is beyond the end.
 */
export function spanOf(range: string | undefined, size: number): Span | null {
  const found = /^bytes=(\d{0,12})-(\d{0,12})$/.exec(range ?? '');
  const [, first = '', last = ''] = found ?? [];
  if (!found || (first === '' && last === '')) return { from: 0, to: size };
  if (first === '') return Number(last) === 0 ? null : { from: Math.max(0, size - Number(last)), to: size };
  const from = Number(first);
  const to = last === '' ? size : Math.min(size, Number(last) + 1);
  return from < size && from < to ? { from, to } : null;
}

/**
 * Returns a chunk of the firmware that was offered; null if there is none. The payload of a request is the
 * chunk size; an empty one means the largest size, which most files do not exceed. Beyond the end the chunk
 * is empty.
 */
export async function readChunk(
  firmware: DeviceFirmware,
  deviceId: number,
  chunk: number,
  payload: Buffer,
): Promise<Buffer | null> {
  const size = chunkSize.safeParse(payload.length === 0 ? MOST_CHUNK_BYTES : payload.toString('utf8', 0, 16));
  const file = size.success ? await firmware.file(deviceId, null, null) : null;
  return file && size.success ? file.read(size.data * chunk, size.data) : null;
}
