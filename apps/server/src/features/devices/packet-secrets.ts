import { packetSecret } from '@isotherm/contracts/packet-cipher';
import type { Sealing } from '../../platform/sealing.ts';

const PURPOSE = 'device packet secret';

/** Returns the packet secret of a device with this key, encrypted for the registry. */
export const sealPacketSecret = (sealing: Pick<Sealing, 'seal'>, deviceKey: string): Buffer =>
  sealing.seal(PURPOSE, packetSecret(deviceKey));

export const openPacketSecret = (sealing: Pick<Sealing, 'open'>, sealed: Buffer | null): Buffer | null =>
  sealed && sealing.open(PURPOSE, sealed);
