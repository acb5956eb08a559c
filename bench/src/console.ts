import { logInAs } from '@isotherm/e2e/console-page';
import { launchBrowser } from '@isotherm/testkit/browser';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { percentile } from './stage.ts';

/**
 * Measures response times, requests and sizes of the console in a browser: `npm run bench:console`. The
 * built server, its database, the simulated devices and the browser share the cores of this machine. Times
 * are measured by the browser's clock, from the click to the first frame with the page's content.
 */
const ACCOUNT = 'demo.manager';
const PASSWORD = 'Isotherm-2026';
const REPEATS = 3;
/** Idle time before the first click, in which the console prefetches the code of other pages. */
const LOOKS_FOR_MS = 8_000;
/** A page is completely loaded after this time without requests. */
const QUIET_MS = 1_000;
const BETWEEN_VISITS_MS = 300;
/** Number of slowest pages to print before the result. */
const SLOWEST_SHOWN = 8;

interface Traffic {
  requests: number;
  /** Transferred bytes, compressed and with headers. */
  bytes: number;
}

async function main(browser: Browser, demo: DemoServer) {
  const login = await loginTraffic(browser, demo.url);
  const { context, cold } = await coldConsole(browser, demo.url);
  const page = await context.newPage();
  await page.goto(`${demo.url}/monitor`);
  await page.locator('a.card').first().waitFor();
  await page.waitForTimeout(LOOKS_FOR_MS);
  const asset = await cardToChart(page);
  const addresses = await menuAddresses(page);
  const first: number[] = [];
  for (const address of addresses) first.push(await visit(page, address));
  const repeated: number[] = [];
  const slowest = new Map<string, number>();
  for (let round = 0; round < REPEATS; round++) {
    for (const address of addresses) {
      const ms = await visit(page, address);
      repeated.push(ms);
      slowest.set(address, Math.max(ms, slowest.get(address) ?? 0));
    }
  }
  const worst = [...slowest].toSorted((a, b) => b[1] - a[1]).slice(0, SLOWEST_SHOWN);
  for (const [address, ms] of worst) console.log(`${address}: up to ${Math.round(ms)} ms when repeated`);
  const heap = await heapOf(page);
  const sorted = (times: readonly number[]) => times.toSorted((a, b) => a - b);
  return {
    first_visit_p50_ms: Math.round(percentile(sorted(first), 0.5)),
    first_visit_p95_ms: Math.round(percentile(sorted(first), 0.95)),
    repeat_p95_ms: Math.round(percentile(sorted(repeated), 0.95)),
    card_to_chart_ms: Math.round(asset.ms),
    asset_requests: asset.requests,
    login_gzip_kb: Math.round(login.bytes / 1000),
    cold_kb: Math.round(cold.bytes / 1000),
    heap_mb_after_all_pages: Math.round(heap / 1e6),
    pages: addresses.length,
  };
}

/** Counts the traffic of a page until it is idle. */
async function watchTraffic(page: Page): Promise<() => Promise<Traffic>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const traffic: Traffic = { requests: 0, bytes: 0 };
  let last = performance.now();
  session.on('Network.requestWillBeSent', () => {
    traffic.requests++;
    last = performance.now();
  });
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    traffic.bytes += encodedDataLength;
    last = performance.now();
  });
  return async () => {
    while (performance.now() - last < QUIET_MS) await page.waitForTimeout(QUIET_MS / 4);
    await session.detach();
    return traffic;
  };
}

/** Enables Save-Data, with which the console prefetches nothing. */
async function saveData(context: BrowserContext): Promise<void> {
  await context.addInitScript(() =>
    Object.defineProperty(navigator, 'connection', { value: { saveData: true, effectiveType: '4g' } }),
  );
}

/** Measures the traffic of the login page with empty caches. */
async function loginTraffic(browser: Browser, url: string): Promise<Traffic> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const ended = await watchTraffic(page);
  await page.goto(`${url}/login`);
  await page.locator('input[type="password"]').waitFor();
  const traffic = await ended();
  await context.close();
  return traffic;
}

/**
 * Measures the traffic of the console's first page with empty caches and a session, as after following a
 * link.
 */
async function coldConsole(
  browser: Browser,
  url: string,
): Promise<{ context: BrowserContext; cold: Traffic }> {
  const signedIn = await browser.newContext();
  const page = await signedIn.newPage();
  await logInAs(page, url, ACCOUNT, PASSWORD);
  await page.locator('a.card').first().waitFor();
  const storageState = await signedIn.storageState();
  await signedIn.close();

  const fresh = await browser.newContext({ storageState });
  await saveData(fresh);
  const opened = await fresh.newPage();
  const ended = await watchTraffic(opened);
  await opened.goto(`${url}/monitor`);
  await opened.locator('a.card').first().waitFor();
  const cold = await ended();
  await fresh.close();
  return {
    context: await browser.newContext({ storageState, viewport: { width: 1440, height: 900 } }),
    cold,
  };
}

/**
 * Measures the time from the click on an asset card to its chart, and counts all requests until and after the
 * chart appears.
 */
async function cardToChart(page: Page): Promise<{ ms: number; requests: number }> {
  const ended = await watchTraffic(page);
  await click(page, 'a.card');
  const drawn = await page.waitForFunction(
    () =>
      [...document.querySelectorAll('.kept-page canvas')].some(
        (canvas) => canvas.getClientRects().length > 0,
      ) && performance.now(),
    undefined,
    { polling: 'raf' },
  );
  const ms = Number(await drawn.jsonValue()) - (await clickedAt(page));
  const { requests } = await ended();
  return { ms, requests };
}

/** Clicks within the page and records the time by the page's clock. */
function click(page: Page, selector: string): Promise<void> {
  return page.evaluate((wanted) => {
    performance.clearMarks('clicked');
    performance.mark('clicked');
    document.querySelector<HTMLAnchorElement>(wanted)?.click();
  }, selector);
}

function clickedAt(page: Page): Promise<number> {
  return page.evaluate(() => performance.getEntriesByName('clicked')[0]?.startTime ?? Number.NaN);
}

async function menuAddresses(page: Page): Promise<string[]> {
  const closed = page.locator('nav.menu button[aria-expanded="false"]');
  while ((await closed.count()) > 0) await closed.first().click();
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLAnchorElement>('nav.menu a[href^="/"]')].map((link) => link.pathname),
  );
}

/**
 * Measures the milliseconds from opening a menu address to the first frame with its heading and without
 * loading placeholders.
 */
async function visit(page: Page, address: string): Promise<number> {
  // Menu groups close when another one is opened, so the address is opened like a link.
  const left = await page.evaluateHandle(() =>
    [...document.querySelectorAll('.kept-page h1')].find((each) => each.getClientRects().length > 0),
  );
  await page.evaluate((to) => {
    performance.clearMarks('clicked');
    performance.mark('clicked');
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate', { state: null }));
  }, address);
  const shown = await page.waitForFunction(
    (heading) =>
      [...document.querySelectorAll('.kept-page')].some((frame) => {
        const own = frame.querySelector('h1');
        return (
          frame.getClientRects().length > 0 && own && own !== heading && !frame.querySelector('.skeleton')
        );
      }) && performance.now(),
    left,
    { polling: 'raf' },
  );
  const ms = Number(await shown.jsonValue()) - (await clickedAt(page));
  await page.waitForTimeout(BETWEEN_VISITS_MS);
  return ms;
}

async function heapOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

const demo = await startDemoServer({ LOG_LEVEL: 'warn' });
const browser = await launchBrowser();
try {
  await demo.startFleet({ historyDays: 1 });
  console.log(JSON.stringify(await main(browser, demo)));
} finally {
  await browser.close();
  await demo.stop();
}
