/** The used part of the W3C Web NFC API, for which there are no types. */
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

/** Whether this browser can read tags: Chrome on Android over a secure connection. */
export function readsTags(): boolean {
  return readerClass() !== undefined;
}

/** UID of the next scanned tag; rejects if access is denied, or on abort. */
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
