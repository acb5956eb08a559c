import { CARS_EVERY_MS, type Trail } from '@isotherm/contracts/car-screens';
import { MAX_WHOLE_TRACK, type MapMark } from '@isotherm/contracts/maps';
import { logInAs } from '@isotherm/e2e/console-page';
import { launchBrowser } from '@isotherm/testkit/browser';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { answer, heapGrowth } from './browser-heap.ts';

/**
 * Measures the maps in a browser with software rendering: `npm run bench:map-browser`. The console is the built one; the marks,
 * the track and the vehicles of the full screen are answered by this program, so that their number is known.
 *
 * - `marker_fps`: frames a second while a map with 10,000 moving marks is panned; `replay_fps`: while a track of 43,000
 *   positions is played.
 * - `frame_ms`: time of the console's own scripts, layout and styles in each frame, the higher of both.
 * - `heap_growth`: growth of the JavaScript heap of a full screen over a simulated day, after an hour of warm-up. With
 *   `-- heap`, only this is measured. It ends with an error if that takes longer than an hour.
 */
const ACCOUNT = 'demo.manager';
const PASSWORD = 'Isotherm-2026';
const MARKS = 10_000;
const POINTS = 43_000;
const CARS = 200;
const TRAIL_POINTS = 240;
const MEASURED_MS = 10_000;
const MIN_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const SIZE = { width: 1440, height: 900 };

const ALARM: MapMark['state'] = {
  kind: 'alarm',
  alarmId: 1,
  level: 3,
  alarmKind: 'high',
  indicator: 'temperature',
  since: new Date().toISOString(),
  limitValue: 8,
  recovering: false,
  acknowledgedBy: null,
};

/** A mark near Shanghai, which moves with each answer, and so does its temperature. */
function markOf(n: number, round: number, now = Date.now()): MapMark {
  const measuredAt = new Date(now).toISOString();
  return {
    id: n + 1,
    kind: 'vehicle',
    name: `Truck ${n + 1}`,
    place: '',
    organizationName: 'Bench Carriers',
    state: n % 200 === 0 ? ALARM : { kind: 'normal' },
    main: {
      channelId: n + 1,
      name: 'Temperature',
      indicator: 'temperature',
      value: ((n + round) % 60) / 10 + 2,
      measuredAt,
      low: 2,
      high: 8,
    },
    at: {
      latitude: 28 + ((n * 7919) % 6_000) / 1_000 + round / 500,
      longitude: 117 + ((n * 104_729) % 6_000) / 1_000 + round / 500,
      speedKmh: 60,
      headingDeg: (n * 37) % 360,
      measuredAt,
    },
  };
}

/** A trail of some hours with a gap. */
function trailUntil(round: number, now: number): Trail {
  const steps = Array.from({ length: TRAIL_POINTS }, (_, n) => n);
  return {
    at: steps.map((n) => now - (TRAIL_POINTS - n) * MIN_MS),
    latitude: steps.map((n) => 31 + (n + (round % 100)) / 500),
    longitude: steps.map((n) => 120 + 0.05 * Math.sin((n + round) / 20)),
    lineEnds: [TRAIL_POINTS / 2 - 1, TRAIL_POINTS - 1],
  };
}

/** Counts the frames of a page. A text, since functions that are compiled for Node need its helpers. */
const COUNT_FRAMES = `
  window.countedFrames = 0;
  requestAnimationFrame(function count() {
    window.countedFrames += 1;
    requestAnimationFrame(count);
  });
`;

/** Frames a second, and the console's own time in each, while `act` runs. */
async function framesWhile(page: Page, act: () => Promise<void>) {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await page.evaluate(COUNT_FRAMES);
  const busyBefore = await busySeconds(session);
  const began = performance.now();
  await act();
  const seconds = (performance.now() - began) / 1_000;
  const busy = (await busySeconds(session)) - busyBefore;
  const frames = (await page.evaluate('countedFrames')) as number;
  await session.detach();
  return { fps: round1(frames / seconds), frameMs: round1((busy * 1_000) / frames) };
}

const round1 = (value: number) => Math.round(value * 10) / 10;

/** Time of the main thread in scripts, layout and styles, seconds. */
async function busySeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics
    .filter(({ name }) => ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'].includes(name))
    .reduce((total, { value }) => total + value, 0);
}

async function panMarkers(context: BrowserContext, url: string) {
  let rounds = 0;
  await answer(context, '**/api/map/mark*', () => {
    rounds += 1;
    return {
      marks: Array.from({ length: MARKS }, (_, n) => markOf(n, rounds)),
      clusters: [],
      inView: MARKS,
      positioned: MARKS,
      unpositioned: 0,
      extent: [117, 28, 123, 34],
      serverTime: new Date().toISOString(),
    };
  });
  const page = await context.newPage();
  await page.goto(`${url}/map/monitor?tab=all`);
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  await page.locator('.maps-row').first().waitFor();
  await page.waitForTimeout(3_000);
  const box = await page.locator('.maplibregl-canvas').boundingBox();
  if (!box) throw new Error('no map');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const result = await framesWhile(page, async () => {
    await page.mouse.move(x, y);
    await page.mouse.down();
    const until = performance.now() + MEASURED_MS;
    for (let step = 0; performance.now() < until; step++) {
      await page.mouse.move(x + 200 * Math.sin(step / 20), y + 150 * Math.cos(step / 20));
      await page.waitForTimeout(10);
    }
    await page.mouse.up();
  });
  await page.close();
  return result;
}

async function playTrack(context: BrowserContext, url: string) {
  const to = Math.floor(Date.now() / MIN_MS) * MIN_MS;
  const steps = Array.from({ length: POINTS }, (_, n) => n);
  await answer(context, '**/api/map/track/*', () => ({
    assetId: 1,
    name: 'Truck 1',
    at: steps.map((n) => to - (POINTS - n) * MIN_MS),
    latitude: steps.map((n) => 31 + n / 9_000 + 0.2 * Math.sin(n / 40)),
    longitude: steps.map((n) => 121 - n / 8_000 + 0.1 * Math.cos(n / 25)),
    speedKmh: steps.map(() => 60),
    place: steps,
    lineEnds: [POINTS - 1],
    stops: [],
    distanceM: 1_000_000,
    faulty: 0,
    toleranceM: 0,
    alarms: [],
    fenceEvents: [],
  }));
  const page = await context.newPage();
  const from = new Date(to - POINTS * MIN_MS).toISOString();
  await page.goto(`${url}/map/replay?assets=1&from=${from}&to=${new Date(to).toISOString()}`);
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  await page.getByRole('button', { name: '300', exact: true }).click();
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await page.waitForTimeout(2_000);
  const result = await framesWhile(page, () => page.waitForTimeout(MEASURED_MS));
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  await page.close();
  return result;
}

/** Lets a full screen run for a day of its own clock. */
async function growthOverDay(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: SIZE });
  const began = Date.now();
  let rounds = 0;
  await answer(context, '**/api/link/cars', () => {
    rounds += 1;
    return {
      name: 'Dispatch',
      intervalS: 15,
      cars: Array.from({ length: CARS }, (_, n) => markOf(n, rounds % 100, began + rounds * CARS_EVERY_MS)),
      serverTime: new Date().toISOString(),
    };
  });
  await answer(context, '**/api/link/cars/trail', () => trailUntil(rounds, began + rounds * CARS_EVERY_MS));
  const page = await context.newPage();
  const growth = await heapGrowth(page, `${url}/map/carmonitor/fullscreen#${'A'.repeat(22)}`, {
    ready: () => page.getByRole('heading', { name: 'Dispatch', exact: true }).waitFor(),
    everyMs: CARS_EVERY_MS,
    warmUpMs: HOUR_MS,
    ms: DAY_MS,
    limitMs: HOUR_MS,
  });
  await context.close();
  return growth;
}

async function main(browser: Browser, demo: DemoServer): Promise<Record<string, number>> {
  if (process.argv.includes('heap')) return { heap_growth: await growthOverDay(browser, demo.url) };
  if (POINTS <= MAX_WHOLE_TRACK) throw new Error('the track is sent whole by the server anyway');
  const context = await browser.newContext({ viewport: SIZE });
  const page = await context.newPage();
  await logInAs(page, demo.url, ACCOUNT, PASSWORD);
  await page.close();
  const markers = await panMarkers(context, demo.url);
  console.log(
    `  ${MARKS} moving marks, panned: ${markers.fps} frames/s, ${markers.frameMs} ms of the console in each`,
  );
  const replay = await playTrack(context, demo.url);
  console.log(
    `  replay of ${POINTS} positions: ${replay.fps} frames/s, ${replay.frameMs} ms of the console in each`,
  );
  await context.close();
  const growth = await growthOverDay(browser, demo.url);
  return {
    marker_fps: markers.fps,
    replay_fps: replay.fps,
    frame_ms: Math.max(markers.frameMs, replay.frameMs),
    heap_growth: growth,
  };
}

const demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
const browser = await launchBrowser();
try {
  console.log(JSON.stringify(await main(browser, demo)));
} finally {
  await browser.close();
  await demo.stop();
}
