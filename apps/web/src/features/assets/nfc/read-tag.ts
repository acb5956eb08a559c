/** The part of Web NFC (W3C Web NFC API) that is used here; no type library has it. */
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

/** Whether this browser reads tags: Chrome on Android does, over a secure connection. */
export function readsTags(): boolean {
  return readerClass() !== undefined;
}

/** UID of the next tag that is held to the phone; rejects when the reader is not allowed, or is called off. */
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
