import { existsSync } from 'node:fs';
import { chromium, type Browser as PlaywrightBrowser } from 'playwright-core';
import { type Browser, bundledChromium } from './bundled-chromium.ts';

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/microsoft-edge',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:/Program Files/Google/Chrome/Application/chrome.exe',
  'C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe',
];

/**
 * The browser causes no traffic of its own and uses no GPU. It has no sandbox, because a sandbox does not
 * work as root; it opens only our own pages.
 */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
  '--enable-unsafe-swiftshader',
  '--autoplay-policy=no-user-gesture-required',
  // Test cameras use the loopback address, also on a machine without a network.
  '--allow-loopback-in-peer-connection',
];

/**
 * Finds a browser for tests: the one in CHROME_PATH, otherwise an installed one, otherwise the one in an npm
 * package.
 * @throws {Error} if there is none, because browser tests are never silently skipped.
 */
export async function findBrowser(): Promise<Browser> {
  const named = process.env.CHROME_PATH;
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROME_PATH is ${named}, where there is no file.`);
    return { executablePath: named, environment: {} };
  }
  const installed = SYSTEM_BROWSERS.find((path) => existsSync(path));
  const found = installed ? { executablePath: installed, environment: {} } : await bundledChromium();
  if (!found)
    throw new Error('No browser for the tests: install Chrome or Chromium, or set CHROME_PATH to one.');
  return found;
}

/**
 * Starts the browser. Pages are opened by `newContext({ locale })`; `close()` ends all of them. With `hasWebGl: false` it is
 * a browser without WebGL.
 */
export async function launchBrowser({ hasWebGl = true } = {}): Promise<PlaywrightBrowser> {
  const { executablePath, environment } = await findBrowser();
  return chromium.launch({
    executablePath,
    headless: true,
    args: hasWebGl ? ARGUMENTS : [...ARGUMENTS, '--disable-3d-apis'],
    env: { ...process.env, LANG: 'en_US.UTF-8', ...environment } as Record<string, string>,
  });
}
