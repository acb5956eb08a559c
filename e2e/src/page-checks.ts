import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The contrast rule is by far the slowest one, because it renders each line of text. */
const CONTRAST = ['color-contrast'];

/**
 * Themes, widths and languages in which every page is checked, those with the longest texts first. Dark
 * differs from light only in contrasts; on a phone and in another language contrasts stay the same.
 */
export const DRESSES = [
  { name: 'light and dark', locale: 'en-US', alsoDark: true },
  { name: 'phone', locale: 'en-US', width: 390, height: 844, fingers: true, rules: { without: CONTRAST } },
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

/** Returns serious or critical accessibility violations found by axe. */
export function violations(page: Page, { without = [] }: { without?: string[] } = {}): Promise<string[]> {
  return runAxe(page, { rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])) });
}

/** Returns labels of controls and columns that are cut off without a tooltip. */
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

/**
 * Returns controls whose target is smaller than 44 px: a touch 21 px above, below, left or right of their
 * centre would hit something else. Of equal controls, such as those of the rows of a list, three are
 * measured.
 */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const REACH = 21;
    const CONTROLS = 'a[href], button, input, textarea, [role="tab"], [role="switch"], [role="combobox"]';
    // A click on the frame of a control counts as a click on the control.
    const FRAMES = 'label, .field, .ant-select, .ant-picker, .ant-tabs-tab, .ant-segmented-item';
    const isMeasured = (element: HTMLElement) =>
      element.getClientRects().length > 0 &&
      element.closest('.visually-hidden, .skip-link, [inert], [aria-hidden="true"]') === null &&
      getComputedStyle(element).visibility === 'visible';
    const seen = new Map<string, number>();
    const small: string[] = [];
    for (const element of document.querySelectorAll<HTMLElement>(CONTROLS)) {
      if (!isMeasured(element)) continue;
      const kind = `${element.tagName}.${element.className} in ${element.parentElement?.className}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      if ((seen.get(kind) ?? 0) > 3) continue;
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const frame = element.closest(FRAMES) ?? element;
      const { left, right, top, width, height } = frame.getBoundingClientRect();
      // The control is a tab that is partly scrolled out of the row.
      const row = frame.closest('.ant-tabs-nav-wrap')?.getBoundingClientRect();
      if (row && (left < row.left + REACH || right > row.right - REACH)) continue;
      const [x, y] = [left + width / 2, top + height / 2];
      const isHit = (dx: number, dy: number) => {
        const hit = document.elementFromPoint(x + dx, y + dy);
        return hit === null || frame.contains(hit);
      };
      // The control is covered by a drawer or dialog.
      if (!isHit(0, 0)) continue;
      const missed = [
        [0, -REACH],
        [0, REACH],
        [-REACH, 0],
        [REACH, 0],
      ].filter(([dx = 0, dy = 0]) => !isHit(dx, dy));
      if (missed.length > 0)
        small.push(
          `target below 44 px: ${kind} "${element.textContent?.trim().slice(0, 30)}" (${Math.round(width)} x ${Math.round(height)}, missed ${missed.join(' ')})`,
        );
    }
    return small;
  });
}

/** Returns text with insufficient contrast. */
export function faintWords(page: Page): Promise<string[]> {
  return runAxe(page, { runOnly: CONTRAST });
}

async function runAxe(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe);
  // A stylesheet that was lost with the connection is loaded again first: axe would embed it, against the policy of the page.
  await page.waitForFunction(() =>
    [...document.styleSheets].every((sheet) => {
      try {
        return sheet.cssRules !== null;
      } catch {
        return false;
      }
    }),
  );
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

/** Returns the number of pixels by which the page is wider than the screen. */
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
