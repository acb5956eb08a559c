import type { CommandAnswer } from '@isotherm/contracts/commands';
import { expect, test } from 'vitest';
import { type ReceivedCommand, TryAgain } from '../client/uplink.ts';
import { createObedience } from './obedience.ts';

/** Creates a device that records its actions, and a server that can be made unreachable. */
function deviceOf(locked = false) {
  const said: string[] = [];
  const done: string[] = [];
  const server = { online: true, taking: true };
  const obedience = createObedience(
    {
      async answer({ id, state, reason }: CommandAnswer) {
        if (!server.taking) throw new TryAgain('lost', 0);
        said.push(`${id} ${state} ${reason}`);
      },
      leave: (forMs) => void done.push(`leaves for ${forMs}`),
      online: () => server.online,
    },
    {
      setAcquisitionInterval: (everyMs) => void done.push(`measures every ${everyMs}`),
      setUploadInterval: (everyMs) => void done.push(`sends every ${everyMs}`),
      switchOff: (untilMs) => void done.push(`off until ${untilMs}`),
    },
    locked,
  );
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
  return {
    said,
    done,
    server,
    async take(kind: ReceivedCommand['kind'], id = 1, seconds: number | null = null) {
      obedience.take({ id, kind, seconds, offer: null }, 0);
      await settled();
    },
    async tick(nowMs: number) {
      obedience.tick(nowMs);
      await settled();
    },
  };
}

test.each([
  ['acquisition-interval', 30, ['measures every 30000']],
  ['upload-interval', 60, ['sends every 60000']],
  ['offline-standard', null, []],
  ['alarm-limits', null, []],
] as const)(
  'for %s, the device reports progress, executes the command, then reports success',
  async (kind, seconds, deeds) => {
    const { said, done, take, tick } = deviceOf();
    await take(kind, 1, seconds);
    await tick(1_000);
    expect([said, done]).toEqual([['1 configuring 0'], []]);
    await tick(2_000);
    await tick(3_000);
    expect([said, done]).toEqual([['1 configuring 0', '1 success 0'], deeds]);
  },
);

test('for a reboot, the device disconnects for some seconds and then reports success', async () => {
  const { said, done, server, take, tick } = deviceOf();
  await take('reboot');
  expect(done).toEqual(['off until 6000', 'leaves for 6000']);
  server.online = false;
  await tick(6_000);
  expect(said).toEqual(['1 configuring 0']);
  server.online = true;
  await tick(8_000);
  expect(said).toEqual(['1 configuring 0', '1 success 0']);
  expect(done).toHaveLength(2);
});

test('a shutdown is reported before it happens, and lasts until the device is switched on', async () => {
  const { said, done, take, tick } = deviceOf();
  await take('shutdown');
  expect(done).toEqual([]);
  await tick(2_000);
  expect(said).toEqual(['1 configuring 0', '1 success 0']);
  expect(done).toEqual(['off until 302000', 'leaves for 300000']);
});

test('a locked device refuses a command with its reason, and does nothing', async () => {
  const { said, done, take, tick } = deviceOf(true);
  await take('acquisition-interval', 1, 30);
  await tick(5_000);
  expect([said, done]).toEqual([['1 failed 7'], []]);
});

test('an unacknowledged answer is repeated in order, and a repeated command is executed only once', async () => {
  const { said, done, server, take, tick } = deviceOf();
  server.taking = false;
  await take('acquisition-interval', 1, 30);
  await tick(2_000);
  await take('acquisition-interval', 1, 30);
  expect(said).toEqual([]);
  server.taking = true;
  await tick(3_000);
  expect(said).toEqual(['1 configuring 0', '1 success 0']);
  await take('acquisition-interval', 1, 30);
  expect(said.slice(2)).toEqual(['1 success 0']);
  expect(done).toEqual(['measures every 30000']);
});
