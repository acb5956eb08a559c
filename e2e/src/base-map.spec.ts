import { createCarScreen } from '@isotherm/contracts/car-screens';
import { provisionDevices } from '@isotherm/contracts/devices';
import { createGeofence, listFenceOutlines } from '@isotherm/contracts/geofences';
import { distanceM, toGcj02 } from '@isotherm/domain/geo/geo';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { loadedItem } from './loaded-device.ts';
import { queryDatabase } from './stored.ts';
import { LETTER_FILE, type StyleMode, type StyleServer, startStyleServer } from './style-server.ts';

/** A configured base map in GCJ-02, with labels, in a real browser. */
let demo: DemoServer;
let browser: ConsoleBrowser;
let maps: StyleServer;
/** A public page with a map, for which nobody logs in. */
let screen: string;
let organizationId: number;
const PASSWORD = 'Isotherm-2026';
const NUMBER = '76000101';
const DEPOT = { latitude: 31.2304, longitude: 121.4737 };
const REPLACED = 'The configured map could not be loaded.';

beforeAll(async () => {
  maps = await startStyleServer(toGcj02(DEPOT));
  demo = await startDemoServer({
    LOG_LEVEL: 'warn',
    ISOTHERM_ENVIRONMENT: 'development',
    ISOTHERM_MAP_STYLE_URL: maps.styleUrl,
    ISOTHERM_MAP_ORIGINS: maps.tileOrigin,
    ISOTHERM_MAP_DATUM: 'gcj02',
  });
  browser = await startConsoleBrowser();
  const client = await logIn(demo.url, 'demo.manager', PASSWORD);
  await client.call(provisionDevices, { body: { items: [loadedItem(NUMBER)] } });
  const [asset] = await queryDatabase<{ organization: number }>(
    demo.databaseUrl,
    `update asset set kind = 'vehicle', latitude = ${DEPOT.latitude}, longitude = ${DEPOT.longitude}
      where id = (select asset_id from device where number = $1) returning organization_id::float8 as organization`,
    [NUMBER],
  );
  organizationId = asset?.organization as number;
  const { token } = await client.call(createCarScreen, { body: { name: 'Dispatch' } });
  screen = `${demo.url}/map/carmonitor/fullscreen#${token}`;
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await maps?.stop();
});

/** The middle of all red pixels of a picture, as shares of its size; null without any. */
async function redIn(frame: Locator): Promise<{ x: number; y: number } | null> {
  const picture = (await frame.screenshot()).toString('base64');
  return frame.page().evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const pen = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    let [x, y, count] = [0, 0, 0];
    for (let at = 0; at < data.length; at += 4) {
      const [red, green, blue] = [data[at], data[at + 1], data[at + 2]] as [number, number, number];
      const isRed = red - Math.max(green, blue) > 100;
      if (!isRed) continue;
      x += (at / 4) % image.width;
      y += Math.floor(at / 4 / image.width);
      count += 1;
    }
    return count === 0 ? null : { x: x / count, y: y / count };
  }, picture);
}

test.each([
  ['en-GB', 'en'],
  ['es-MX', 'es'],
  ['zh-CN', 'zh-hans'],
  ['zh-TW', 'zh-hant'],
] as const)('a reader with %s sees the labels of the map in %s', async (locale, language) => {
  maps.mode = 'works';
  maps.asked.length = 0;
  const { page, faults, context } = await browser.open({ locale });
  await page.goto(screen);
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  const fonts = () => maps.asked.filter((path) => path.startsWith('tiles/fonts/'));
  await expect.poll(fonts).toEqual([`tiles/fonts/Test/${LETTER_FILE[language]}.pbf`]);
  expect(maps.asked).toContain(`style/${language}/style.json`);
  expect(maps.asked.some((path) => path.startsWith('tiles/tiles/'))).toBe(true);
  await expect.poll(() => redIn(page.locator('.map-frame'))).not.toBeNull();
  await page.locator('.maplibregl-ctrl-attrib', { hasText: 'Test Maps' }).waitFor({ state: 'attached' });
  expect(faults).toEqual([]);
  await context.close();
});

test('on a map in GCJ-02, a geofence is where the map shows its place, and a new one is stored in WGS-84', async () => {
  maps.mode = 'works';
  const client = await logIn(demo.url, 'demo.manager', PASSWORD);
  const { id } = await client.call(createGeofence, {
    body: {
      organizationId,
      name: 'Depot',
      shape: { kind: 'circle', centre: DEPOT, radiusM: 300 },
      marginM: 10,
      dwellMinutes: null,
      shared: true,
      note: '',
    },
  });
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/geofences?fence=${id}`);
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  const frame = page.locator('.map-frame');
  const box = await frame.boundingBox();
  if (!box) throw new Error('no map');
  // The map is fitted to the fence, so that its centre is in the middle; the shift would be more than 50 pixels.
  await expect
    .poll(async () => {
      const red = await redIn(frame);
      return red && Math.hypot(red.x - box.width / 2, red.y - box.height / 2);
    })
    .toBeLessThan(5);

  await page.goto(`${demo.url}/map/geofences?new=1`);
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  const form = page.locator('form');
  await form.getByLabel('Name').fill('Drawn');
  await expect.poll(() => redIn(frame)).not.toBeNull();
  const red = await redIn(frame);
  if (!red) throw new Error('no spot');
  await page.mouse.click(box.x + red.x, box.y + red.y);
  await expect.poll(() => form.getByLabel('Centre').inputValue()).toMatch(/^\d/);
  await form.getByRole('button', { name: 'Create geofence', exact: true }).click();
  await page.getByText('Drawn saved', { exact: true }).waitFor();
  const { fences } = await client.call(listFenceOutlines, {});
  const stored = fences.find(({ name }) => name === 'Drawn')?.shape;
  if (stored?.kind !== 'circle') throw new Error('the geofence was not stored');
  // A pixel of the map has some metres.
  expect(distanceM(stored.centre, DEPOT)).toBeLessThan(40);
  expect(distanceM(toGcj02(DEPOT), DEPOT)).toBeGreaterThan(400);
  expect(faults).toEqual([]);
  await context.close();
});

test.each<StyleMode>(['missing', 'garbled', 'no-source', 'no-tiles', 'elsewhere'])(
  'with a map service that is %s, the built-in map is shown with a sentence',
  async (mode) => {
    maps.mode = mode;
    maps.asked.length = 0;
    const { page, context } = await browser.open();
    await page.goto(screen);
    await page.getByText(REPLACED).waitFor();
    await page.locator('.maplibregl-ctrl-scale').waitFor();
    expect(await redIn(page.locator('.map-frame'))).toBeNull();
    // The browser asks no other host than those that are configured.
    expect(maps.asked.filter((path) => path.startsWith('elsewhere'))).toEqual([]);
    await context.close();
  },
);

test('a map with missing tiles is shown', async () => {
  maps.mode = 'holes';
  const { page, context } = await browser.open();
  await page.goto(screen);
  await expect.poll(() => redIn(page.locator('.map-frame'))).not.toBeNull();
  expect(await page.getByText(REPLACED).count()).toBe(0);
  await context.close();
});

test('the configured map is shown when its service works again', async () => {
  maps.mode = 'missing';
  const { page, context } = await browser.open();
  await page.goto(screen);
  await page.getByText(REPLACED).waitFor();
  maps.mode = 'works';
  await page.locator('.map-note').getByRole('button', { name: 'Retry', exact: true }).click();
  await expect.poll(() => redIn(page.locator('.map-frame'))).not.toBeNull();
  expect(await page.getByText(REPLACED).count()).toBe(0);
  await context.close();
});
