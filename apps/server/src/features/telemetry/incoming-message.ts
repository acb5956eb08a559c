import type { KnownDevice } from '../devices/index.ts';

/** What a gateway received and could not hand on: kept for inspection by those of the organisation. */
export interface RefusedMessage {
  gateway: 'mqtt' | 'http' | 'tcp';
  /** `json` when nothing else is said. */
  format?: 'json' | 'packet';
  address: string;
  /** Who sent it, or whom it speaks of. */
  device: Pick<KnownDevice, 'number' | 'organizationId'>;
  payload: Buffer;
}

/** A message as a gateway received it. */
export interface IncomingMessage extends RefusedMessage {
  device: KnownDevice;
}
