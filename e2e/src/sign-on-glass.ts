import type { Page } from 'playwright-core';

/** Signs a hand-over with the pointer, as with a finger on glass. */
export async function sign(page: Page): Promise<void> {
  const pad = page.getByRole('img', { name: 'Sign here with a finger', exact: true });
  // In the middle, since the action of the page lies over its lower end.
  await pad.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
  const box = await pad.boundingBox();
  if (!box) throw new Error('there is no place to sign');
  const at = (share: number) =>
    [box.x + box.width * share, box.y + box.height * (0.4 + 0.2 * Math.sin(share * 20))] as const;
  await page.mouse.move(...at(0.1));
  await page.mouse.down();
  for (let share = 0.1; share < 0.8; share += 0.02) await page.mouse.move(...at(share));
  await page.mouse.up();
}
