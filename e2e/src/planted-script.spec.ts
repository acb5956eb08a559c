import { createAuthorization } from '@isotherm/contracts/authorizations';
import { createBrand } from '@isotherm/contracts/brands';
import { provisionDevices } from '@isotherm/contracts/devices';
import { createDictionary } from '@isotherm/contracts/dictionary';
import { createMenu } from '@isotherm/contracts/menus';
import { createOrganization, listOrganizations } from '@isotherm/contracts/organizations';
import { createRole, listRoles } from '@isotherm/contracts/roles';
import { createUser } from '@isotherm/contracts/users';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConsoleBrowser, logInAs, startConsoleBrowser } from './console-page.ts';
import { loadedItem } from './loaded-device.ts';
import { stands } from './page-checks.ts';

/** Tests that scripts in names are displayed as text on every page (issue 3, "Bad input"). */
const PLANTED = `<img src=x onerror="window.planted=1">{{7*7}}`;
const SHORT = '<img src=x onerror=planted=1>';
const PASSWORD = 'Isotherm-2026';

let demo: DemoServer;
let browser: ConsoleBrowser;
let userId = 0;

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn', ISOTHERM_ENVIRONMENT: 'development' });
  const platform = await logIn(demo.url, 'demo.platform', PASSWORD);
  const organizations = await platform.call(listOrganizations);
  const parentId = organizations.find(({ code }) => code === 'DEMO')?.id as number;
  const titles = { en: SHORT, es: SHORT, 'zh-CN': SHORT, 'zh-TW': SHORT };
  const planted = await platform.call(createOrganization, {
    body: {
      parentId,
      code: 'PLANTED',
      name: PLANTED,
      level: 'unit',
      location: PLANTED,
      description: PLANTED,
    },
  });
  await platform.call(createRole, {
    body: { name: SHORT, description: PLANTED, organizationId: planted.id, pagePermissions: [] },
  });
  const roles = await platform.call(listRoles);
  const roleId = roles.find(({ code }) => code === 'operator')?.id as number;
  const user = await platform.call(createUser, {
    body: {
      username: 'planted<b>user</b>',
      realname: 'Planted',
      organizationId: planted.id,
      accountType: 'staff',
      roleIds: [roleId],
      address: PLANTED,
      description: PLANTED,
    },
  });
  userId = user.id;
  await platform.call(createDictionary, { body: { code: 'planted', titles, description: PLANTED } });
  await platform.call(createMenu, {
    body: { parentId: null, name: 'planted', titles, path: 'https://example.org/', component: '/layout' },
  });
  await platform.call(createBrand, {
    body: {
      environment: 'development',
      host: null,
      title: SHORT,
      collapsedTitle: '<b>x',
      pageTitle: `${SHORT}</title>`,
      copyrightEntity: PLANTED,
      filing: PLANTED,
      supportNote: PLANTED,
      wechatAccount: SHORT,
    },
  });
  await platform.call(createAuthorization, {
    body: { name: SHORT, organizationId: planted.id, permissions: ['monitor:view'], kind: 'key' },
  });
  const item = loadedItem('70000001');
  const manager = await logIn(demo.url, 'demo.manager', PASSWORD);
  await manager.call(provisionDevices, {
    body: {
      items: [{ ...item, asset: { ...item.asset, name: SHORT }, device: { ...item.device, name: SHORT } }],
    },
  });
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

test('a script planted in names runs on no page', async () => {
  const { page, faults, context, travel, settled } = await browser.open();
  const look = async (what: string) => {
    await settled();
    const ran = await page.evaluate(() => ({
      flag: 'planted' in window,
      picture: document.querySelector('img[src="x"]') !== null,
      seven: document.body.textContent.includes('}}49') || document.body.textContent.includes('>49'),
    }));
    expect(ran, what).toEqual({ flag: false, picture: false, seven: false });
    expect(faults, what).toEqual([]);
  };
  await page.goto(`${demo.url}/login`);
  await page.locator('input[type="password"]').waitFor();
  await look('login');
  expect(await page.locator('.login-brand').first().textContent()).toContain('<img');
  await page.goto(`${demo.url}/apitool`);
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  await look('API page');
  await logInAs(page, demo.url, 'demo.platform', PASSWORD);
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await menu.getByRole('link').first().waitFor();
  await settled();
  for (let closed = menu.locator('[aria-expanded="false"]'); (await closed.count()) > 0; )
    await closed.first().click();
  const paths = await menu.getByRole('link').evaluateAll((links) =>
    links
      .map((link) => new URL((link as HTMLAnchorElement).href))
      .filter(({ origin }) => origin === location.origin)
      .map(({ pathname }) => pathname),
  );
  expect(paths.length).toBeGreaterThan(10);
  for (const path of [
    ...paths,
    `/management/users/${userId}`,
    '/management/dictionary?dictionary=planted',
    '/management/organizations?q=PLANTED',
  ]) {
    await travel(path);
    await page.waitForURL(demo.url + path);
    await stands(page, 'h1');
    await look(path);
  }
  // The asset's own page, the search and the audit log are checked as well.
  await travel('/monitor');
  await page.locator('.kept-page:visible').getByText(SHORT).first().waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search pages, actions and records' }).fill('img');
  await page.getByRole('group', { name: 'Assets' }).getByRole('option').first().waitFor();
  await look('search');
  await page.keyboard.press('Escape');
  await context.close();
});
