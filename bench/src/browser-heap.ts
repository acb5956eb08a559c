import type { BrowserContext, CDPSession, Page } from 'playwright-core';

/** How long a page has to read again after its clock went on, before it goes on again. */
const READS_WITHIN_MS = 5_000;
/** Parts of the measured time after which the heap is shown. */
const PARTS = 8;

/** Answers an address of the server with JSON. */
export async function answer(context: BrowserContext, pattern: string, data: () => unknown): Promise<void> {
  await context.route(pattern, (route) =>
    route.fulfill({
      contentType: 'application/json',
      body: JSON.stringify({ status: '1', message: '', data: data() }),
    }),
  );
}

/** Size of the JavaScript heap after a garbage collection, bytes. */
async function heapOf(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0;
}

/**
 * Opens a page that reads again after each `everyMs` of its clock, lets it run for some time of its own clock, and returns by which part its
 * JavaScript heap has grown since the end of the warm-up.
 *
 * @param reading `ready` waits until the page shows something; `limitMs` is the longest time that all this may take
 */
export async function heapGrowth(
  page: Page,
  url: string,
  reading: {
    ready(): Promise<void>;
    everyMs: number;
    warmUpMs: number;
    ms: number;
    limitMs: number;
    begin?: number;
  },
): Promise<number> {
  const { everyMs, warmUpMs, ms, limitMs, begin = Date.now() } = reading;
  const began = performance.now();
  await page.clock.install({ time: begin });
  // Counts the timers by which the page reads again: once one is set, what was read is shown.
  await page.addInitScript(`
    window.countedReadings = 0;
    const set = window.setTimeout;
    window.setTimeout = (act, ms, ...values) => {
      if (ms === ${everyMs}) window.countedReadings += 1;
      return set(act, ms, ...values);
    };
  `);
  await page.goto(url);
  await reading.ready();
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const readings = () => page.evaluate('countedReadings') as Promise<number>;
  // Each step makes the page read once, and waits until it shows what it has read.
  const run = async (time: number) => {
    const wanted = (await readings()) + time / everyMs;
    for (let count = await readings(); count < wanted; ) {
      if (performance.now() - began > limitMs) throw new Error(`only ${count} readings in time`);
      const before = count;
      await page.clock.fastForward(everyMs);
      const until = performance.now() + READS_WITHIN_MS;
      do count = await readings();
      while (count === before && performance.now() < until);
    }
  };
  await run(warmUpMs);
  const before = await heapOf(session);
  const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
  console.log(`  ${megabytes(before)} MB after the warm-up`);
  let after = before;
  for (let part = 1; part <= PARTS; part++) {
    await run(ms / PARTS);
    after = await heapOf(session);
    console.log(`  ${megabytes(after)} MB after ${Math.round((ms / PARTS / 3_600_000) * part)} h`);
  }
  return Math.round((after / before - 1) * 1_000) / 1_000;
}
