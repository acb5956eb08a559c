import fc from 'fast-check';
import mqttPacket from 'mqtt-packet';
import { describe, expect, test } from 'vitest';
import { createMqttFrames, MALFORMED_PACKET, type MqttFrame, PROTOCOL_ERROR } from './frames.ts';
import { matchesFilter, readPublish } from './publish.ts';

function frameOf(bytes: Buffer): MqttFrame {
  const frames = createMqttFrames();
  frames.push(bytes);
  return frames.next(100_000) as MqttFrame;
}

const level = fc.string({
  unit: fc.constantFrom('a', 'Z', '7', ' ', 'é', '药', '$'),
  minLength: 1,
  maxLength: 6,
});

test('packets that the library writes are read, with and without properties, in MQTT 3.1.1 and 5', () => {
  fc.assert(
    fc.property(
      fc.array(level, { minLength: 1, maxLength: 4 }).map((levels) => levels.join('/')),
      fc.constantFrom(0 as const, 1 as const, 2 as const),
      fc.integer({ min: 1, max: 65_535 }),
      fc.uint8Array({ maxLength: 300 }),
      fc.constantFrom(4, 5),
      fc.option(fc.string({ maxLength: 200 }), { nil: undefined }),
      (topic, qos, messageId, payload, version, note) => {
        const written = mqttPacket.generate(
          {
            cmd: 'publish',
            topic,
            qos,
            messageId,
            payload: Buffer.from(payload),
            dup: false,
            retain: false,
            properties: note === undefined ? {} : { userProperties: { note }, messageExpiryInterval: 60 },
          },
          { protocolVersion: version },
        );
        expect(readPublish(frameOf(written), version)).toEqual({
          topic,
          messageId: qos === 0 ? 0 : messageId,
          qos,
          payload: Buffer.from(payload),
        });
      },
    ),
  );
});

describe('invalid PUBLISH packets', () => {
  test.each([
    ['both bits of QoS', '36 05 00 01 61 00 01', 4, MALFORMED_PACKET],
    ['no length of a topic', '30 01 00', 4, MALFORMED_PACKET],
    ['a topic longer than the packet', '30 03 00 02 61', 4, MALFORMED_PACKET],
    ['no packet identifier', '32 03 00 01 61', 4, MALFORMED_PACKET],
    ['packet identifier 0', '32 05 00 01 61 00 00', 4, PROTOCOL_ERROR],
    ['a topic alias instead of a topic', '30 06 00 00 03 23 00 01', 5, PROTOCOL_ERROR],
    ['a filter instead of a topic', '30 05 00 03 61 2f 23', 4, PROTOCOL_ERROR],
    ['a filter of one level instead of a topic', '30 03 00 01 2b', 4, PROTOCOL_ERROR],
    ['no properties in MQTT 5', '30 03 00 01 61', 5, MALFORMED_PACKET],
    ['properties longer than the packet', '30 05 00 01 61 02 01', 5, MALFORMED_PACKET],
    ['a length of properties that never ends', '30 07 00 01 61 80 80 80 80', 5, MALFORMED_PACKET],
  ])('the packet is refused: %s', (_name, hex, version, code) => {
    const frame = frameOf(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
    expect(() => readPublish(frame, version)).toThrow(expect.objectContaining({ code }));
  });
});

test.each([
  ['a/b', 'a/b', true],
  ['a/b', 'a/c', false],
  ['a/+', 'a/b', true],
  ['a/+', 'a', false],
  ['a/+', 'a/b/c', false],
  ['a/#', 'a', true],
  ['a/#', 'a/b/c', true],
  ['#', 'a/b', true],
  ['#', '$SYS/up', false],
  ['+/up', '$SYS/up', false],
  ['$SYS/#', '$SYS/up', true],
  ['a/#/c', 'a/b/c', false],
  ['v2/fw/response/+/chunk/+', 'v2/fw/response/7/chunk/0', true],
])('the filter %s matches the topic %s: %s', (filter, topic, expected) => {
  expect(matchesFilter(filter, topic)).toBe(expected);
});
