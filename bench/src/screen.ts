import { parseArgs } from 'node:util';
import type { AssetCard } from '@isotherm/contracts/assets';
import {
  MAX_SCREEN_ASSETS,
  newTile,
  SCREEN_COURSES,
  SCREEN_EVERY_MS,
  type ScreenView,
} from '@isotherm/contracts/screens';
import { launchBrowser } from '@isotherm/testkit/browser';
import { startDemoServer } from '@isotherm/testkit/demo-server';
import type { Browser } from 'playwright-core';
import { answer, heapGrowth } from './browser-heap.ts';

/**
 * Measures whether a smart screen can run unattended: `npm run bench:screen`. The console is the built one; what the public link
 * shows is answered by this program, so that it changes each time: alarms come and go, vehicles move, the camera has new pictures.
 *
 * - `screen_heap_growth`: growth of the JavaScript heap over the simulated days, after half a day of warm-up.
 */
const { values: options } = parseArgs({ options: { days: { type: 'string', default: '7' } } });
const DAYS = Number(options.days);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WARM_UP_MS = 12 * HOUR_MS;
/** The camera has a new picture each quarter of an hour. */
const PICTURE_ROUNDS = (15 * 60_000) / SCREEN_EVERY_MS;
/** Points of a course. */
const STEPS = 96;
const SIZE = { width: 1920, height: 1080 };
const LINK = '**/api/link/screen';
/** A WebP picture of one pixel. */
const PIXEL = Buffer.from('UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=', 'base64');

const PAGES: ScreenView['pages'] = [
  {
    tiles: [
      newTile({ kind: 'gravest', x: 0, y: 0, width: 6, height: 4 }),
      newTile({ kind: 'figures', x: 6, y: 0, width: 6, height: 1 }),
      newTile({ kind: 'attention', x: 6, y: 1, width: 6, height: 3 }),
      newTile({ kind: 'wall', x: 0, y: 4, width: 12, height: 4 }),
    ],
  },
  {
    tiles: [
      newTile({ kind: 'map', x: 0, y: 0, width: 8, height: 8 }),
      { ...newTile({ kind: 'camera', x: 8, y: 0, width: 4, height: 3 }), webcamId: 1 },
      newTile({ kind: 'announcements', x: 8, y: 3, width: 4, height: 3 }),
      newTile({ kind: 'clock', x: 8, y: 6, width: 4, height: 2 }),
    ],
  },
];

const moment = (ms: number) => new Date(ms).toISOString();

function cardOf(n: number, round: number, now: number): AssetCard {
  const isAlarm = (n + round) % 40 === 0;
  return {
    id: n + 1,
    kind: n % 2 === 0 ? 'vehicle' : 'cold-store',
    name: `Asset ${n + 1}`,
    code: `A-${n + 1}`,
    place: `Hall ${n % 9}`,
    organizationId: 1,
    organizationName: 'Bench Carriers',
    state: isAlarm
      ? {
          kind: 'alarm',
          alarmId: round * MAX_SCREEN_ASSETS + n,
          level: ((n % 5) + 1) as 1 | 2 | 3 | 4 | 5,
          alarmKind: 'high',
          indicator: 'temperature',
          since: moment(now - 600_000),
          limitValue: 8,
          recovering: false,
          acknowledgedBy: null,
        }
      : { kind: 'normal' },
    main: {
      channelId: n + 1,
      name: '',
      indicator: 'temperature',
      value: Math.round((5 + Math.sin((n + round) / 20) + (isAlarm ? 6 : 0)) * 10) / 10,
      measuredAt: moment(now - 30_000),
      low: 2,
      high: 8,
    },
    cause: null,
    silent: false,
    attention: isAlarm ? 1 : 0,
    battery: 80,
    lastSeenAt: moment(now - 30_000),
  };
}

function viewOf(round: number, now: number): ScreenView {
  const cards = Array.from({ length: MAX_SCREEN_ASSETS }, (_, n) => cardOf(n, round, now));
  cards.sort((a, b) => b.attention - a.attention);
  const alarm = cards.filter(({ attention }) => attention > 0).length;
  const pictures = Math.floor(round / PICTURE_ROUNDS);
  return {
    name: 'Control room',
    organizationName: 'Bench Carriers',
    pages: PAGES,
    pageSeconds: 10,
    dim: { from: 22 * 60, to: 6 * 60 },
    figures: { alarm, ended: 0, pending: 0, unknown: 0, normal: cards.length - alarm, unset: 0 },
    cards,
    total: cards.length,
    sparklines: cards.slice(0, SCREEN_COURSES).map(({ id }) => {
      const min = Array.from({ length: STEPS }, (_, step) => 4 + Math.sin((id + round + step) / 9));
      return {
        assetId: id,
        channelId: id,
        from: moment(now - DAY_MS),
        stepMs: DAY_MS / STEPS,
        min,
        max: min.map((each) => each + 1),
      };
    }),
    places: cards.map(({ id, state }) => ({
      id,
      latitude: 28 + ((id * 7919) % 6_000) / 1_000 + (round % 100) / 500,
      longitude: 117 + ((id * 104_729) % 6_000) / 1_000 + (round % 100) / 500,
      state,
    })),
    cameras: [
      {
        webcamId: 1,
        name: 'Loading bay',
        picture: { id: pictures + 1, takenAt: moment(now - (round % PICTURE_ROUNDS) * SCREEN_EVERY_MS) },
      },
    ],
    announcements: [0, 1, 2].map((n) => ({
      id: pictures + n + 1,
      title: `Announcement ${pictures + n}`,
      summary: 'What everybody has to know.',
      organizationName: 'Bench Carriers',
      publishedAt: moment(now - n * HOUR_MS),
    })),
    serverTime: moment(now),
  };
}

async function growth(browser: Browser, url: string): Promise<number> {
  const context = await browser.newContext({ viewport: SIZE });
  const begin = Date.now();
  let rounds = 0;
  let pictures = 0;
  await answer(context, LINK, () => {
    rounds += 1;
    return viewOf(rounds, begin + rounds * SCREEN_EVERY_MS);
  });
  await context.route(`${LINK}/picture`, (route) => {
    pictures += 1;
    return route.fulfill({ contentType: 'image/webp', body: PIXEL });
  });
  const page = await context.newPage();
  const share = await heapGrowth(page, `${url}/screen/kiosk#${'A'.repeat(22)}`, {
    ready: () => page.getByRole('heading', { name: /^Control room/ }).waitFor(),
    everyMs: SCREEN_EVERY_MS,
    warmUpMs: WARM_UP_MS,
    ms: DAYS * DAY_MS,
    limitMs: 2 * HOUR_MS,
    begin,
  });
  console.log(`  ${DAYS} days: ${rounds} answers, ${pictures} pictures`);
  if (pictures < rounds / PICTURE_ROUNDS / 2) throw new Error('the camera tile showed hardly any picture');
  await context.close();
  return share;
}

const demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
const browser = await launchBrowser();
try {
  console.log(JSON.stringify({ screen_heap_growth: await growth(browser, demo.url), days: DAYS }));
} finally {
  await browser.close();
  await demo.stop();
}
