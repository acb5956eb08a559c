import type { FirmwareOffer } from '@isotherm/contracts/commands';
import { expect, it, vi } from 'vitest';
import { attributeTexts, type Downlink, firmwareAttributes } from '../features/devices/index.ts';
import { createInvalidations } from '../platform/cache/invalidations.ts';
import { createLog } from '../platform/log.ts';
import { createSharedAttributes } from './shared-attributes.ts';

const OFFER: FirmwareOffer = {
  kind: 'firmware',
  title: 'TH-20',
  version: '2.0.0',
  size: 1_000,
  checksum: 'c',
  checksumAlgorithm: 'SHA256',
  signature: 's',
};
const DEVICE = { id: 7, number: '31020201', credentialHash: null };

/**
 * Creates a device that is notified of changes of its shared attributes, which the test can set. The
 * attributes are read once before this returns.
 */
async function follower() {
  const invalidations = createInvalidations(true);
  const stored = { attributes: attributeTexts({ uploadIntervalS: 60 }), reads: 0 };
  const answered: object[] = [];
  let deliver: Parameters<Downlink['open']>[1] = () => undefined;
  const downlink: Downlink = {
    open(_device, to) {
      deliver = to;
      return () => undefined;
    },
    next: async () => null,
    answered: async (_id, answer) => void answered.push(answer),
    wake: () => undefined,
    stop: async () => undefined,
  };
  const shared = createSharedAttributes({
    attributes: {
      async shared() {
        stored.reads++;
        return stored.attributes;
      },
    },
    downlink,
    invalidations,
    log: createLog('silent', false),
  });
  const pushed: object[] = [];
  const end = shared.follow(DEVICE, (changes) => pushed.push(changes));
  await vi.waitFor(() => expect(stored.reads).toBe(1));
  const notify = () => invalidations.invalidate('shared-attributes', [DEVICE.number]);
  return {
    stored,
    answered,
    pushed,
    end,
    notify,
    offer: () => deliver({ id: 12, order: OFFER }),
    async change(values: Record<string, string | number>) {
      stored.attributes = attributeTexts(values);
      const before = stored.reads;
      notify();
      await vi.waitFor(() => expect(stored.reads).toBeGreaterThan(before));
    },
  };
}

it('a device is sent only the attributes that have changed since it subscribed', async () => {
  const device = await follower();
  await device.change({ uploadIntervalS: 60 });
  expect(device.pushed).toEqual([]);
  await device.change({ uploadIntervalS: 300 });
  await vi.waitFor(() => expect(device.pushed).toEqual([{ uploadIntervalS: 300 }]));
});

it('a firmware offer is pushed once and counts as accepted, and its end is pushed, too', async () => {
  const device = await follower();
  // The offer may be delivered to the device over another connection.
  await device.change({ uploadIntervalS: 120, ...firmwareAttributes(OFFER) });
  await vi.waitFor(() => expect(device.pushed).toEqual([{ uploadIntervalS: 120 }]));
  device.offer();
  expect(device.pushed[1]).toEqual(firmwareAttributes(OFFER));
  expect(device.answered).toEqual([{ id: 12, state: 'success', reason: 0 }]);
  await device.change({ uploadIntervalS: 120 });
  await vi.waitFor(() =>
    expect(device.pushed[2]).toEqual({ deleted: Object.keys(firmwareAttributes(OFFER)) }),
  );
});

it('a disconnected device is sent nothing', async () => {
  const device = await follower();
  device.stored.attributes = attributeTexts({ uploadIntervalS: 300 });
  device.notify();
  device.end();
  device.notify();
  await new Promise((resolve) => setImmediate(resolve));
  // The attributes of a disconnected device are not read at all, so that connecting and disconnecting in a
  // loop costs no query.
  expect([device.pushed, device.stored.reads]).toEqual([[], 1]);
});
