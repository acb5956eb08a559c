import type { IngestMessage, ReadingItem } from '@isotherm/contracts/ingest';
import { expect, test } from 'vitest';
import { TryAgain, type Uplink } from '../client/uplink.ts';
import { createDevice } from './device.ts';

/** A mock uplink that can be made unreachable. It stores the messages that it has acknowledged. */
function fakeUplink() {
  const taken: IngestMessage[] = [];
  let away = false;
  const uplink: Uplink = {
    async send(message) {
      if (away) throw new TryAgain('away', 2_000);
      taken.push(structuredClone(message));
    },
    sendBlind: () => {},
    listen: () => {},
    answer: async () => {},
    report: async () => {},
    fetch: async () => Buffer.alloc(0),
    leave: () => {},
    online: () => !away,
    close: async () => {},
  };
  return {
    uplink,
    taken,
    setAway: (now: boolean) => (away = now),
    readings: () => taken.flatMap((m) => m.readings ?? []),
  };
}

const reading = (at: number): ReadingItem => ({ channel: 'temperature-1', at, value: 5 });
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test("acknowledged readings are removed from the device's memory", async () => {
  const server = fakeUplink();
  const device = createDevice(server.uplink, [], () => 0);
  device.add([reading(1), reading(2)], null);
  await settled();
  expect(server.readings().map(({ at }) => at)).toEqual([1, 2]);
  expect(device.pending()).toEqual([]);
});

test('while the server is unreachable, readings are kept, and afterwards sent oldest first', async () => {
  const server = fakeUplink();
  let now = 0;
  const device = createDevice(server.uplink, [reading(0)], () => now);
  server.setAway(true);
  for (let at = 1; at <= 3; at++) {
    device.add([reading(at)], null);
    await settled();
  }
  expect(device.pending().length).toBe(4);
  server.setAway(false);
  now = 1_000;
  device.add([reading(4)], null);
  await settled();
  expect(server.taken).toEqual([]);
  now = 2_500;
  device.add([reading(5)], null);
  await settled();
  expect(server.readings().map(({ at }) => at)).toEqual([0, 1, 2, 3, 4, 5]);
});

test('in flight mode nothing is sent; afterwards the backlog is sent newest first, then normal operation continues', async () => {
  const server = fakeUplink();
  const device = createDevice(server.uplink, [], () => 0);
  device.setFlightMode(true);
  for (let at = 1; at <= 450; at++) device.add([reading(at)], null);
  await settled();
  expect(server.taken).toEqual([]);
  device.setFlightMode(false);
  await settled();
  expect(server.readings().map(({ at }) => at)).toEqual(Array.from({ length: 450 }, (_, i) => 450 - i));
  device.add([reading(451), reading(452)], null);
  await settled();
  expect(server.taken.at(-1)?.readings?.map(({ at }) => at)).toEqual([451, 452]);
});

test('when the memory is full, the oldest readings are overwritten', async () => {
  const server = fakeUplink();
  server.setAway(true);
  const device = createDevice(server.uplink, [], () => 0);
  device.add(
    Array.from({ length: 20_005 }, (_, at) => reading(at)),
    null,
  );
  await settled();
  expect(device.pending().length).toBe(20_000);
  expect(device.pending()[0]?.at).toBe(5);
});

test('positions are sent once, together with the readings', async () => {
  const server = fakeUplink();
  const device = createDevice(server.uplink, [], () => 0);
  device.add([reading(1)], { at: 1, latitude: 31.2, longitude: 121.4, speedKmh: 60 });
  await settled();
  device.add([reading(2)], null);
  await settled();
  expect(server.taken.map((message) => message.positions?.length ?? 0)).toEqual([1, 0]);
});

test('with an upload interval, readings are collected and none is lost', async () => {
  const server = fakeUplink();
  let now = 0;
  const device = createDevice(server.uplink, [], () => now);
  device.setUploadInterval(60_000);
  for (; now <= 120_000; now += 15_000) {
    device.add([reading(now)], null);
    await settled();
  }
  expect(server.taken.map(({ readings }) => readings?.length)).toEqual([1, 4, 4]);
});
