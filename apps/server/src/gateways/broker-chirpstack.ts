import { readChirpstackEvent } from '@isotherm/protocol/hardware/chirpstack';
import type { DeviceDirectory } from '../features/devices/index.ts';
import type { HardwareIngest } from '../features/telemetry/index.ts';
import type { Clock } from '../platform/clock.ts';
import { type MqttIntake, refusalOf } from './mqtt-intake.ts';

const EVENT_TOPIC = /(?:^|\/)application\/[^/]+\/device\/([0-9a-f]{16})\/event\/([a-z]+)$/i;
const EVERY_ORGANIZATION = '/';

export interface ChirpstackEvent {
  devEui: string;
  event: string;
}

/**
 * Returns the event in a topic of ChirpStack 4 (`application/<id>/device/<DevEUI>/event/<event>`); null for
 * other topics.
 */
export function chirpstackEventOf(topic: string): ChirpstackEvent | null {
  const [, devEui, event] = EVENT_TOPIC.exec(topic) ?? [];
  return devEui === undefined || event === undefined ? null : { devEui: devEui.toLowerCase(), event };
}

/**
 * Stores an event of ChirpStack; resolves after the commit, with false if no device has this DevEUI. A
 * payload about another device than its topic is refused, because the broker's access list only restricts
 * topics.
 */
export async function takeChirpstackEvent(
  parts: {
    hardware: HardwareIngest;
    directory: Pick<DeviceDirectory, 'findByEui'>;
    intake: Pick<MqttIntake, 'whenThereIsRoom'>;
    clock: Clock;
  },
  { devEui, event }: ChirpstackEvent,
  payload: Buffer,
  address: string,
): Promise<boolean> {
  const { hardware, directory, intake, clock } = parts;
  const device = await directory.findByEui(EVERY_ORGANIZATION, devEui);
  if (!device) return false;
  const receivedAt = clock.now();
  try {
    await intake.whenThereIsRoom(() =>
      hardware.take({
        gateway: 'mqtt',
        address,
        sender: device,
        payload,
        receivedAt,
        read: (read) => readChirpstackEvent(event, read),
        find: (named) => (named === devEui ? device : null),
      }),
    );
  } catch (error) {
    refusalOf(error);
  }
  return true;
}
