/** The part of the W3C Web NFC API that is used; TypeScript has no types for it. */
interface TagReader {
  scan(options: { signal: AbortSignal }): Promise<void>;
  addEventListener(
    type: 'reading',
    listener: (event: Event & { serialNumber: string }) => void,
    options: { once: boolean },
  ): void;
}

function readerClass(): (new () => TagReader) | undefined {
  return (globalThis as { NDEFReader?: new () => TagReader }).NDEFReader;
}

/** Returns whether this browser can read tags: Chrome on Android over a secure connection. */
export function readsTags(): boolean {
  return readerClass() !== undefined;
}

/** Resolves with the UID of the next scanned tag. Rejects if access is denied, or on abort. */
export async function readTag(signal: AbortSignal): Promise<string> {
  const Reader = readerClass();
  if (!Reader) throw new Error('this browser reads no tags');
  const reader = new Reader();
  const read = new Promise<string>((resolve, reject) => {
    reader.addEventListener('reading', ({ serialNumber }) => resolve(serialNumber), { once: true });
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  await reader.scan({ signal });
  return read;
}
