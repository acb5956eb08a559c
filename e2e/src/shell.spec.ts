import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page, Request, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ConsoleBrowser, fillLogIn, handsOn, logInAs, startConsoleBrowser } from './console-page.ts';

/** Tests the console's page frame (requirements §2, §4): guards, tabs, kept pages, search, session. */
let demo: DemoServer;
let browser: ConsoleBrowser;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  await demo.startFleet({ historyDays: 1 });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

const PASSWORD = 'Isotherm-2026';
const tabs = (page: Page) => page.getByRole('navigation', { name: 'Open pages' });
const tab = (page: Page, name: string) => tabs(page).getByRole('link', { name, exact: true });
const names = (page: Page) => tabs(page).getByRole('link').allTextContents();
const shown = (page: Page) => page.locator('.kept-page:visible');

async function signedIn(options = {}, username = 'demo.platform') {
  const opened = await browser.open(options);
  await logInAs(opened.page, demo.url, username, PASSWORD);
  await opened.page.getByText('Vaccine fridge 03').first().waitFor();
  return opened;
}

/** Expands a group of the sidebar and follows one of its links. */
async function openFromMenu(page: Page, group: string, entry: string): Promise<void> {
  const menu = page.getByRole('navigation', { name: 'Menu' });
  const head = menu.getByRole('button', { name: group });
  if ((await head.getAttribute('aria-expanded')) === 'false') await head.click();
  // An entry's name may be followed by its count.
  await menu.getByRole('link', { name: new RegExp(`^${entry}( \\d+)?$`) }).click();
}

describe('guards of routes', () => {
  test('without a token, the login remembers the path, and the login page redirects a signed-in user to the first page', async () => {
    const { page, context } = await browser.open();
    await page.goto(`${demo.url}/setting/timezone?q=Madrid#x`);
    await page.waitForURL(`${demo.url}/login?redirect=%2Fsetting%2Ftimezone%3Fq%3DMadrid%23x`);
    await fillLogIn(page, 'demo.platform', PASSWORD);
    await page.waitForURL(`${demo.url}/setting/timezone?q=Madrid#x`);
    await page.goto(`${demo.url}/login`);
    await page.waitForURL(`${demo.url}/dashboard`);
    await context.close();
  });

  test('the permissions of the target page are requested by route name on each navigation', async () => {
    const { page, context } = await signedIn();
    const asked: string[] = [];
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.pathname === '/api/operation/permission') asked.push(url.searchParams.get('menuname') ?? '');
    });
    await openFromMenu(page, 'Settings', 'Time zone');
    await page.getByRole('heading', { name: 'Time zone', level: 1 }).waitFor();
    await tab(page, 'Monitor').click();
    await page.waitForURL(/\/monitor/);
    await expect.poll(() => asked).toEqual(expect.arrayContaining(['setting-timezone', 'monitor']));
    await context.close();
  });

  test('a group opens its first page, an unknown path opens /404, and /redirect reloads a page', async () => {
    const { page, context } = await signedIn();
    await page.goto(`${demo.url}/alarm`);
    await page.waitForURL(`${demo.url}/alarm/current`);
    await page.goto(`${demo.url}/no/such/page`);
    await page.waitForURL(`${demo.url}/404`);
    await page.goto(`${demo.url}/redirect/alarm/current?show=acknowledged`);
    await page.waitForURL(`${demo.url}/alarm/current?show=acknowledged`);
    await page.goto(`${demo.url}/redirect/%2F%2Fevil.example`);
    await page.waitForURL(`${demo.url}/404`);
    expect((await page.goto(`${demo.url}/redirect//evil.example`))?.status()).toBe(404);
    await context.close();
  });

  test('public routes (register, registered, API) need no login, and the app download is disabled', async () => {
    const { page, context } = await browser.open();
    await page.goto(`${demo.url}/register`);
    await page.getByText('Registration is closed').waitFor();
    await page.goto(`${demo.url}/registered?approval=pending`);
    await page.getByText('Your registration is waiting for approval').waitFor();
    await page.goto(`${demo.url}/appdownload`);
    await page.waitForURL(`${demo.url}/404`);
    await page.goto(`${demo.url}/apitool#getSite`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.locator('.api-answer').getByText('"status": "1"').waitFor();
    await context.close();
  });

  test.each([
    ['a visible entry of the menu', '/setting/timezone?q=UTC', '/setting/timezone?q=UTC'],
    ['a page that is not in the menu', '/404', '/'],
  ])('logout from %s sets the return address and closes all tabs', async (_, from, back) => {
    const { page, context } = await signedIn();
    await page.goto(demo.url + from);
    await page.getByRole('button', { name: /Account of/ }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.waitForURL(`${demo.url}/login?redirect=${encodeURIComponent(back)}`);
    expect(await page.evaluate(() => sessionStorage.getItem('isotherm.tabs'))).toBeNull();
    await context.close();
  });
});

/** Loses what the page requests from these addresses until the connection is `back`; counts what was lost. */
async function losing(page: Page, addresses: RegExp) {
  const lost = { count: 0, back: () => {} };
  let isDown = true;
  lost.back = () => {
    isDown = false;
  };
  await page.route(addresses, (route) => {
    if (!isDown) return route.continue();
    lost.count += 1;
    return route.abort();
  });
  return lost;
}

test('a stylesheet that was lost while pages were fetched ahead is loaded when the connection is back', async () => {
  const { page, context } = await browser.open();
  const sheets = /\/assets\/help[^/]*\.css$/;
  const lost = await losing(page, sheets);
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await expect.poll(() => lost.count).toBeGreaterThan(1);
  const loaded = page.waitForResponse((response) => sheets.test(response.url()));
  lost.back();
  expect((await loaded).ok()).toBe(true);
  await context.close();
});

test('a page whose code was lost while it was fetched ahead opens when the connection is back', async () => {
  const { page, faults, context } = await browser.open();
  const lost = await losing(page, /\/assets\/setting-timezone[^/]*\.js$/);
  await logInAs(page, demo.url, 'demo.manager', PASSWORD);
  await expect.poll(() => lost.count).toBeGreaterThan(0);
  lost.back();
  await openFromMenu(page, 'Settings', 'Time zone');
  await page.getByRole('heading', { name: 'Time zone', level: 1 }).waitFor();
  expect(faults).toEqual([]);
  await context.close();
});

describe('tab bar and kept pages', () => {
  test('filter, scroll position and input are kept during a visit to another page', async () => {
    const { page, faults, context } = await signedIn({ height: 560 });
    const watched: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        const said = JSON.parse(String(payload)) as { type: string; assetIds?: number[] };
        if (said.type === 'watch') watched.push(JSON.stringify(said.assetIds));
      }),
    );
    await page.reload();
    await page.getByPlaceholder('Filter assets').fill('e');
    await page.waitForURL(/q=e/);
    await shown(page).evaluate((frame) => frame.scrollTo(0, 120));
    await expect.poll(() => watched.at(-1)).not.toBe('[]');
    const left = await shown(page).evaluate((frame) => frame.scrollTop);
    expect(left).toBeGreaterThan(0);
    await openFromMenu(page, 'Settings', 'Time zone');
    await page.getByRole('heading', { name: 'Time zone', level: 1 }).waitFor();
    // A hidden page subscribes to nothing on the WebSocket and sends no requests.
    await expect.poll(() => watched.at(-1)).toBe('[]');
    const polled: string[] = [];
    page.on('request', (request) => polled.push(new URL(request.url()).pathname));
    await page.evaluate(() => window.dispatchEvent(new Event('focus')));
    expect(polled.filter((path) => path.includes('cards'))).toEqual([]);
    await tab(page, 'Monitor').click();
    await page.waitForURL(/monitor\?q=e/);
    expect(await page.getByPlaceholder('Filter assets').inputValue()).toBe('e');
    await expect.poll(() => shown(page).evaluate((frame) => frame.scrollTop)).toBe(left);
    await expect.poll(() => watched.at(-1)).not.toBe('[]');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('the context menu of a tab refreshes, closes, closes others and closes all, and a pinned tab stays', async () => {
    const { page, faults, context } = await signedIn();
    for (const [group, entry] of [
      ['Settings', 'Time zone'],
      ['Alarms', 'Current alarms'],
      ['Management', 'Data dictionary'],
    ] as const) {
      await openFromMenu(page, group, entry);
      await page.getByRole('heading', { name: entry, level: 1 }).waitFor();
    }
    expect(await names(page)).toEqual([
      'Dashboard',
      'Monitor',
      'Time zone',
      'Current alarms',
      'Data dictionary',
    ]);
    const choose = async (name: string, action: string) => {
      await tab(page, name).click({ button: 'right' });
      await page.getByRole('menuitem', { name: action, exact: true }).click();
      await expect.poll(() => page.getByRole('menuitem').count()).toBe(0);
    };
    await page.reload();
    await expect.poll(() => names(page)).toHaveLength(5);

    await tab(page, 'Time zone').click();
    await page.getByPlaceholder('City, zone or offset').fill('Madrid');
    await page.getByText('Europe/Madrid').waitFor();
    await choose('Time zone', 'Refresh');
    await page.waitForURL(/setting\/timezone\?q=Madrid/);
    await page.getByText('Europe/Madrid').waitFor();
    expect(await page.locator('.kept-page').count()).toBeLessThanOrEqual(4);

    await choose('Data dictionary', 'Close');
    expect(await names(page)).not.toContain('Data dictionary');
    await page.getByRole('button', { name: 'Close Time zone' }).click();
    await shown(page).getByRole('heading', { name: 'Current alarms', level: 1 }).waitFor();
    await openFromMenu(page, 'Settings', 'Time zone');
    await choose('Time zone', 'Close others');
    expect(await names(page)).toEqual(['Dashboard', 'Monitor', 'Time zone']);
    await choose('Monitor', 'Close all');
    await page.waitForURL(/\/monitor/);
    expect(await names(page)).toEqual(['Dashboard', 'Monitor']);
    expect(faults).toEqual([]);
    await context.close();
  });

  test("a record's page has the record's name and its own tab", async () => {
    const { page, context } = await signedIn();
    await page.getByText('Vaccine fridge 03').first().click();
    await tab(page, 'Vaccine fridge 03').waitFor();
    await tab(page, 'Monitor').click();
    await page.getByText('Vaccine fridge 04').first().click();
    await tab(page, 'Vaccine fridge 04').waitFor();
    expect(await names(page)).toEqual(['Dashboard', 'Monitor', 'Vaccine fridge 03', 'Vaccine fridge 04']);
    expect(await page.title()).toContain('Vaccine fridge 04');
    await context.close();
  });
});

test('the breadcrumb starts with Home unless on the first page', async () => {
  const { page, context } = await signedIn();
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem');
  expect(await crumbs.allTextContents()).toEqual(['Home', 'Monitoring', 'Monitor']);
  await openFromMenu(page, 'Monitoring', 'Dashboard');
  await expect.poll(() => crumbs.allTextContents()).toEqual(['Monitoring', 'Dashboard']);
  await openFromMenu(page, 'Settings', 'Time zone');
  await expect.poll(() => crumbs.allTextContents()).toEqual(['Home', 'Settings', 'Time zone']);
  await context.close();
});

test('Ctrl K searches pages in all four languages, assets and devices by keyboard, and remembers recent ones', async () => {
  const { page, context } = await signedIn();
  await page.keyboard.press('Control+k');
  const box = page.getByRole('combobox', { name: 'Search pages, actions and records' });
  await box.fill('时区');
  await page.getByRole('group', { name: 'Pages' }).getByRole('option', { name: 'Time zone' }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/setting\/timezone/);
  await page.keyboard.press('Control+k');
  await page.getByText('Recently opened').waitFor();
  expect(await page.getByRole('option').first().textContent()).toContain('Time zone');
  // Users often search an asset by its number.
  await box.fill('fridge 03');
  await page.getByRole('group', { name: 'Assets' }).getByRole('option').first().waitFor();
  expect(await page.getByRole('option').first().textContent()).toContain('Vaccine fridge 03');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/asset\/\d+/);
  await context.close();
});

test('the sidebar remembers its state in a cookie, and is a drawer below 992 px', async () => {
  const { page, context } = await signedIn();
  await page.getByRole('button', { name: 'Collapse menu' }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Expand menu' }).waitFor();
  expect(await page.locator('aside.sidebar').evaluate((aside) => aside.clientWidth)).toBeLessThan(50);
  await page.getByRole('button', { name: 'Management' }).click();
  await page.getByRole('menuitem', { name: 'Users' }).getByRole('link').click();
  await page.waitForURL(/management\/users/);
  await page.setViewportSize({ width: 991, height: 800 });
  await page.getByRole('button', { name: 'Open menu' }).click();
  await openFromMenu(page, 'Settings', 'Time zone');
  await page.waitForURL(/timezone/);
  await page.locator('.ant-drawer aside').waitFor({ state: 'hidden' });
  await context.close();
});

test('a development server shows its environment and databases', async () => {
  const { page, context } = await signedIn();
  await page.getByText('Development', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'System configuration' }).click();
  await page.locator('.system-config tbody tr').first().waitFor();
  await context.close();
});

test('two tabs whose token is about to expire renew it only once, and both continue', async () => {
  const { page, context, settled } = await signedIn();
  // Requests that are in progress. Every response extends the session, so all requests that were sent before
  // the session is shortened must be answered before that, or after the renewal.
  const passing = new Set<Request>();
  const held: Route[] = [];
  let isHolding = false;
  await context.route('**/api/**', async (route) => {
    if (isHolding) {
      held.push(route);
      return;
    }
    passing.add(route.request());
    await route.continue();
  });
  context.on('requestfinished', (request) => passing.delete(request));
  context.on('requestfailed', (request) => passing.delete(request));
  const other = await context.newPage();
  const hands = handsOn(other);
  await other.goto(`${demo.url}/alarm/current`);
  await other.getByRole('heading', { level: 1 }).waitFor();
  await Promise.all([settled(), hands.settled()]);
  const renewals: string[] = [];
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/auth/token') renewals.push(request.url());
  });
  isHolding = true;
  await expect.poll(() => passing.size).toBe(0);
  await page.evaluate(() => {
    const soon = Math.floor(Date.now() / 1000) + 60;
    // biome-ignore lint/suspicious/noDocumentCookie: the console itself reads the cookie this way.
    document.cookie = `isotherm.expiry=${soon}; Path=/; SameSite=Strict`;
  });
  isHolding = false;
  await Promise.all([
    openFromMenu(page, 'Settings', 'Time zone'),
    openFromMenu(other, 'Settings', 'Time zone'),
  ]);
  await expect.poll(() => renewals.length).toBe(1);
  await Promise.all(held.map((route) => route.continue()));
  for (const each of [page, other])
    await each.getByRole('heading', { name: 'Time zone', level: 1 }).waitFor();
  await Promise.all([settled(), hands.settled()]);
  expect(renewals).toHaveLength(1);
  await page.reload();
  await page.getByRole('heading', { name: 'Time zone', level: 1 }).waitFor();
  await context.close();
});

test('a session that cannot be renewed is logged out, and the login returns to the previous page', async () => {
  const { page, context, travel } = await signedIn();
  await page.evaluate(() => {
    localStorage.setItem('isotherm.token', 'gone');
    // biome-ignore lint/suspicious/noDocumentCookie: the console itself reads the cookie this way.
    document.cookie = 'isotherm.expiry=1; Path=/; SameSite=Strict';
  });
  // The page may already have been redirected because of one of its own requests, so an error here is
  // ignored.
  await travel('/setting/timezone').catch(() => undefined);
  await page.waitForURL(/\/login\?redirect=/);
  expect(await page.evaluate(() => localStorage.getItem('isotherm.token'))).toBeNull();
  await context.close();
});

test('after a restart of the server an open page shows the interruption, and continues by itself', async () => {
  const { page, context } = await signedIn();
  await page.getByText('Live', { exact: true }).waitFor();
  demo.server.signal('SIGKILL');
  await page.getByText(/Connection lost since/).waitFor({ timeout: 30_000 });
  await demo.startServer();
  await page.getByText(/Connection lost since/).waitFor({ state: 'hidden', timeout: 60_000 });
  await page.getByText('Live', { exact: true }).waitFor();
  await openFromMenu(page, 'Settings', 'Time zone');
  await page.getByText('Asia/Shanghai').first().waitFor();
  await context.close();
});
