import { launchBrowser } from '@isotherm/testkit/browser';
import { bundledChromium } from '@isotherm/testkit/bundled-chromium';
import { chromium } from 'playwright-core';
import { expect, test } from 'vitest';

test('a browser is found, and shows a page', async () => {
  const browser = await launchBrowser();
  try {
    const page = await (await browser.newContext({ locale: 'zh-CN' })).newPage();
    await page.setContent('<button onclick="this.textContent = navigator.language">press</button>');
    await page.getByRole('button').click();
    expect(await page.getByRole('button').textContent()).toBe('zh-CN');
  } finally {
    await browser.close();
  }
});

test('the bundled browser runs on the platform that it is built for', async () => {
  const bundled = await bundledChromium();
  expect(bundled !== undefined).toBe(process.platform === 'linux' && process.arch === 'x64');
  if (!bundled) return;
  const browser = await chromium.launch({
    executablePath: bundled.executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
    env: { ...process.env, ...bundled.environment } as Record<string, string>,
  });
  expect(Number.parseInt(browser.version(), 10)).toBeGreaterThan(100);
  await browser.close();
});
