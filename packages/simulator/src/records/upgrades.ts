import { createHash } from 'node:crypto';
import { listCommands, sendCommands } from '@isotherm/contracts/commands';
import {
  addFirmwareKey,
  createRollout,
  listFirmware,
  listFirmwareKeys,
  uploadFirmware,
} from '@isotherm/contracts/firmware';
import type { Recording } from './recording.ts';

const FIRMWARE = [
  { model: 'IT-B1 box logger', version: '1.1.0', notes: 'Longer battery life below 0 °C.' },
  { model: 'IT-F2 fridge logger', version: '1.0.2', notes: 'Faster reconnection after a power cut.' },
] as const;
const ROLLED_OUT = FIRMWARE[0];
const FIRMWARE_BYTES = 48 * 1024;

/** Creates firmware with a roll-out to the cold boxes, and a command that one device refuses. */
export async function upgradeDevices({ client, organization, makers }: Recording): Promise<void> {
  const organizationId = organization('DEMO');
  const [keys, firmware, commands] = await Promise.all([
    client.call(listFirmwareKeys),
    client.call(listFirmware),
    client.call(listCommands, { query: { pageSize: '1' } }),
  ]);
  if (commands.total === 0)
    await client.call(sendCommands, {
      body: {
        devices: ['31020201', '31030112', '31030114', '31030117'],
        order: { kind: 'acquisition-interval', seconds: 300 },
        note: 'Same interval for all loggers of the hospital',
      },
    });
  if (firmware.length > 0) return;
  if (!keys.some(({ publicKey }) => publicKey === makers.publicKey))
    await client.call(addFirmwareKey, {
      body: { organizationId, name: 'Logger manufacturer', publicKey: makers.publicKey },
    });
  for (const { model, version, notes } of FIRMWARE) {
    const bytes = Buffer.alloc(FIRMWARE_BYTES, `${model} ${version} `);
    const checksum = createHash('sha256').update(bytes).digest('hex');
    const { id } = await client.call(uploadFirmware, {
      body: {
        file: new File([Uint8Array.from(bytes)], 'firmware.bin'),
        organizationId,
        model,
        version,
        notes,
        signature: makers.sign({ title: model, version, size: bytes.length, checksum }),
      },
    });
    if (model === ROLLED_OUT.model)
      await client.call(createRollout, {
        body: { firmwareId: id, waves: [{ amount: 1, unit: 'devices' }], note: 'One box first' },
      });
  }
}
