const JPEG = [0xff, 0xd8, 0xff];
const HEAD_END = bytesOf('\r\n\r\n');
/** Largest size of a boundary with headers; a usual one is shorter. */
const MAX_HEAD_BYTES = 4096;

/**
 * Parses the images of a motion JPEG stream (multipart/x-mixed-replace, RFC 2046) in pieces of any size. A
 * part that is not JPEG or too large is discarded, and parsing continues with the next one.
 */
export class MjpegReader {
  readonly #delimiter: Uint8Array;
  readonly #maxFrameBytes: number;
  /**
   * Buffer with the unread bytes from `#from` to `#to`, followed by free space, so that appending a small
   * piece is cheap.
   */
  #buffer = new Uint8Array(0);
  #from = 0;
  #to = 0;
  /** Number of unread bytes that were already searched without a match. */
  #searched = 0;
  /** Length of the current part; null between parts, undefined if its headers contain no length. */
  #length: number | null | undefined = null;
  #skip = 0;

  constructor(boundary: string, maxFrameBytes: number) {
    this.#delimiter = bytesOf(`\r\n--${boundary.replace(/^--/, '')}`);
    this.#maxFrameBytes = maxFrameBytes;
  }

  /** Adds bytes and returns the images that are now complete. */
  push(chunk: Uint8Array): Uint8Array[] {
    this.#append(chunk);
    const frames: Uint8Array[] = [];
    while (this.#length === null ? this.#readHead() : this.#readPart(frames));
    return frames;
  }

  get #unread(): number {
    return this.#to - this.#from;
  }

  #append(chunk: Uint8Array): void {
    const skipped = Math.min(this.#skip, chunk.length);
    this.#skip -= skipped;
    const fresh = chunk.subarray(skipped);
    if (this.#to + fresh.length > this.#buffer.length) {
      const needed = this.#unread + fresh.length;
      const room = this.#buffer.length >= 2 * needed ? this.#buffer : new Uint8Array(2 * needed);
      room.set(this.#buffer.subarray(this.#from, this.#to));
      this.#buffer = room;
      this.#to -= this.#from;
      this.#from = 0;
    }
    this.#buffer.set(fresh, this.#to);
    this.#to += fresh.length;
  }

  /**
   * Returns the position of the bytes among the unread ones, or -1. A search without a match is stored, so
   * that it is not repeated.
   */
  #find(wanted: Uint8Array): number {
    const unread = this.#buffer.subarray(this.#from, this.#to);
    const at = indexOf(unread, wanted, this.#searched);
    // The buffer may end with the first bytes of the searched text, so its end is searched again when more
    // bytes arrive.
    if (at === -1) this.#searched = Math.max(this.#searched, unread.length - wanted.length + 1);
    return at;
  }

  #drop(bytes: number): void {
    this.#from += bytes;
    this.#searched = Math.max(0, this.#searched - bytes);
  }

  #readHead(): boolean {
    const end = this.#find(HEAD_END);
    if (end === -1) {
      const excess = this.#unread - MAX_HEAD_BYTES;
      if (excess > 0) this.#drop(excess);
      return false;
    }
    const at = this.#from + end;
    const head = textOf(this.#buffer.subarray(Math.max(this.#from, at - MAX_HEAD_BYTES), at));
    const [, digits] = /\bcontent-length:[ \t]*(\d{1,15})/i.exec(head) ?? [];
    this.#drop(end + HEAD_END.length);
    this.#searched = 0;
    this.#length = digits === undefined ? undefined : Number(digits);
    return true;
  }

  #readPart(frames: Uint8Array[]): boolean {
    const known = this.#length as number | undefined;
    const length = known ?? this.#find(this.#delimiter);
    if (length > this.#maxFrameBytes) return this.#throwAway(length);
    if (length === -1) {
      // The delimiter may arrive in two pieces, so as many bytes as it has are kept.
      const excess = this.#unread - this.#maxFrameBytes - this.#delimiter.length;
      if (excess > 0) this.#drop(this.#unread - this.#delimiter.length);
      return false;
    }
    if (this.#unread < length) return false;
    const frame = this.#buffer.slice(this.#from, this.#from + length);
    if (JPEG.every((byte, i) => frame[i] === byte)) frames.push(frame);
    this.#next(length);
    return true;
  }

  #throwAway(length: number): boolean {
    this.#skip = Math.max(0, length - this.#unread);
    this.#next(Math.min(length, this.#unread));
    return true;
  }

  #next(from: number): void {
    this.#drop(from);
    this.#searched = 0;
    this.#length = null;
  }
}

/** Returns the boundary in the `Content-Type` of motion JPEG; null for another type. */
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

function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  for (
    let at = bytes.indexOf(wanted[0] as number, from);
    at !== -1;
    at = bytes.indexOf(wanted[0] as number, at + 1)
  ) {
    let same = 1;
    while (same < wanted.length && bytes[at + same] === wanted[same]) same++;
    if (same === wanted.length) return at;
  }
  return -1;
}
