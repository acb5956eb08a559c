import { listMailbox } from '@isotherm/contracts/mailbox';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { findProgram } from '@isotherm/testkit/find-program';
import { type LocalWebcam, startWebcam } from '@isotherm/testkit/webcam';
import { encodesVpx } from '@isotherm/testkit/whep-camera';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lookAtRealStreams } from './camera-journey.ts';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';

/** Tests management and settings end to end. */
let camera: LocalWebcam;
let demo: DemoServer;
let browser: ConsoleBrowser;
const PASSWORD = 'Isotherm-2026';

beforeAll(async () => {
  camera = await startWebcam();
  demo = await startDemoServer({
    LOG_LEVEL: 'warn',
    ISOTHERM_ENVIRONMENT: 'development',
    ISOTHERM_OUTGOING_ALLOW: '127.0.0.1',
  });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
  await camera?.stop();
});

test('an organisation and a user in it are created, and the audit log contains who created them', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);

  await page.goto(`${demo.url}/management/organizations?id=2&do=create`);
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name', { exact: false }).first().fill('Vaccination point 7');
  await drawer.getByLabel('Code', { exact: false }).first().fill('VP-7');
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: 'Vaccination point 7' }).waitFor();
  const place = new URL(page.url()).searchParams.get('id');

  await page.goto(`${demo.url}/management/users?new=1&organizationId=${place}`);
  await drawer.getByLabel('Account*').fill('wu.lei.01');
  await drawer.getByLabel('Full name*').fill('Wu Lei');
  await drawer.getByLabel('Roles*').click();
  await page.getByTitle('Operator').click();
  await page.keyboard.press('Escape');
  await drawer.getByRole('button', { name: 'Add user' }).click();
  await page.getByRole('row', { name: /wu\.lei\.01/ }).waitFor();

  // The test waits because an open drawer prevents keyboard events from reaching the page.
  await drawer.waitFor({ state: 'hidden' });
  // The user navigates by keyboard only: to the filter, to the row, to the page of the user.
  await page.keyboard.press('/');
  await page.keyboard.type('wu.lei');
  await page.waitForURL(/q=wu\.lei/);
  await page.getByRole('row').nth(1).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Wu Lei' }).waitFor();

  await page.goto(`${demo.url}/management/logs?action=create`);
  await page.getByRole('row', { name: /wu\.lei\.01/ }).click();
  await page.getByRole('dialog').getByText('Wu Lei').first().waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('a brand for this environment is previewed while typing, then shown in title, menu and login page', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  await page.goto(`${demo.url}/setting/website`);
  await page.getByRole('button', { name: 'Add brand' }).click();
  const field = (label: string) => page.getByLabel(label, { exact: false }).first();
  await field('Host').fill('127.0.0.1');
  await field('Platform title').fill('Blue Crane');
  await field('Collapsed menu title').fill('BC');
  await field('Browser tab title').fill('Crane console');
  await field('Copyright entity').fill('Blue Crane Ltd');
  await field('WeChat official account').fill('bluecrane');
  const preview = page.getByRole('complementary', { name: 'Preview' });
  await preview.getByText('Blue Crane', { exact: true }).first().waitFor();
  await preview.getByText('Crane console').waitFor();
  await page.getByRole('button', { name: 'Create brand' }).click();
  await page.locator('.toast').getByText('Saved').waitFor();
  await page.reload();
  await page.locator('.sidebar .site-brand', { hasText: 'Blue Crane' }).waitFor();
  await expect.poll(() => page.title()).toBe('Website settings · Crane console');
  await page.getByRole('button', { name: 'Collapse menu' }).click();
  await page.locator('.sidebar .site-brand', { hasText: 'BC' }).waitFor();
  const stranger = await browser.open();
  await stranger.page.goto(`${demo.url}/login`);
  expect(await stranger.page.title()).toBe('Crane console');
  await stranger.page.getByRole('button', { name: 'WeChat account' }).click();
  await stranger.page.getByText('bluecrane', { exact: false }).waitFor();
  await stranger.context.close();
  await page.goto(`${demo.url}/setting/website`);
  await page.getByRole('button', { name: 'Blue Crane' }).click();
  await page.getByRole('button', { name: 'Delete brand' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete brand' }).click();
  await page.getByRole('button', { name: 'Blue Crane' }).waitFor({ state: 'hidden' });
  expect(faults).toEqual([]);
  await context.close();
});

test('titles, order and an external link of menus appear in the sidebar, and errors of the §5 path rules appear at their fields', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  await page.goto(`${demo.url}/management/menus`);
  const sidebar = page.getByRole('navigation', { name: 'Menu', exact: true });
  await page.getByRole('treeitem').getByText('Alarms', { exact: true }).click();
  // The fields must be those of the selected entry, not of the previous one.
  await page.getByPlaceholder('Alarms', { exact: true }).fill('Warnings');
  // Marks the frame of the console, which must not be mounted again when the menu changes.
  await page.locator('.shell').evaluate((shell) => shell.setAttribute('data-stands', ''));
  await page.getByRole('button', { name: 'Save' }).click();
  await sidebar.getByRole('button', { name: 'Warnings' }).waitFor();
  await page.getByRole('button', { name: 'Move Warnings up' }).click();
  await expect
    .poll(async () => (await sidebar.getByRole('button').allTextContents())[0])
    .toMatch(/^Warnings/);

  await page.getByRole('button', { name: 'Add entry' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('textbox', { name: 'English' }).fill('Handbook');
  await drawer.getByRole('textbox', { name: /Route name/ }).fill('handbook');
  await drawer.getByRole('textbox', { name: /Path or link/ }).fill('/handbook');
  await drawer.getByRole('textbox', { name: /Component/ }).fill('layout');
  await drawer.getByRole('button', { name: 'Add entry' }).click();
  await drawer.getByText('Must not start with a slash.').waitFor();
  await drawer.getByText('Must start with a slash.').waitFor();
  await drawer.getByRole('textbox', { name: /Path or link/ }).fill('https://example.org/handbook');
  await drawer.getByRole('textbox', { name: /Component/ }).fill('/link');
  await drawer.getByRole('button', { name: 'Add entry' }).click();
  const link = sidebar.getByRole('link', { name: /Handbook/ });
  await link.waitFor();
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  expect(await link.getAttribute('href')).toBe('https://example.org/handbook');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await link.waitFor({ state: 'hidden' });
  expect(await page.locator('.shell[data-stands]').count()).toBe(1);
  expect(faults).toEqual([]);
  await context.close();
});

test('registration is enabled, an applicant registers with a code, waits, is approved and logs in', async () => {
  const platform = await logIn(demo.url, 'demo.platform', PASSWORD);
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  await page.goto(`${demo.url}/setting/registration`);
  await page.getByRole('switch', { name: 'Self-registration' }).click();
  await page.getByRole('combobox', { name: /Available roles/ }).click();
  await page.locator('.ant-select-item-option').filter({ hasText: 'Operator' }).click();
  await page.keyboard.press('Escape');
  // Without a parent organisation registration cannot be enabled, and the field shows the error.
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Required.').waitFor();
  await page.getByRole('combobox', { name: /Parent of new organisations/ }).click();
  await page
    .getByRole('treeitem', { name: 'Overseas Cloud' })
    .or(page.locator('.ant-select-tree-title'))
    .first()
    .click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.toast').getByText('Saved').waitFor();

  const stranger = await browser.open();
  const link = stranger.page.getByRole('link', { name: 'Register' });
  // The server caches the public site settings for some seconds.
  await expect
    .poll(
      async () => {
        await stranger.page.goto(`${demo.url}/login`);
        await stranger.page.locator('input[type="password"]').waitFor();
        return link.count();
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  await link.click();
  const fill = (label: RegExp, value: string) => stranger.page.getByLabel(label).first().fill(value);
  await fill(/^Account/, 'wang.fang');
  await fill(/^Full name/, 'Wang Fang');
  await fill(/^Organisation/, 'Wang Clinic');
  await stranger.page.getByLabel(/^Role/).selectOption({ label: 'Operator' });
  await fill(/^Mobile number/, '13800138001');
  await stranger.page.getByRole('button', { name: 'Send code' }).click();
  await stranger.page.getByRole('button', { name: /Resend in/ }).waitFor();
  let code = '';
  await expect
    .poll(
      async () => {
        const { items } = await platform.call(listMailbox, { query: { search: '13800138001' } });
        code = /\d{6}/.exec(items[0]?.text ?? '')?.[0] ?? '';
        return code;
      },
      { timeout: 30_000 },
    )
    .not.toBe('');
  await fill(/^Verification code/, code);
  await fill(/^Password\*?$/, 'warm-kettle-9');
  await fill(/^Repeat password/, 'warm-kettle-9');
  await stranger.page.getByRole('button', { name: 'Register' }).click();
  await stranger.page.getByText('Your registration is waiting for approval').waitFor();

  await page.reload();
  const row = page.getByRole('row', { name: /wang\.fang/ });
  await row.getByRole('button').last().click();
  await page.getByRole('menuitem', { name: 'Approve' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await page.getByText('wang.fang can log in now').waitFor();
  await logInAs(stranger.page, demo.url, 'wang.fang', 'warm-kettle-9');
  // The first page depends on the order of the menu, which another test changes.
  await stranger.page.getByRole('navigation', { name: 'Menu' }).getByRole('link').first().waitFor();
  expect(new URL(stranger.page.url()).pathname).not.toBe('/login');
  expect([...faults, ...stranger.faults]).toEqual([]);
  await stranger.context.close();
  await context.close();
});

test('time zone and dictionary are selected, saved and shown', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  await page.goto(`${demo.url}/setting/timezone?q=Madrid`);
  await page.getByRole('button', { name: 'Use Europe/Madrid' }).click();
  await page.getByText('Time zone has been updated').waitFor();
  await page.locator('.navbar-clock', { hasText: 'Europe/Madrid' }).waitFor();

  await page.goto(`${demo.url}/management/dictionary`);
  await page.getByRole('button', { name: 'Add dictionary' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel(/Code/).fill('goods-kind');
  await drawer.getByRole('textbox', { name: 'English' }).fill('Kinds of goods');
  await drawer.getByRole('button', { name: 'Add dictionary' }).click();
  await page.getByRole('heading', { name: 'goods-kind' }).waitFor();
  await page.getByRole('button', { name: 'Add item' }).click();
  await page.getByRole('textbox', { name: 'Value 1' }).fill('vaccine');
  await page.getByRole('textbox', { name: 'vaccine, English' }).fill('Vaccine');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('goods-kind · 1 item').waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('a refrigerator is managed from purchase to scrapping, with documents and label', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  await page.goto(`${demo.url}/asset/refrigerators?new=1`);
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name*').fill('Vaccine fridge 99');
  await drawer.getByLabel('Code*').fill('VF-99');
  await drawer.getByLabel('Factory number').fill('SN-2026-99');
  await drawer.getByLabel('Size in mm').fill('1200, 600, 1800');
  await drawer.getByLabel('Type*').click();
  await page.getByTitle('Ice-lined refrigerator').click();
  await drawer.getByRole('button', { name: 'Add refrigerator' }).click();
  await drawer.waitFor({ state: 'hidden' });
  await page.getByRole('row', { name: /VF-99/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Vaccine fridge 99' }).waitFor();

  await page.getByRole('tab', { name: 'Documents' }).click();
  await page.getByRole('button', { name: 'Add document' }).first().click();
  await drawer.locator('input[type="file"]').setInputFiles({
    name: 'Qualification.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4\n'),
  });
  await drawer.getByLabel('Valid until').fill('2031-01-31');
  await drawer.getByRole('button', { name: 'Add document' }).click();
  await page.getByRole('row', { name: /Qualification Certificate 31 Jan 2031/ }).waitFor();

  await page.getByRole('tab', { name: 'Details' }).click();
  await page.getByText('1200,600,1800').waitFor();
  await page.getByRole('button', { name: 'Label' }).click();
  await drawer.getByAltText('QR code of Vaccine fridge 99').waitFor();
  await drawer.getByRole('button', { name: 'Close', exact: true }).last().click();
  await drawer.waitFor({ state: 'hidden' });

  await page.getByRole('tab', { name: 'Status history' }).click();
  const life = [
    ['To be repaired', 'Compressor is loud'],
    ['Repair', 'Technician is here'],
    ['In service', 'Cold for a day'],
    ['Scrapped', 'Not worth another repair'],
  ] as const;
  for (const [status, reason] of life) {
    await page.getByRole('button', { name: 'Change status' }).click();
    await drawer.getByLabel('New status*').click();
    await page.getByTitle(status, { exact: true }).click();
    await drawer.getByLabel('Reason*').fill(reason);
    await drawer.getByRole('button', { name: 'Change status' }).click();
    // The changes must be shown in the asset's history and in its audit log.
    for (const table of ['Asset history', 'Changes'])
      await page.getByRole('region', { name: table }).getByText(reason).waitFor();
    await drawer.waitFor({ state: 'hidden' });
  }
  // The status of a scrapped asset cannot be changed any more.
  await page.getByRole('button', { name: 'Change status' }).waitFor({ state: 'hidden' });
  await page.goto(`${demo.url}/asset/history?deed=scrap`);
  await page.getByRole('row', { name: /Vaccine fridge 99.*In service → Scrapped/ }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

test('a camera is added and plays, and a snapshot is stored', async () => {
  const { page, faults, context } = await browser.open();
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  await page.goto(`${demo.url}/asset/webcams?new=1`);
  const drawer = page.getByRole('dialog');
  await drawer.getByLabel('Name').fill('Door of the pharmacy');
  await drawer.getByLabel('Kind').click();
  await page.getByTitle('Motion JPEG').click();
  await drawer.getByLabel('Stream address').fill(`${camera.url}/mjpeg`);
  await drawer.getByRole('button', { name: 'Add camera' }).click();
  await page.getByRole('row', { name: /Door of the pharmacy/ }).click();
  const picture = page.getByRole('img', { name: 'Live picture of Door of the pharmacy' });
  /**
   * Returns the share of red pixels in the middle of the picture. The test camera alternates between red and
   * blue.
   */
  const red = () =>
    picture.evaluate((canvas: HTMLCanvasElement) => {
      const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(32, 24, 1, 1);
      return data[0] as number;
    });
  await expect.poll(red).toBeGreaterThan(150);
  await expect.poll(red).toBeLessThan(100);
  await page.getByRole('button', { name: 'Take a picture' }).click();
  const kept = page.locator('.webcam-snapshots img');
  await expect.poll(() => kept.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
  await page.getByRole('button', { name: 'Pause' }).click();
  await expect.poll(() => camera.viewers()).toBe(0);
  expect(faults).toEqual([]);
  await context.close();
});

const ffmpeg = findProgram('ffmpeg');
if (ffmpeg && encodesVpx(ffmpeg))
  test('HLS and WHEP streams of ffmpeg are played, and a WHEP session ends when the view is closed', () =>
    lookAtRealStreams(demo, browser, ffmpeg));
