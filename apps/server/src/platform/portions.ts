import { setImmediate } from 'node:timers/promises';

/** Number of rows that are processed within a few milliseconds. */
const USUAL = 50;

/** Processes many items in portions and yields to the event loop between them. */
export async function inPortions<T>(
  items: readonly T[],
  work: (portion: readonly T[], done: number) => unknown,
  size = USUAL,
): Promise<void> {
  let done = 0;
  for await (const portion of portionsOf(items, size)) {
    done += portion.length;
    await work(portion, done);
  }
}

/** Yields items in portions, and yields to the event loop after each of them. */
export async function* portionsOf<T>(items: readonly T[], size = USUAL): AsyncGenerator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) {
    yield items.slice(at, at + size);
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
