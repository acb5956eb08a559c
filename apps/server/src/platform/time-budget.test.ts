import { expect, it } from 'vitest';
import { createTimeBudget } from './time-budget.ts';

it('an owner whose time budget is used up is refused until the stated time, and other owners are not', async () => {
  let now = 0;
  const budget = createTimeBudget(1_000, () => now);
  const work = (ms: number) => async () => {
    now += ms;
    return 'done';
  };
  expect(await budget.spend('anna', work(600))).toBe('done');
  expect(await budget.spend('anna', work(600))).toBe('done');
  await expect(budget.spend('anna', work(1))).rejects.toMatchObject({
    code: 'request.too_many',
    params: { seconds: 899 },
  });
  expect(await budget.spend('ben', work(1))).toBe('done');
  now += 15 * 60_000;
  expect(await budget.spend('anna', work(1))).toBe('done');
});

it('work that fails also counts towards the time budget', async () => {
  let now = 0;
  const budget = createTimeBudget(1_000, () => now);
  const failing = () =>
    budget.spend('anna', async () => {
      now += 1_000;
      throw new Error('broke');
    });
  await expect(failing()).rejects.toThrow('broke');
  await expect(failing()).rejects.toMatchObject({ code: 'request.too_many' });
});

it('an owner gets a new time budget after the window, among thousands of others', async () => {
  let now = 0;
  const budget = createTimeBudget(1, () => now);
  for (let i = 0; i < 3_000; i++) {
    now += 1_000;
    await budget.spend(`owner ${i}`, async () => {});
  }
  expect(await budget.spend('owner 0', async () => 'done')).toBe('done');
});
