import { createPacketKeys, packetSecret } from '@isotherm/contracts/packet-cipher';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import fc from 'fast-check';
import vectors from '../../vectors/gateway-packet.json' with { type: 'json' };
import type { CipherFor } from '../gateway-packet/packet.ts';
import { type Block, writeReadings } from '../gateway-packet/readings-body.ts';

export { vectors };

export const fromHex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'hex'));

export const keys = createPacketKeys(packetSecret(vectors.deviceKey));

/** Decrypts uplink packets of the device in the test vectors. */
export const openUplink: CipherFor = ({ encryption }) => keys.uplink(encryption as 'aes-128-gcm');

/** Generates any readings that can be encoded: blocks of channels with shared times. */
export const anyBlocks: fc.Arbitrary<Block[]> = fc.array(
  fc
    .record({
      base: fc.integer({ min: 0, max: 2 ** 41 }),
      gaps: fc.array(fc.oneof(fc.nat(200), fc.constant(60_000), fc.nat(2 ** 33)), { maxLength: 12 }),
      channels: fc.integer({ min: 1, max: 4 }),
    })
    .chain(({ base, gaps, channels }) =>
      fc
        .array(
          fc.record({
            sensor: fc.integer({ min: 0, max: 255 }),
            indicator: fc.constantFrom(...INDICATOR_NAMES),
            scale: fc.nat(9),
            values: fc.array(fc.oneof(fc.integer({ min: -90, max: 90 }), fc.integer()), {
              minLength: gaps.length + 1,
              maxLength: gaps.length + 1,
            }),
          }),
          { minLength: channels, maxLength: channels },
        )
        .map((list) => {
          let at = base;
          return { at: [base, ...gaps.map((gap) => (at += gap))], channels: list };
        }),
    ),
  { minLength: 1, maxLength: 3 },
);

export const anyContent = anyBlocks.map(writeReadings);
