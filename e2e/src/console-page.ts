import { launchBrowser } from '@isotherm/testkit/browser';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';

export interface ConsoleBrowser {
  browser: Browser;
  /** Opens a page in its own browser context; its errors are collected in `faults`. */
  open(options?: {
    locale?: string;
    width?: number;
    height?: number;
    dark?: boolean;
    /**
     * Whether animations are enabled; without them, the page needs less processor time on a machine with two
     * cores.
     */
    moving?: boolean;
  }): Promise<ConsolePage>;
  close(): Promise<void>;
}

export interface ConsolePage extends Hands {
  page: Page;
  context: BrowserContext;
  /** Errors of the console's scripts and violations of its content security policy. */
  faults: string[];
}

interface Hands {
  /** Opens an address inside the loaded page, like a link, without a page load. */
  travel(path: string): Promise<void>;
  /** Resolves when the visible page is loaded and no animation is running. */
  settled(): Promise<void>;
}

const ANSWERED_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 20;

/** Network errors that are expected while a test causes a fault. */
const EXPECTED = /Failed to load resource|WebSocket connection|net::ERR/;

/** Returns true after two frames with content in which nothing loads or moves. Runs in the page. */
async function isAtRest(): Promise<boolean> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await frame();
  await frame();
  const isShown = (element: Element) => element.getClientRects().length > 0;
  const isBusy = [...document.querySelectorAll('[aria-busy="true"]')].some(isShown);
  // An element that is about to appear has its animation class before the animation starts.
  const moves =
    document.querySelector('[class*="-appear"], [class*="-enter"], [class*="-leave"]') !== null ||
    document
      .getAnimations()
      .some((each) => each.playState === 'running' && each.effect?.getTiming().iterations !== Infinity);
  return !isBusy && !moves && [...document.querySelectorAll('h1, h2, form')].some(isShown);
}

export async function startConsoleBrowser(
  options?: Parameters<typeof launchBrowser>[0],
): Promise<ConsoleBrowser> {
  const browser = await launchBrowser(options);
  return {
    browser,
    async open({ locale = 'en-US', width = 1440, height = 900, dark = false, moving = false } = {}) {
      const context = await browser.newContext({
        locale,
        viewport: { width, height },
        colorScheme: dark ? 'dark' : 'light',
        reducedMotion: moving ? 'no-preference' : 'reduce',
        timezoneId: 'Asia/Shanghai',
      });
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' && !EXPECTED.test(message.text())) faults.push(message.text());
      });
      return { page, context, faults, ...handsOn(page) };
    },
    close: () => browser.close(),
  };
}

/** Returns helper functions for a page that has not loaded anything yet. */
export function handsOn(page: Page): Hands {
  const underWay = new Set<Request>();
  page.on('request', (request) => request.url().includes('/api/') && underWay.add(request));
  page.on('requestfinished', (request) => underWay.delete(request));
  page.on('requestfailed', (request) => underWay.delete(request));
  return {
    async travel(path) {
      await page.evaluate((to) => {
        history.pushState(null, '', to);
        dispatchEvent(new PopStateEvent('popstate', { state: null }));
      }, path);
    },
    async settled() {
      await page.waitForFunction(isAtRest);
      await answered(underWay);
      // Waits until the last response is rendered, possibly with an animation.
      await page.waitForFunction(isAtRest);
    },
  };
}

async function answered(underWay: ReadonlySet<Request>): Promise<void> {
  const deadline = Date.now() + ANSWERED_WITHIN_MS;
  while (underWay.size > 0) {
    const [first] = underWay;
    if (Date.now() > deadline) throw new Error(`no answer from ${first?.url()}`);
    await new Promise((again) => setTimeout(again, LOOK_AGAIN_MS));
  }
}

/** Logs in through the form and opens the wall. */
export async function logInAs(page: Page, url: string, username: string, password: string): Promise<void> {
  await page.goto(`${url}/login?redirect=%2Fmonitor`);
  await fillLogIn(page, username, password);
  await page.waitForURL((address) => !address.pathname.startsWith('/login'));
}

/** Fills in the open login form. */
export async function fillLogIn(page: Page, username: string, password: string): Promise<void> {
  await page.locator('input[autocomplete="username"]').fill(username);
  await page.locator('input[type="password"]').fill(password);
  await page.keyboard.press('Enter');
}
