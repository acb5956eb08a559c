import type { BrowserContext, CDPSession, Page } from 'playwright-core';

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
 * Lets a page that reads an address at regular intervals run for some time of its own clock, and returns by which part its
 * JavaScript heap has grown since the end of the warm-up. `page.clock` must be installed.
 */
export async function heapGrowth(
  page: Page,
  { pattern, everyMs, warmUpMs, ms }: { pattern: string; everyMs: number; warmUpMs: number; ms: number },
): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  // Each step makes the page read once, and waits until it has.
  const run = async (time: number) => {
    for (let passed = 0; passed < time; passed += everyMs) {
      const answered = page.waitForResponse(pattern);
      await page.clock.fastForward(everyMs);
      await answered;
    }
  };
  await run(warmUpMs);
  const before = await heapOf(session);
  await run(ms);
  const after = await heapOf(session);
  const megabytes = (bytes: number) => Math.round(bytes / 1e5) / 10;
  console.log(`  ${megabytes(before)} MB after the warm-up, ${megabytes(after)} MB at the end`);
  return Math.round((after / before - 1) * 1_000) / 1_000;
}
