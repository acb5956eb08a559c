const HEAD_BYTES = 4;
const MAX_FRAME_BYTES = 8_000_000;

/**
 * Yields the images of `readWebcamFrames`. Each image is preceded by its length in four bytes. Throws for an
 * impossible length.
 */
export async function* framesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Blob> {
  const reader = stream.getReader();
  let buffer = new Uint8Array(0);
  try {
    for (;;) {
      const length =
        buffer.length < HEAD_BYTES ? null : new DataView(buffer.buffer, buffer.byteOffset).getUint32(0);
      if (length !== null && length > MAX_FRAME_BYTES) throw new Error('not a picture');
      if (length !== null && buffer.length >= HEAD_BYTES + length) {
        yield new Blob([buffer.slice(HEAD_BYTES, HEAD_BYTES + length)], { type: 'image/jpeg' });
        buffer = buffer.subarray(HEAD_BYTES + length);
        continue;
      }
      const { value, done } = await reader.read();
      if (done) return;
      const joined = new Uint8Array(buffer.length + value.length);
      joined.set(buffer);
      joined.set(value, buffer.length);
      buffer = joined;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
