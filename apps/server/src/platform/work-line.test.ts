import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createWorkLine } from './work-line.ts';

test('what is asked for during a turn is done in one more turn, however often', async () => {
  let turns = 0;
  const line = createWorkLine(
    async () => {
      turns++;
      await sleep(1);
    },
    () => undefined,
  );
  line.begin();
  line.begin();
  line.begin();
  await line.ended();
  expect(turns).toBe(2);
  line.begin();
  await line.ended();
  expect(turns).toBe(3);
});

test('a turn that is asked for when the one before has just ended is not lost', async () => {
  let turns = 0;
  const line = createWorkLine(
    async () => {
      turns++;
    },
    () => undefined,
  );
  for (let asked = 0; asked < 100; asked++) {
    const before = turns;
    line.begin();
    for (let ticks = 0; ticks < asked % 7; ticks++) await null;
    line.begin();
    await line.ended();
    await sleep(0);
    expect(turns).toBeGreaterThan(before);
    expect(turns).toBeLessThanOrEqual(before + 2);
  }
});

test('an error is told and ends neither the line nor the turn that was asked for', async () => {
  const errors: string[] = [];
  let turns = 0;
  const line = createWorkLine(
    async () => {
      turns++;
      throw new Error(`turn ${turns}`);
    },
    ({ message }) => errors.push(message),
  );
  line.begin();
  line.begin();
  await line.ended();
  line.begin();
  await line.ended();
  expect(errors).toEqual(['turn 1', 'turn 2', 'turn 3']);
});
