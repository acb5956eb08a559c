import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** By far the slowest rule: it renders each line of text. */
const CONTRAST = ['color-contrast'];

/**
 * Themes, widths and languages in which every page is checked, the longest texts first. Dark differs from
 * light only in contrasts; on a phone and in another language contrasts stay the same.
 */
export const DRESSES = [
  { name: 'light and dark', locale: 'en-US', alsoDark: true },
  { name: 'phone', locale: 'en-US', width: 390, height: 844, rules: { without: CONTRAST } },
  { name: 'zh-CN', locale: 'zh-CN', rules: { without: CONTRAST } },
  {
    name: 'zh-TW dark phone',
    locale: 'zh-TW',
    dark: true,
    width: 390,
    height: 844,
    rules: { without: CONTRAST },
  },
  { name: 'es', locale: 'es-ES', rules: { without: CONTRAST } },
];

/** Serious or critical accessibility violations found by axe. */
export function violations(page: Page, { without = [] }: { without?: string[] } = {}): Promise<string[]> {
  return runAxe(page, { rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])) });
}

/** Labels of controls and columns that are cut off without a tooltip. */
export function clippedLabels(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const isShown = (element: Element) => element.getClientRects().length > 0;
    const isCut = (element: HTMLElement) =>
      element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== 'visible';
    return [...document.querySelectorAll<HTMLElement>('button, [role="tab"], th, label, .tag')]
      .filter(
        (element) => isShown(element) && !element.closest('.visually-hidden, [title]') && isCut(element),
      )
      .map((element) => `cut off: ${element.textContent?.trim() ?? ''}`);
  });
}

/** Text with insufficient contrast. */
export function faintWords(page: Page): Promise<string[]> {
  return runAxe(page, { runOnly: CONTRAST });
}

async function runAxe(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  const results = await page.evaluate(
    (given) =>
      // Hidden pages stay in the document; each is checked when it is visible.
      (globalThis as unknown as { axe: typeof import('axe-core') }).axe.run(
        { include: ['html'], exclude: ['.kept-page[style*="display: none"]'] },
        { resultTypes: ['violations'], ...given },
      ),
    options,
  );
  return results.violations
    .filter((violation) => violation.impact === 'serious' || violation.impact === 'critical')
    .map(
      (violation) =>
        `${violation.id}: ${violation.nodes.map((node) => `${node.html.slice(0, 120)} (${node.failureSummary})`).join(' | ')}`,
    );
}

/** Pixels by which the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/**
 * Resolves in the frame in which the element or text is visible in the open page, drawer or dialog. Locators
 * poll every half second, which is too slow for a hundred pages in six variants.
 */
export async function stands(page: Page, ready: string): Promise<void> {
  await page.waitForFunction((wanted) => {
    const isShown = (element: Element) => element.getClientRects().length > 0;
    const frames = [...document.querySelectorAll<HTMLElement>('.kept-page, .ant-drawer, .ant-modal')];
    return frames
      .filter(isShown)
      .some((frame) =>
        wanted.startsWith('text=')
          ? frame.textContent?.includes(wanted.slice('text='.length))
          : [...frame.querySelectorAll(wanted)].some(isShown),
      );
  }, ready);
}
