import { createHash } from 'node:crypto';
import type { CommandAnswer, FirmwareOffer } from '@isotherm/contracts/commands';
import { expect, test } from 'vitest';
import { TryAgain } from '../client/uplink.ts';
import { firmwareKey } from '../fleet/firmware-key.ts';
import { createFirmware } from './firmware.ts';

const KEY = firmwareKey('a secret of the tests');
const BYTES = Buffer.from('a better program');

function offered(over: Partial<FirmwareOffer> = {}, by = KEY): FirmwareOffer {
  const checksum = createHash('sha256').update(BYTES).digest('hex');
  const statement = { title: 'IT-1', version: '2.0.0', size: BYTES.length, checksum };
  return {
    kind: 'firmware',
    checksumAlgorithm: 'SHA256',
    ...statement,
    signature: by.sign(statement),
    ...over,
  };
}

/** Creates a device that records its reports, and a server that delivers these bytes. */
function deviceOf(more: { served?: Buffer; fails?: boolean; lost?: number } = {}) {
  const said: string[] = [];
  let lost = more.lost ?? 0;
  const device = createFirmware({
    uplink: {
      answer: async ({ state, reason }: CommandAnswer) => void said.push(`${state} ${reason}`),
      async report(values) {
        if (lost-- > 0) throw new TryAgain('lost', 0);
        const {
          fw_state: state,
          fw_error: error,
          current_fw_version: version,
        } = values as Record<string, string>;
        said.push([state, version, error].filter((word) => word !== undefined).join(' '));
      },
      fetch: async () => more.served ?? BYTES,
      leave: () => undefined,
      online: () => true,
    },
    model: 'IT-1',
    version: '1.0.0',
    key: KEY,
    fails: more.fails ?? false,
    restart: () => void said.push('restarts'),
    restartMs: 1,
  });
  return { device, said };
}

const UNTIL_VERIFIED = [
  'success 0',
  'DOWNLOADING 1.0.0',
  'DOWNLOADED 1.0.0',
  'VERIFIED 1.0.0',
  'UPDATING 1.0.0',
  'restarts',
];

test.each([
  ['installs a newer version', {}, offered(), [...UNTIL_VERIFIED, 'UPDATED 2.0.0']],
  [
    'starts again with its old version if the new one fails',
    { fails: true },
    offered(),
    [...UNTIL_VERIFIED, 'FAILED 1.0.0 does not start'],
  ],
  ['refuses an older version', {}, offered({ version: '0.9.9' }), ['failed 8']],
  ['refuses the version that it runs', {}, offered({ version: '1.0' }), ['failed 8']],
  ['refuses firmware for another model', {}, offered({ title: 'IT-2' }), ['failed 9']],
  [
    'detects a truncated file',
    { served: BYTES.subarray(1) },
    offered(),
    ['success 0', 'DOWNLOADING 1.0.0', 'FAILED 1.0.0 checksum'],
  ],
  [
    'detects a file that was changed in transit',
    { served: Buffer.from('a BETTER program') },
    offered(),
    ['success 0', 'DOWNLOADING 1.0.0', 'FAILED 1.0.0 checksum'],
  ],
  [
    'accepts signatures of its manufacturer only',
    {},
    offered({}, firmwareKey('of somebody else')),
    ['success 0', 'DOWNLOADING 1.0.0', 'DOWNLOADED 1.0.0', 'FAILED 1.0.0 signature'],
  ],
  [
    'refuses an old signature for a new version',
    {},
    offered({ version: '3.0.0' }),
    ['success 0', 'DOWNLOADING 1.0.0', 'DOWNLOADED 1.0.0', 'FAILED 1.0.0 signature'],
  ],
])('a device that gets a firmware offer %s', async (_words, more, offer, expected) => {
  const { device, said } = deviceOf(more);
  await device.take(1, offer);
  expect(said).toEqual(expected);
  expect(device.version()).toBe(said.at(-1)?.startsWith('UPDATED') ? '2.0.0' : '1.0.0');
});

test('a repeated offer is carried out only once', async () => {
  const { device, said } = deviceOf();
  await Promise.all([device.take(1, offered()), device.take(1, offered())]);
  expect(said.filter((word) => word === 'success 0')).toHaveLength(2);
  expect(said.filter((word) => word === 'restarts')).toHaveLength(1);
});

test('a report that failed is sent again', async () => {
  const { device, said } = deviceOf({ lost: 1 });
  await device.announce();
  expect(said).toEqual(['1.0.0']);
});
