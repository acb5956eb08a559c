import type { IngestMessage } from '@isotherm/contracts/ingest';
import type { Indicator } from '@isotherm/domain/readings/indicator';
import type { Encryption, PacketType } from '@isotherm/protocol/gateway-packet/packet-words';
import { blocksOf, type PlainReading, writeReadings } from '@isotherm/protocol/gateway-packet/readings-body';
import { type PacketPosition, writePositions } from '@isotherm/protocol/gateway-packet/record-bodies';
import { writeCommandResult } from '@isotherm/protocol/gateway-packet/session-bodies';
import { isDone, openPacketLink, type PacketLink } from './packet-link.ts';
import { type ReceivedCommand, TryAgain, type Uplink } from './uplink.ts';

const RETRY_MS = 2_000;
/**
 * The counter starts at the milliseconds since 1970 times this number. It is unique as long as fewer packets
 * than this are encrypted per millisecond.
 */
const COUNTERS_PER_MS = 1_024;

/**
 * Converts a reading with a channel key such as `temperature-1`; an invalid key is sent as an unknown
 * channel.
 */
function plainReading({ channel, at, value }: NonNullable<IngestMessage['readings']>[number]): PlainReading {
  const dash = channel.lastIndexOf('-');
  const indicator = channel.slice(0, dash) as Indicator;
  return { indicator, sensor: Number(channel.slice(dash + 1)), at: Number(at), value };
}

/** Sends gateway packets over TCP, and reconnects automatically. */
export function packetUplink(
  url: string,
  number: string,
  key: string,
  encryption: Encryption,
  retryMs = RETRY_MS,
): Uplink {
  const { hostname: host, port } = new URL(url);
  let link: PacketLink | null = null;
  let closed = false;
  let take: ((command: ReceivedCommand) => void) | null = null;
  let awayUntil = 0;
  let wake: (() => void) | null = null;

  async function run(): Promise<void> {
    while (!closed) {
      try {
        const opened = await openPacketLink({
          host,
          port: Number(port),
          number,
          key,
          encryption,
          counter: Date.now() * COUNTERS_PER_MS,
          onCommand: ({ id, command, parameters }) =>
            take?.({
              id,
              kind: command,
              seconds: parameters.find(({ parameter }) => parameter === 1)?.value ?? null,
              offer: null,
            }),
        });
        link = opened;
        if (closed) opened.close();
        await new Promise((resolve) => opened.socket.once('close', resolve));
      } catch {
        // The server is unreachable, or the device is not registered yet.
      }
      link = null;
      if (!closed) await pause(Math.max(retryMs, awayUntil - Date.now()));
    }
  }
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  void run();

  async function deliver(type: PacketType, content: Uint8Array): Promise<void> {
    if (!link) throw new TryAgain('not connected', retryMs);
    const answer = await link.send(type, content).catch((error: Error) => {
      throw new TryAgain(error.message, retryMs);
    });
    if (answer.type === 'ack' && !isDone(answer.body)) throw new TryAgain(answer.body.code, retryMs);
  }

  return {
    async send({ readings = [], positions = [] }) {
      const moments = positions.map(
        (position): PacketPosition => ({
          at: Number(position.at),
          latitude: position.latitude,
          longitude: position.longitude,
          speedKmh: position.speedKmh ?? null,
        }),
      );
      moments.sort((a, b) => a.at - b.at);
      const messages: Promise<void>[] = [];
      if (moments.length > 0) messages.push(deliver('positions', writePositions(moments)));
      if (readings.length > 0)
        messages.push(deliver('readings', writeReadings(blocksOf(readings.map(plainReading)))));
      await Promise.all(messages);
    },
    sendBlind(message) {
      link?.socket.write(message);
    },
    listen(heard) {
      take = heard;
    },
    answer: (said) => deliver('command-result', writeCommandResult(said)),
    // Gateway packets have no firmware reports, so nothing is sent.
    report: async () => undefined,
    fetch: () => Promise.reject(new TryAgain('no way to fetch files', retryMs)),
    leave(forMs) {
      awayUntil = Date.now() + forMs;
      link?.close();
    },
    online: () => link !== null,
    async close() {
      closed = true;
      link?.close();
      wake?.();
    },
  };
}
