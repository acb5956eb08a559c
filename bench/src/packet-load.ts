import { crc16 } from '@isotherm/protocol/gateway-packet/checksums';
import { writeReadings } from '@isotherm/protocol/gateway-packet/readings-body';
import { openPacketLink, type PacketLink } from '@isotherm/simulator/client/packet-link';
import { type BenchDevice, CHANNELS_PER_DEVICE } from './bench-fleet.ts';

const MOMENTS = 10;
const MOMENT_MS = 20;
/** Number of messages in flight per gateway. */
const WINDOW = 4;
const READINGS = MOMENTS * CHANNELS_PER_DEVICE;
const TIME_AT = 16;

export interface PacketLoad {
  readonly acknowledgedReadings: number;
  readonly bytesPerReading: number;
  /** Waits for pending acknowledgements, then closes. */
  finish(): Promise<void>;
}

/**
 * Sends as many packets of 500 readings as the server acknowledges, each device on its own connection. A
 * packet is encoded once; only its time base and CRC are replaced.
 */
export async function startPacketLoad(port: number, devices: readonly BenchDevice[]): Promise<PacketLoad> {
  const begin = Date.now() - 25 * 60_000;
  const content = writeReadings([
    {
      at: Array.from({ length: MOMENTS }, (_, i) => begin + i * MOMENT_MS),
      channels: Array.from({ length: CHANNELS_PER_DEVICE }, (_, c) => ({
        sensor: c + 1,
        indicator: 'temperature' as const,
        scale: 1,
        values: Array.from({ length: MOMENTS }, (_, m) => 40 + ((c + m) % 20)),
      })),
    },
  ]);
  let acknowledged = 0;
  let stopping = false;
  let bytes = 0;

  const links = await Promise.all(
    devices.map(({ number, key }) =>
      openPacketLink({ host: '127.0.0.1', port, number, key, encryption: 'none', counter: 1 }),
    ),
  );

  async function sender(link: PacketLink, nextTime: () => number): Promise<void> {
    while (!stopping) {
      const { packets, messageId } = link.pack('readings', content);
      const packet = packets[0] as Uint8Array;
      const view = new DataView(packet.buffer, packet.byteOffset, packet.byteLength);
      const at = nextTime();
      view.setUint16(TIME_AT, Math.floor(at / 2 ** 32));
      view.setUint32(TIME_AT + 2, at % 2 ** 32);
      view.setUint16(packet.length - 2, crc16(packet, 0, packet.length - 2));
      bytes = packet.length;
      const answer = link.answerTo(messageId);
      link.socket.write(packet);
      const { type, body } = await answer;
      if (type !== 'ack' || body.code !== 'stored')
        throw new Error(`the server said ${JSON.stringify(body)}`);
      acknowledged += READINGS;
    }
  }

  const running = Promise.all(
    links.flatMap((link) => {
      let next = begin;
      const nextTime = () => {
        next += MOMENTS * MOMENT_MS;
        return next;
      };
      return Array.from({ length: WINDOW }, () => sender(link, nextTime));
    }),
  );
  // The error is thrown again in `finish`; without this handler an early failure would be an unhandled
  // rejection.
  running.catch(() => {});
  return {
    get acknowledgedReadings() {
      return acknowledged;
    },
    get bytesPerReading() {
      return bytes / READINGS;
    },
    async finish() {
      stopping = true;
      await running;
      for (const link of links) link.close();
    },
  };
}
