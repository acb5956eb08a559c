import type { KnownDevice } from '../devices/index.ts';

/** A message that a gateway could not process, kept for inspection by its organisation. */
export interface RefusedMessage {
  gateway: 'mqtt' | 'http' | 'tcp';
  /** Format of the message; `json` if omitted. */
  format?: 'json' | 'packet';
  address: string;
  /** The sender, or the device that the message is about. */
  device: Pick<KnownDevice, 'number' | 'organizationId'>;
  payload: Buffer;
}

/** A message as a gateway received it. */
export interface IncomingMessage extends RefusedMessage {
  device: KnownDevice;
}
