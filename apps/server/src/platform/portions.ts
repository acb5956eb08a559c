import { setImmediate } from 'node:timers/promises';

/** Number of rows that are processed within a few milliseconds. */
const USUAL = 50;

/** Processes many items in portions and yields to the event loop between them. */
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

/** Like `inPortions`, with a result for each item. */
export async function mapInPortions<T, R>(
  items: readonly T[],
  map: (item: T) => R,
  size = USUAL,
): Promise<R[]> {
  const made: R[] = [];
  await inPortions(items, (portion) => made.push(...portion.map(map)), size);
  return made;
}
