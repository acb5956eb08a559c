import type { KnownDevice } from '../devices/index.ts';

/** A message as a gateway received it. */
export interface IncomingMessage {
  gateway: 'mqtt' | 'http' | 'tcp';
  /** `json` when nothing else is said. */
  format?: 'json' | 'packet';
  address: string;
  device: KnownDevice;
  payload: Buffer;
}
