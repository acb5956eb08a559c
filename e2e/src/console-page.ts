import { launchBrowser } from '@isotherm/testkit/browser';
import type { Browser, BrowserContext, Page, Request } from 'playwright-core';

export interface ConsoleBrowser {
  browser: Browser;
  /** A page in a context of its own; what goes wrong in it is kept in `faults`. */
  open(options?: {
    locale?: string;
    width?: number;
    height?: number;
    dark?: boolean;
    /** With what slides, fades and pulses; without, the page asks less of a machine with two cores. */
    moving?: boolean;
  }): Promise<ConsolePage>;
  close(): Promise<void>;
}

export interface ConsolePage extends Hands {
  page: Page;
  context: BrowserContext;
  /** Errors of the console's own scripts and of its content security policy. */
  faults: string[];
}

interface Hands {
  /** Opens an address of the console within the loaded page, as a link does: nothing is loaded anew. */
  travel(path: string): Promise<void>;
  /** Resolves when the shown page has all its answers and nothing in it moves any more. */
  settled(): Promise<void>;
}

const ANSWERED_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 20;

/** What the network does while a fault is staged is not the page's fault. */
const EXPECTED = /Failed to load resource|WebSocket connection|net::ERR/;

/** Runs in the page. True after two frames in which something stands there and nothing loads or moves. */
async function isAtRest(): Promise<boolean> {
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  await frame();
  await frame();
  const isShown = (element: Element) => element.getClientRects().length > 0;
  const isBusy = [...document.querySelectorAll('[aria-busy="true"]')].some(isShown);
  // What is about to appear has its class before its animation.
  const moves =
    document.querySelector('[class*="-appear"], [class*="-enter"], [class*="-leave"]') !== null ||
    document
      .getAnimations()
      .some((each) => each.playState === 'running' && each.effect?.getTiming().iterations !== Infinity);
  return !isBusy && !moves && [...document.querySelectorAll('h1, h2, form')].some(isShown);
}

export async function startConsoleBrowser(): Promise<ConsoleBrowser> {
  const browser = await launchBrowser();
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

/** For a page that has not loaded anything yet. */
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
      // What the last answer brought is drawn, and may slide in.
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

/** Logs in through the form, as a person does. */
export async function logInAs(page: Page, url: string, username: string, password: string): Promise<void> {
  await page.goto(`${url}/login`);
  await fillLogIn(page, username, password);
  await page.waitForURL((address) => !address.pathname.startsWith('/login'));
}

/** The form of the login page that stands open. */
export async function fillLogIn(page: Page, username: string, password: string): Promise<void> {
  await page.locator('input[autocomplete="username"]').fill(username);
  await page.locator('input[type="password"]').fill(password);
  await page.keyboard.press('Enter');
}
