import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMqttFrames, MALFORMED_PACKET, PACKET_TOO_LARGE } from './frames.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');

function framesOf(hex: string, maxBytes: number): string[] {
  const frames = createMqttFrames();
  frames.push(bytes(hex));
  const found: string[] = [];
  for (let frame = frames.next(maxBytes); frame; frame = frames.next(maxBytes))
    found.push(`${frame.bytes.toString('hex')} ${frame.bodyAt}`);
  return found;
}

describe('the MQTT packets in one chunk of bytes', () => {
  test.each([
    ['nothing', '', 10, []],
    ['PINGREQ, no body', 'c0 00', 10, ['c000 2']],
    ['two packets', 'c0 00 30 03 61 62 63', 10, ['c000 2', '3003616263 2']],
    ['a body as long as allowed', '30 03 61 62 63', 3, ['3003616263 2']],
    ['a body that is not complete', '30 03 61 62', 3, []],
    ['a header that is not complete', 'c0 00 30 80', 200, ['c000 2']],
    ['a header without a length', '30', 200, []],
    ['a length in two bytes', `30 80 01 ${'61'.repeat(128)}`, 128, [`308001${'61'.repeat(128)} 3`]],
  ])('the packets are found: %s', (_name, hex, max, expected) => {
    expect(framesOf(hex, max)).toEqual(expected);
  });

  test.each([
    ['a body one byte longer than allowed', '30 04', 3, PACKET_TOO_LARGE],
    ['128 bytes announced in two, 127 allowed', '30 80 01', 127, PACKET_TOO_LARGE],
    ['a length that never ends', '30 ff ff ff ff', 2 ** 40, MALFORMED_PACKET],
  ])('the bytes are refused: %s', (_name, hex, max, code) => {
    expect(() => framesOf(hex, max)).toThrow(expect.objectContaining({ code }));
  });
});

test('the same packets are found however the stream is cut into chunks', () => {
  const packet = fc.nat(400).map((length) => {
    const header = length < 128 ? [0x30, length] : [0x30, (length % 128) | 0x80, Math.floor(length / 128)];
    return Buffer.from([...header, ...Array.from({ length }, (_, index) => index & 0xff)]);
  });
  fc.assert(
    fc.property(
      fc.array(packet, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 300 })),
      fc.boolean(),
      (packets, cuts, readsAtOnce) => {
        const stream = Buffer.concat(packets);
        const frames = createMqttFrames();
        const found: string[] = [];
        const read = () => {
          for (let frame = frames.next(400); frame; frame = frames.next(400))
            found.push(frame.bytes.toString('hex'));
        };
        let offset = 0;
        for (const cut of [...cuts, stream.length]) {
          frames.push(stream.subarray(offset, offset + cut));
          offset += cut;
          if (readsAtOnce) read();
        }
        read();
        expect(found).toEqual(packets.map((one) => one.toString('hex')));
        // A packet that is too long is detected, whatever packets came before it.
        frames.push(bytes('30 91 03'));
        expect(() => frames.next(400)).toThrow('packet too large');
      },
    ),
  );
});
