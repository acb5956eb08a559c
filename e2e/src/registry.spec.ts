import * as xlsx from '@e965/xlsx';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, type ConsolePage, logInAs, startConsoleBrowser } from './console-page.ts';
import { type ManyDevices, manyDevices } from './many-devices.ts';

/** Tests the device registry end to end (issue 4): import of hundreds, replacement, commands to all. */
const DEVICES = 500;
const LISTENING = 200;
const LOCKED = 3;
const numberOf = (index: number) => String(71_000_001 + index);
const keyOf = (number: string) => number.repeat(5);
const all = Array.from({ length: DEVICES }, (_, index) => numberOf(index));
const [FIRST = ''] = all;
const SPARE = numberOf(DEVICES);

let demo: DemoServer;
let browser: ConsoleBrowser;
let console_: ConsolePage;
let page: Page;
let devices: ManyDevices;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  browser = await startConsoleBrowser();
  console_ = await browser.open();
  page = console_.page;
  devices = manyDevices(demo.url, demo.mqttUrl, keyOf);
  await logInAs(page, demo.url, 'demo.manager', 'Isotherm-2026');
});
afterAll(async () => {
  await devices?.stop();
  await browser?.close();
  await demo?.stop();
});

type Rows = readonly (readonly string[])[];

function sheet(name: string, rows: Rows) {
  const book = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet(rows as string[][]), 'Sheet');
  const buffer = xlsx.write(book, { type: 'buffer', bookType: 'xlsx', compression: true }) as Buffer;
  return { name, mimeType: 'application/octet-stream', buffer };
}

/** Uploads a file to the open import, and waits for the result of its check. */
async function check(name: string, rows: Rows): Promise<void> {
  await page.getByLabel('Choose a file or drop it here').setInputFiles(sheet(name, rows));
  await page.getByText(/checked, nothing imported yet/).waitFor();
}

async function write(count: number): Promise<void> {
  await page.getByRole('button', { name: `Import ${count} rows` }).click();
  await page.locator('.confirm-foot').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
}

const ASSET_HEAD = ['Name', 'Code', 'Type', 'Organisation'];
const HEAD = [
  'Number',
  'Name',
  'Organisation',
  'Type',
  'Model',
  'Sensors',
  'Device key',
  'Hardware time zone',
];
const deviceRow = (number: string) => [
  number,
  `Logger ${number}`,
  'DEMO-HOSPITAL',
  'Data logger',
  'TH-20',
  'Temperature',
  keyOf(number),
  'Asia/Shanghai',
];
/** Planted errors by row of the spreadsheet, with their column. */
const FAULTS = new Map<number, readonly [column: number, value: string]>([
  [10, [0, '7100001']],
  [60, [1, '=CMD()']],
  [120, [2, 'NOWHERE']],
  [200, [3, 'Spaceship']],
  [300, [5, 'Temperature, Karma']],
  [400, [7, 'Moon/Tranquility']],
  [450, [0, FIRST]],
]);

test('500 devices with 7 planted errors are imported after correction with the report, bound by a list, and shown coming online', async () => {
  await console_.travel('/asset/refrigerators?import=1');
  await check('fridges.xlsx', [
    ASSET_HEAD,
    ...all.map((number) => [`Fridge ${number}`, `F-${number}`, 'Refrigerator', 'DEMO-HOSPITAL']),
  ]);
  await write(DEVICES);

  const good = [...all, SPARE].map(deviceRow);
  const planted = good.map((row, at) => {
    const [column, value] = FAULTS.get(at + 2) ?? [-1, ''];
    return row.map((cell, place) => (place === column ? value : cell));
  });
  await console_.travel('/device/list?import=1');
  await check('devices.xlsx', [HEAD, ...planted]);
  await page.getByText('494 valid, 7 with errors').waitFor();
  const reported = await page.getByRole('region', { name: 'Errors' }).getByRole('row').allTextContents();
  expect(reported.slice(1).map((text) => Number(/^\d+/.exec(text)?.[0]))).toEqual([...FAULTS.keys()]);
  // The rows are corrected as the report requires.
  const fixed = planted.map((row, at) => (FAULTS.has(at + 2) ? (good[at] ?? row) : row));
  await check('devices.xlsx', [HEAD, ...fixed]);
  await write(DEVICES + 1);

  await console_.travel('/device/list?import=bonds');
  await check('bonds.xlsx', [['Number', 'Asset code'], ...all.map((number) => [number, `F-${number}`])]);
  await write(DEVICES);

  await devices.measure(all, 5);
  await console_.travel('/device/list?connection=online');
  await page.locator('.kept-page:visible').getByText(`of ${DEVICES}`).waitFor();
});

test('a broken device is replaced, and one chart shows both serial numbers', async () => {
  await console_.travel(`/device/list/${FIRST}`);
  await page.getByRole('button', { name: 'Replace' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Replaced by').fill(SPARE);
  await page.getByTitle(SPARE).click();
  await drawer.getByLabel('Reason').fill('Dropped on the floor');
  await drawer.getByRole('button', { name: 'Replace' }).click();
  await page.getByText(`Device ${FIRST} has been replaced`).waitFor();
  await devices.measure([SPARE], 6);

  await console_.travel(`/device/list/${SPARE}`);
  // The page of the replaced device also links to the asset.
  await page.getByRole('heading', { level: 1, name: `Logger ${SPARE}` }).waitFor();
  await page
    .locator('.kept-page:visible')
    .getByRole('link', { name: `Fridge ${FIRST}` })
    .first()
    .click();
  await page.waitForURL(/\/asset\/\d+/);
  const notes = page.locator('.curve-notes:visible');
  await notes.getByText(`device ${FIRST}, sensor ${FIRST}-01 until`).waitFor();
  await notes.getByText(`device ${SPARE}, sensor ${SPARE}-01 since then`).waitFor();
  // The readings of both devices are shown as one series.
  await expect
    .poll(async () => (await page.locator('.kept-page:visible').textContent()) ?? '')
    .toContain('6.0 °C');
});

test('another interval is set for 200 devices: 3 refuse with a reason, and the others accept it', async () => {
  const told = all.slice(1, LISTENING + 1);
  const locked = told.slice(0, LOCKED);
  await devices.listen(told, new Set(locked));
  await console_.travel('/device/commands');
  await page.getByRole('button', { name: 'New command' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Every').fill('120');
  await drawer.getByLabel('Or paste numbers').fill(told.join('\n'));
  await drawer.getByRole('button', { name: 'Send' }).click();
  const progress = page.getByRole('region', { name: /^Progress of batch/ });
  await progress.getByText(`All ${LISTENING} finished`).waitFor({ timeout: 60_000 });
  expect(await progress.getByRole('listitem').allTextContents()).toEqual([
    `Success${LISTENING - LOCKED}`,
    `Failed${LOCKED}`,
  ]);
  await console_.travel('/device/commands?state=failed');
  for (const number of locked) {
    const row = page.getByRole('row', { name: new RegExp(number) });
    await row.getByText('rejected by the device, code 7').waitFor();
  }
  expect(console_.faults).toEqual([]);
});
