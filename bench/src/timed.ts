/** Duration of the work in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** The best of three is the duration of the work; the others include other load. */
export async function bestOfThree(work: () => Promise<unknown>): Promise<number> {
  return Math.min(await timed(work), await timed(work), await timed(work));
}
