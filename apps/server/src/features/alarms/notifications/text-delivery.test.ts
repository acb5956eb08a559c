import { expect, test } from 'vitest';
import { createTextDelivery } from './text-delivery.ts';

test('messages that cannot be paid take no place of one that can be sent', async () => {
  const begun: string[] = [];
  let claims = 0;
  const delivery = createTextDelivery({
    texts: {
      // Twenty claims bring nothing that can be sent.
      claim: async () => {
        claims += 1;
        const isLast = claims > 20;
        return { attempts: isLast ? [async () => void begun.push('paid')] : [], isAll: isLast };
      },
      settleOver: async () => false,
    },
    log: { warn: () => undefined },
    onFree: () => undefined,
  });
  expect(await delivery.deliver()).toBe(false);
  await delivery.finish();
  expect(begun).toEqual(['paid']);
});

test('no more attempts run at once than a process may make', async () => {
  const ends: (() => void)[] = [];
  let running = 0;
  const delivery = createTextDelivery({
    texts: {
      claim: async (most) => ({
        attempts: Array.from({ length: most }, () => async () => {
          running += 1;
          await new Promise<void>((resolve) => ends.push(resolve));
          running -= 1;
        }),
        isAll: false,
      }),
      settleOver: async () => false,
    },
    log: { warn: () => undefined },
    onFree: () => undefined,
  });
  expect(await delivery.deliver()).toBe(true);
  expect(running).toBe(16);
  expect(await delivery.deliver()).toBe(false);
  expect(running).toBe(16);
  for (const end of ends) end();
  await delivery.finish();
  expect(running).toBe(0);
});
