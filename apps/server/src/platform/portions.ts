import { setImmediate } from 'node:timers/promises';

/** So many rows of a spreadsheet are checked, or made, in a few milliseconds. */
const USUAL = 50;

/**
 * Goes through many in portions. Between two of them readings, pages and the socket get their turn: whatever there
 * is of it, the event loop is held by one portion only.
 */
export async function inPortions<T>(
  items: readonly T[],
  work: (portion: readonly T[], done: number) => unknown,
  size = USUAL,
): Promise<void> {
  for (let at = 0; at < items.length; at += size) {
    const portion = items.slice(at, at + size);
    await work(portion, at + portion.length);
    await setImmediate();
  }
}

/** The same for what becomes of each. */
export async function mapInPortions<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  size = USUAL,
): Promise<R[]> {
  const made: R[] = [];
  await inPortions(items, (portion) => made.push(...portion.map(map)), size);
  return made;
}
