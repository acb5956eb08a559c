import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPacketLengths } from './mqtt-packet-lengths.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

test.each([
  ['PINGREQ, no body', 'c0 00', 10, true],
  ['two packets in one chunk', 'c0 00 30 03 61 62 63', 10, true],
  ['a body as long as allowed', '30 03 61 62 63', 3, true],
  ['a body one byte longer', '30 04', 3, false],
  ['127 bytes announced in one byte', '30 7f', 127, true],
  ['128 bytes announced in two', '30 80 01', 128, true],
  ['128 bytes announced in two, 127 allowed', '30 80 01', 127, false],
  ['the protocol’s most, announced in four', '30 ff ff ff 7f', 268_435_455, true],
  ['a length that never ends', '30 ff ff ff ff', 2 ** 40, false],
])('%s', (_name, hex, max, accepted) => {
  expect(createPacketLengths().accept(bytes(hex), max)).toBe(accepted);
});

test('however the stream is cut, the same packets are accepted', () => {
  const packet = fc.nat(400).map((length) => {
    const header = length < 128 ? [0x30, length] : [0x30, (length % 128) | 0x80, Math.floor(length / 128)];
    return [...header, ...Array<number>(length).fill(0xff)];
  });
  fc.assert(
    fc.property(
      fc.array(packet, { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 50 })),
      (packets, cuts) => {
        const stream = Uint8Array.from(packets.flat());
        const lengths = createPacketLengths();
        let offset = 0;
        for (const cut of [...cuts, stream.length]) {
          expect(lengths.accept(stream.subarray(offset, offset + cut), 400)).toBe(true);
          offset += cut;
        }
        // A packet that is too long is seen right behind whatever came before.
        expect(lengths.accept(bytes('30 91 03'), 400)).toBe(false);
      },
    ),
  );
});
