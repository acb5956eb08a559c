import { readFile } from 'node:fs/promises';
import { TRAIL_MS } from '@isotherm/contracts/car-screens';
import { getTrack } from '@isotherm/contracts/maps';
import { distanceM } from '@isotherm/domain/geo/geo';
import { positionAt } from '@isotherm/domain/geo/position-at';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { type DrawnFeature, watchDrawing } from './drawn-places.ts';
import { queryDatabase } from './stored.ts';

/** The maps in a real browser, with the trucks of the demo. */
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  await demo.startFleet({ historyDays: 1, records: true });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

test('a truck is found on the live map, replayed with its temperature, and its track is exported', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/monitor?tab=all`);
  // The map itself is drawn: the scale is its own.
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  await page.getByRole('button', { name: /Truck HU-A 7E115/ }).click();
  await page.locator('.maps-card').getByText('Truck HU-A 7E115', { exact: true }).waitFor();
  await page.locator('.maps-card').getByRole('link', { name: 'Replay', exact: true }).click();

  const events = page.getByRole('region', { name: 'Events', exact: true });
  await events.getByText('First position', { exact: true }).waitFor();
  await events
    .getByText(/^Stop, /)
    .first()
    .click();
  const time = page.getByRole('slider', { name: 'Time', exact: true });
  const before = Number(await time.inputValue());
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(async () => Number(await time.inputValue())).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();

  await page.getByRole('button', { name: 'Export track', exact: true }).click();
  const saved = page.waitForEvent('download');
  await page.getByText('GPX', { exact: true }).click();
  const file = await readFile(await (await saved).path(), 'utf8');
  expect(file.match(/<trkpt /g)?.length).toBeGreaterThan(100);
  expect(faults).toEqual([]);
  await context.close();
});

test('a replay is shared by a link that shows it without login, and nothing after it is revoked', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/monitor?tab=all`);
  await page.getByRole('button', { name: /Truck HU-A 7E115/ }).click();
  await page.locator('.maps-card').getByRole('link', { name: 'Replay', exact: true }).click();
  await page.getByText('First position', { exact: true }).waitFor();
  await page.getByRole('button', { name: '300', exact: true }).click();
  await page.getByRole('button', { name: 'Share replay', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: /^Name/ }).fill('Morning run');
  await form.getByRole('button', { name: 'Create link', exact: true }).click();
  const address = await page.getByText(/\/map\/replay\/shared#/).innerText();
  await page.getByRole('button', { name: "I've saved it", exact: true }).click();

  const guest = await browser.open();
  const link = `${demo.url}${new URL(address).pathname}${new URL(address).hash}`;
  const calls: string[] = [];
  guest.page.on('request', (request) => {
    if (request.url().includes('/api/')) calls.push(new URL(request.url()).pathname);
  });
  await guest.page.goto(link);
  await guest.page.getByRole('heading', { name: 'Morning run', exact: true }).waitFor();
  await guest.page.locator('.maplibregl-ctrl-scale').waitFor();
  expect(
    await guest.page.getByRole('button', { name: '300', exact: true }).getAttribute('aria-pressed'),
  ).toBe('true');
  // Map, chart and list show the same time.
  const stop = guest.page.getByRole('region', { name: 'Events', exact: true }).getByText(/^Stop, /);
  await stop.first().click();
  const time = guest.page.getByRole('slider', { name: 'Time', exact: true });
  const before = Number(await time.inputValue());
  await guest.page.locator('.chart-frame canvas').first().waitFor();
  await guest.page.locator('.readout').getByText(/°C/).first().waitFor();
  await guest.page.getByRole('button', { name: 'Play', exact: true }).click();
  await expect.poll(async () => Number(await time.inputValue())).toBeGreaterThan(before);
  // Nothing but the link was asked for, and nothing else can be opened from here.
  expect(calls.every((path) => path.startsWith('/api/link/replay'))).toBe(true);
  expect(await guest.page.getByRole('link').count()).toBe(0);
  const theme = () => guest.page.evaluate(() => document.documentElement.dataset.theme);
  const wasDark = (await theme()) === 'dark';
  await guest.page.getByRole('button', { name: 'Light or dark', exact: true }).click();
  await expect.poll(theme).toBe(wasDark ? 'light' : 'dark');

  await page.getByRole('button', { name: 'Revoke the link Morning run', exact: true }).click();
  await page.getByText('Link revoked', { exact: true }).waitFor();
  await guest.page.reload();
  await guest.page.getByText('This link does not work', { exact: true }).waitFor();
  expect(await guest.page.getByRole('slider').count()).toBe(0);
  expect(faults).toEqual([]);
  await guest.context.close();
  await context.close();
});

test('a full screen is opened by its link without login, dark, finds the server again, and is revoked', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/carmonitor`);
  await page.locator('.cars-card').first().waitFor();
  await page.getByRole('button', { name: 'Create link', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: /^Name/ }).fill('Dispatch');
  await form.getByRole('button', { name: 'Create link', exact: true }).click();
  const address = await page.getByText(/\/map\/carmonitor\/fullscreen#/).innerText();
  await page.getByRole('button', { name: "I've saved it", exact: true }).click();

  const wall = await browser.open();
  await wall.page.goto(`${demo.url}${new URL(address).pathname}${new URL(address).hash}`);
  await wall.page.getByRole('heading', { name: 'Dispatch', exact: true }).waitFor();
  await wall.page.locator('.maplibregl-ctrl-scale').waitFor();
  expect(await wall.page.locator('.cars-stage .maps-row').count()).toBeGreaterThan(1);
  const current = () => wall.page.locator('.cars-stage .maps-row[aria-current="true"]').innerText();
  const first = await current();
  await wall.page.getByRole('button', { name: 'Next vehicle', exact: true }).click();
  await expect.poll(current).not.toBe(first);
  const theme = () => wall.page.evaluate(() => document.documentElement.dataset.theme);
  const before = await theme();
  await wall.page.getByRole('button', { name: 'Light or dark', exact: true }).click();
  await expect.poll(theme).toBe(before === 'dark' ? 'light' : 'dark');

  await wall.context.setOffline(true);
  await wall.page.getByText(/^No connection since/).waitFor();
  expect(await wall.page.locator('.cars-stage .maps-row').count()).toBeGreaterThan(1);
  await wall.context.setOffline(false);
  await wall.page.getByText(/^Updated /).waitFor();

  await page.getByRole('button', { name: 'Revoke the link Dispatch', exact: true }).click();
  await page.getByText('Link revoked', { exact: true }).waitFor();
  await wall.page.getByText('This link does not work', { exact: true }).waitFor();
  expect(await wall.page.locator('.maps-row').count()).toBe(0);
  expect(faults).toEqual([]);
  await wall.context.close();
  await context.close();
});

const assetOf = async (code: string): Promise<number> => {
  const [asset] = await queryDatabase<{ id: number }>(
    demo.databaseUrl,
    `select id::float8 as id from asset where code = '${code}'`,
  );
  if (!asset) throw new Error(`there is no asset ${code}`);
  return asset.id;
};
const placeOf = ({ geometry }: DrawnFeature) => {
  const [longitude, latitude] = geometry.coordinates as [number, number];
  return { latitude, longitude };
};

test('two trucks are replayed in step: one playhead moves both marks to where each was at that time', async () => {
  const [one, other] = [await assetOf('TR-7E115'), await assetOf('TR-71K03')];
  const client = await logIn(demo.url, 'demo.manager', PASSWORD);
  const to = Date.now();
  const range = { from: new Date(to - 20 * 3_600_000).toISOString(), to: new Date(to).toISOString() };
  const [first, second] = await Promise.all(
    [one, other].map(async (id) => {
      const track = await client.call(getTrack, { path: `/map/track/${id}`, query: range });
      const fixes = track.at.map((at, index) => ({
        at,
        latitude: track.latitude[index] as number,
        longitude: track.longitude[index] as number,
        speedKmh: null,
      }));
      const lines = track.lineEnds.map((end, index) => {
        const start = (track.lineEnds[index - 1] ?? -1) + 1;
        return Array.from({ length: end - start + 1 }, (_, step) => start + step);
      });
      return { fixes, placeAt: (at: number) => positionAt(fixes, { lines }, at) };
    }),
  );
  if (!first || !second) throw new Error('the tracks are missing');
  // A time from which both trucks drive for a quarter of an hour, as they do several times a day. It is not the first one, to which
  // the slider is set before anything is played, and then nothing is drawn.
  const MIN = 60_000;
  const drives = ({ placeAt }: typeof first, at: number) => {
    const places = [0, 5, 10, 15].map((minutes) => placeAt(at + minutes * MIN));
    return places.every((place, index) => {
      const before = places[index - 1];
      return place && (index === 0 || (before && distanceM(before, place) > 500));
    });
  };
  const start = first.fixes.slice(1).find(({ at }) => drives(first, at) && drives(second, at))?.at;
  if (start === undefined) throw new Error('the trucks never drove at the same time');

  const { page, faults, context } = await browser.open();
  const drawn = await watchDrawing(page);
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/replay?assets=${one},${other}&from=${range.from}&to=${range.to}`);
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  const time = page.getByRole('slider', { name: 'Time', exact: true });
  const marksAt = async () => {
    const at = Number(await time.inputValue());
    const marks = (await drawn('heads')).map(placeOf);
    const expected = [first, second].map(({ placeAt }) => placeAt(at));
    return { at, marks, errors: marks.map((mark, index) => distanceM(mark, expected[index] ?? mark)) };
  };
  const areThere = async () => {
    const { marks, errors } = await marksAt();
    return marks.length === 2 && errors.every((metres) => metres < 20);
  };
  await time.fill(String(start));
  await expect.poll(areThere).toBe(true);
  const before = await marksAt();
  expect(before.at).toBe(start);
  await page.getByRole('button', { name: 'Play', exact: true }).click();
  // When the replay is paused depends on the machine, and the trucks may rest by then.
  await expect
    .poll(async () => {
      const { marks } = await marksAt();
      return marks.map((mark, index) => distanceM(before.marks[index] ?? mark, mark) > 300);
    })
    .toEqual([true, true]);
  expect(Number(await time.inputValue())).toBeGreaterThan(start);
  await page.getByRole('button', { name: 'Pause', exact: true }).click();
  await expect.poll(areThere).toBe(true);
  expect(faults).toEqual([]);
  await context.close();
});

test('the selected truck has a trail of the last hours, on the live map and on a screen without login', async () => {
  const id = await assetOf('TR-71K03');
  // Of its rounds of six hours it rests for less than the four hours of a trail.
  const client = await logIn(demo.url, 'demo.manager', PASSWORD);
  const { page, faults, context } = await browser.open();
  const drawn = await watchDrawing(page);
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/monitor?tab=all`);
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  expect(await drawn('trail')).toEqual([]);
  await page.getByRole('button', { name: /Truck HU-B 71K03/ }).click();
  await expect.poll(async () => (await drawn('trail')).length).toBeGreaterThan(0);
  const firstPlaceOf = ({ geometry }: DrawnFeature) => {
    const [longitude, latitude] = geometry.coordinates[0] as [number, number];
    return { latitude, longitude };
  };
  /** Metres from where the trail begins to where the truck was when a trail of now begins. */
  const errorOf = async ([first]: DrawnFeature[]) => {
    if (!first) return Number.POSITIVE_INFINITY;
    // The truck drives on while the test runs, and the beginning of its trail with it.
    const to = Date.now();
    const { latitude, longitude } = await client.call(getTrack, {
      path: `/map/track/${id}`,
      query: { from: new Date(to - TRAIL_MS).toISOString(), to: new Date(to).toISOString() },
    });
    const begin = { latitude: latitude[0] as number, longitude: longitude[0] as number };
    return distanceM(firstPlaceOf(first), begin);
  };
  await expect.poll(async () => errorOf(await drawn('trail'))).toBeLessThan(1_000);
  // The trail ends at the mark.
  const headOf = async () => {
    const line = (await drawn('trail')).at(-1)?.geometry.coordinates as [number, number][];
    const [longitude, latitude] = line.at(-1) as [number, number];
    const [mark] = (await drawn('selected')).map(placeOf);
    return mark ? distanceM({ latitude, longitude }, mark) : Number.POSITIVE_INFINITY;
  };
  await expect.poll(headOf).toBeLessThan(1);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await expect.poll(() => drawn('trail')).toEqual([]);

  await page.goto(`${demo.url}/map/carmonitor?new=1`);
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: /^Name/ }).fill('Trails');
  await form.getByRole('button', { name: 'Create link', exact: true }).click();
  const address = await page.getByText(/\/map\/carmonitor\/fullscreen#/).innerText();
  const wall = await browser.open();
  const drawnOnWall = await watchDrawing(wall.page);
  const calls: string[] = [];
  wall.page.on('request', (request) => {
    if (request.url().includes('/api/')) calls.push(new URL(request.url()).pathname);
  });
  await wall.page.goto(`${demo.url}${new URL(address).pathname}${new URL(address).hash}`);
  await wall.page.locator('.maplibregl-ctrl-scale').waitFor();
  await wall.page.locator('.cars-stage .maps-row', { hasText: 'Truck HU-B 71K03' }).click();
  await expect.poll(async () => errorOf(await drawnOnWall('trail'))).toBeLessThan(1_000);
  expect(calls.filter((path) => !path.startsWith('/api/link/cars'))).toEqual([]);
  expect([...faults, ...wall.faults]).toEqual([]);
  await wall.context.close();
  await context.close();
});

test('the excursions of an asset keep the name of the asset as their head, wherever the map is moved', async () => {
  const id = await assetOf('TR-7E115');
  await queryDatabase(
    demo.databaseUrl,
    `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, peak_level, state, since, raised_at, ended_at,
                        end_reason, trigger_after_ms, late, recorded_at, limit_value)
     select c.id, 0, s.id, s.organization_id, 'high', 4, 4, 'ended', t, t, t + interval '10 minutes', 'recovered', 0, false, t, 8
       from asset s join channel c on c.asset_id = s.id and c.indicator = 'temperature',
            (select now() - interval '1 hour' as t) times
      where s.id = $1 order by c.id limit 1`,
    [id],
  );
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await page.goto(`${demo.url}/map/overview?asset=${id}`);
  await page.locator('.maplibregl-ctrl-scale').waitFor();
  const head = page.locator('.maps-list-head > span').first();
  await page.locator('.overview-row').first().waitFor();
  expect(await head.innerText()).toBe('Truck HU-A 7E115');
  const box = await page.locator('.maplibregl-canvas').boundingBox();
  if (!box) throw new Error('the map has no size');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await expect
    .poll(async () => {
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x, y - box.height / 3, { steps: 5 });
      await page.mouse.up();
      return page.getByText('No excursions in this view.', { exact: true }).isVisible();
    })
    .toBe(true);
  expect(await head.innerText()).toBe('Truck HU-A 7E115');
  expect(faults).toEqual([]);
  await context.close();
});

test('a browser without WebGL shows each map page with its list and a message', async () => {
  const plain = await startConsoleBrowser({ hasWebGl: false });
  try {
    const { page, faults, context, settled } = await plain.open();
    await logInAs(page, demo.url, 'demo.manager', PASSWORD);
    const truck = await assetOf('TR-7E115');
    for (const [path, row] of [
      ['/map/monitor?tab=all', '.maps-row'],
      ['/map/carmonitor', '.cars-card'],
      ['/map/carmonitor?screen=1', '.cars-stage .maps-row'],
      ['/map/overview', '.overview-row'],
      ['/map/overview?tab=lanes', '.overview-lane'],
      [`/map/replay?assets=${truck}`, '.maps-event'],
      ['/map/geofences', '.maps-row'],
    ] as const) {
      await page.goto(demo.url + path);
      await page.getByText('This browser cannot draw maps, because WebGL is not available.').waitFor();
      await page.locator(row).first().waitFor();
      await settled();
      expect(await page.locator('.maplibregl-map').count(), path).toBe(0);
    }
    expect(faults).toEqual([]);
    await context.close();
  } finally {
    await plain.close();
  }
});
