import fc from 'fast-check';
import mqttPacket, { type IPubackPacket } from 'mqtt-packet';
import { expect, test } from 'vitest';
import { createMqttAcknowledgements } from './mqtt-acknowledgements.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function read(written: readonly Buffer[], version: number): [string, number, number][] {
  const found: [string, number, number][] = [];
  const parser = mqttPacket.parser({ protocolVersion: version });
  parser.on('packet', (packet) => {
    const { cmd, messageId, reasonCode } = packet as IPubackPacket;
    found.push([cmd, messageId as number, reasonCode ?? 0]);
  });
  for (const bytes of written) parser.parse(bytes);
  return found;
}

const message = fc.record({
  qos: fc.constantFrom(1 as const, 2 as const),
  code: fc.constantFrom(null, 0, 0x99),
  /**
   * Position in the order in which messages are settled; equal numbers are settled in the same turn of the
   * event loop.
   */
  settledAt: fc.nat(5),
});

test('acknowledgements are sent in the order of the messages, whichever message is settled first', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 40 }),
      fc.constantFrom(4, 5),
      async (messages, version) => {
        const written: Buffer[] = [];
        const queue = createMqttAcknowledgements({
          version,
          tellsReasons: true,
          write: (bytes) => written.push(bytes),
        });
        const entries = messages.map(({ qos }, index) => queue.expect(index + 1, qos));
        for (let time = 0; time <= 5; time++) {
          for (const [index, { code, settledAt }] of messages.entries())
            if (settledAt === time)
              queue.settle(
                entries[index] as (typeof entries)[0],
                code === null ? null : { code, reason: 'why' },
              );
          await turn();
          const open = messages.findIndex(({ settledAt }) => settledAt > time);
          expect(read(written, version)).toEqual(
            messages
              .slice(0, open === -1 ? messages.length : open)
              .map(({ qos, code }, index) => [
                qos === 1 ? 'puback' : 'pubrec',
                index + 1,
                version === 5 ? (code ?? 0) : 0,
              ]),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('acknowledgements of one commit are written together', async () => {
  const written: Buffer[] = [];
  const queue = createMqttAcknowledgements({
    version: 5,
    tellsReasons: false,
    write: (bytes) => written.push(bytes),
  });
  for (const entry of Array.from({ length: 2_500 }, (_, index) => queue.expect(index + 1, 1)))
    queue.settle(entry, null);
  await turn();
  expect(written.map((bytes) => bytes.length)).toEqual([10_000]);
});
