import { listOrganizations } from '@isotherm/contracts/organizations';
import { listRoles } from '@isotherm/contracts/roles';
import { createUser } from '@isotherm/contracts/users';
import { can } from '@isotherm/domain/access/can';
import { MENU, type MenuPage } from '@isotherm/domain/access/menu';
import { type AccountType, SYSTEM_ROLES } from '@isotherm/domain/access/roles';
import { SYSTEM_ROLE_CODES, type SystemRole } from '@isotherm/domain/access/system-roles';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type DemoServer, startDemoServer } from '@isotherm/testkit/demo-server';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { type ConsoleBrowser, startConsoleBrowser } from './console-page.ts';
import { stands } from './page-checks.ts';

/**
 * Tests that each seeded role signs in for the first time and sees exactly its menu (issue 3, "Done when").
 */
let demo: DemoServer;
let browser: ConsoleBrowser;

const ROLES = SYSTEM_ROLE_CODES;
const ACCOUNT_TYPE: Partial<Record<SystemRole, AccountType>> = {
  'platform-administrator': 'administrator',
  'top-agent': 'top-agent',
  agent: 'agent',
};
const NEW_PASSWORD = 'Warm-Kettle-2026';

beforeAll(async () => {
  demo = await startDemoServer({ LOG_LEVEL: 'warn' });
  const platform = await logIn(demo.url, 'demo.platform', 'Isotherm-2026');
  const [organizations, roles] = [await platform.call(listOrganizations), await platform.call(listRoles)];
  const organizationId = organizations.find(({ code }) => code === 'DEMO')?.id as number;
  for (const role of ROLES) {
    const roleId = roles.find(({ code }) => code === role)?.id as number;
    await platform.call(createUser, {
      body: {
        username: `first.${role}`,
        realname: 'First Day',
        organizationId,
        accountType: ACCOUNT_TYPE[role] ?? 'staff',
        roleIds: [roleId],
      },
    });
  }
  browser = await startConsoleBrowser();
});
afterAll(async () => {
  await browser?.close();
  await demo?.stop();
});

/** Returns the addresses in the sidebar of a role, derived from the catalogue. */
function menuOf(role: SystemRole, pages: readonly MenuPage[] = MENU): string[] {
  const held = new Set<string>(SYSTEM_ROLES[role]);
  return pages.flatMap((page) => {
    if (page.hidden || page.sandboxOnly || (page.permission && !can(held, page.permission))) return [];
    return page.children.length > 0 ? menuOf(role, page.children) : [`/${page.path}`];
  });
}

/**
 * Performs the first login with the initial password, which equals the account and is valid once (decision
 * 13).
 */
async function firstLogin(page: Page, username: string): Promise<void> {
  await page.goto(`${demo.url}/login`);
  await page.locator('input[autocomplete="username"]').fill(username);
  await page.locator('input[type="password"]').fill(username);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Change your password' }).waitFor();
  for (const field of await page.locator('input[autocomplete="new-password"]').all())
    await field.fill(NEW_PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => !url.pathname.startsWith('/login'));
}

async function sidebar(page: Page): Promise<string[]> {
  const menu = page.getByRole('navigation', { name: 'Menu' });
  await menu.getByRole('link').first().waitFor();
  for (let closed = menu.locator('[aria-expanded="false"]'); (await closed.count()) > 0; )
    await closed.first().click();
  return menu
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
}

test.concurrent.for(ROLES)(
  '%s signs in, sees exactly its menu, and each page of it opens',
  async (role, { expect }) => {
    const { page, faults, context, travel, settled } = await browser.open();
    await firstLogin(page, `first.${role}`);
    const expected = menuOf(role);
    await settled();
    // The page frame may be rendered once more after the first login.
    await expect.poll(() => sidebar(page)).toEqual(expected);
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.url().includes('/api/') && response.status() >= 400)
        refused.push(`${response.status()} ${new URL(response.url()).pathname}`);
    });
    for (const path of expected) {
      await travel(path);
      await page.waitForURL(demo.url + path);
      await stands(page, 'h1');
      await settled();
      expect(new URL(page.url()).pathname).toBe(path);
    }
    expect(refused).toEqual([]);
    expect(faults).toEqual([]);
    // Pages that are not in the menu of this role do not exist for the role.
    for (const path of menuOf('platform-administrator').filter((each) => !expected.includes(each))) {
      await travel(path);
      await page.waitForURL(`${demo.url}/404`);
    }
    await context.close();
  },
);
