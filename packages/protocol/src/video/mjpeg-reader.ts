const JPEG = [0xff, 0xd8, 0xff];
const HEAD_END = bytesOf('\r\n\r\n');
/** A boundary and a few headers; what is longer is none. */
const MAX_HEAD_BYTES = 4096;

/**
 * Reads the pictures of a motion JPEG body (multipart/x-mixed-replace, RFC 2046), in whatever pieces it arrives. A part
 * that is no JPEG or larger than allowed is thrown away, and reading goes on with the next.
 */
export class MjpegReader {
  readonly #delimiter: Uint8Array;
  readonly #maxFrameBytes: number;
  #buffer = new Uint8Array(0);
  /** Bytes of the part that is read; null between parts, undefined where its head does not say. */
  #length: number | null | undefined = null;
  #skip = 0;

  constructor(boundary: string, maxFrameBytes: number) {
    this.#delimiter = bytesOf(`\r\n--${boundary.replace(/^--/, '')}`);
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** The pictures that are whole with these bytes. */
  push(chunk: Uint8Array): Uint8Array[] {
    this.#append(chunk);
    const frames: Uint8Array[] = [];
    while (this.#length === null ? this.#readHead() : this.#readPart(frames));
    return frames;
  }

  #append(chunk: Uint8Array): void {
    const skipped = Math.min(this.#skip, chunk.length);
    this.#skip -= skipped;
    const fresh = chunk.subarray(skipped);
    const joined = new Uint8Array(this.#buffer.length + fresh.length);
    joined.set(this.#buffer);
    joined.set(fresh, this.#buffer.length);
    this.#buffer = joined;
  }

  #readHead(): boolean {
    const end = indexOf(this.#buffer, HEAD_END);
    if (end === -1) {
      const excess = this.#buffer.length - MAX_HEAD_BYTES;
      if (excess > 0) this.#buffer = this.#buffer.subarray(excess);
      return false;
    }
    const head = textOf(this.#buffer.subarray(Math.max(0, end - MAX_HEAD_BYTES), end));
    this.#buffer = this.#buffer.subarray(end + HEAD_END.length);
    const [, digits] = /\bcontent-length:[ \t]*(\d{1,15})/i.exec(head) ?? [];
    this.#length = digits === undefined ? undefined : Number(digits);
    return true;
  }

  #readPart(frames: Uint8Array[]): boolean {
    const known = this.#length as number | undefined;
    const length = known ?? indexOf(this.#buffer, this.#delimiter);
    if (length > this.#maxFrameBytes) return this.#throwAway(length);
    if (length === -1) {
      // Its end may still be cut in two: as much as may be of it is kept.
      const excess = this.#buffer.length - this.#maxFrameBytes - this.#delimiter.length;
      if (excess > 0) this.#buffer = this.#buffer.subarray(this.#buffer.length - this.#delimiter.length);
      return false;
    }
    if (this.#buffer.length < length) return false;
    const frame = this.#buffer.slice(0, length);
    if (JPEG.every((byte, i) => frame[i] === byte)) frames.push(frame);
    this.#next(length);
    return true;
  }

  #throwAway(length: number): boolean {
    this.#skip = Math.max(0, length - this.#buffer.length);
    this.#next(Math.min(length, this.#buffer.length));
    return true;
  }

  #next(from: number): void {
    this.#buffer = this.#buffer.subarray(from);
    this.#length = null;
  }
}

/** The boundary that a `Content-Type` of motion JPEG names; null for another type. */
export function mjpegBoundary(contentType: string): string | null {
  const [, rest] = /^multipart\/x-mixed-replace\s*;(.*)$/is.exec(contentType.trim()) ?? [];
  const [, quoted, bare] = /\bboundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(rest ?? '') ?? [];
  return quoted ?? bare ?? null;
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

function textOf(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  for (
    let at = bytes.indexOf(wanted[0] as number);
    at !== -1;
    at = bytes.indexOf(wanted[0] as number, at + 1)
  )
    if (wanted.every((byte, i) => bytes[at + i] === byte)) return at;
  return -1;
}
