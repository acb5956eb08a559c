import { launchBrowser } from '@isotherm/testkit/browser';
import type { Browser, BrowserContext, Page } from 'playwright-core';

export interface ConsoleBrowser {
  browser: Browser;
  /** A page in a context of its own; what goes wrong in it is kept in `faults`. */
  open(options?: { locale?: string; width?: number; height?: number; dark?: boolean }): Promise<ConsolePage>;
  close(): Promise<void>;
}

export interface ConsolePage {
  page: Page;
  context: BrowserContext;
  /** Errors of the console's own scripts and of its content security policy. */
  faults: string[];
}

/** What the network does while a fault is staged is not the page's fault. */
const EXPECTED = /Failed to load resource|WebSocket connection|net::ERR/;

export async function startConsoleBrowser(): Promise<ConsoleBrowser> {
  const browser = await launchBrowser();
  return {
    browser,
    async open({ locale = 'en-US', width = 1440, height = 900, dark = false } = {}) {
      const context = await browser.newContext({
        locale,
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        timezoneId: 'Asia/Shanghai',
      });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' && !EXPECTED.test(message.text())) faults.push(message.text());
      });
      return { page, context, faults };
    },
    close: () => browser.close(),
  };
}

/** Logs in through the form, as a person does. */
export async function logInAs(page: Page, url: string, username: string, password: string): Promise<void> {
  await page.goto(`${url}/login`);
  await page.locator('input[autocomplete="username"]').fill(username);
  await page.locator('input[type="password"]').fill(password);
  await page.keyboard.press('Enter');
  await page.waitForURL((address) => !address.pathname.startsWith('/login'));
}
