import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { anyContent, fromHex, openUplink, vectors } from '../testing/gateway-packets.ts';
import { crc8, crc16 } from './checksums.ts';
import { explain } from './explain.ts';
import { MAX_PACKET_BYTES, openPacket, writePacket } from './packet.ts';
import { readBody } from './packet-body.ts';
import { createPacketReader, type Found } from './packet-reader.ts';

const packets = vectors.packets.map(({ hex }) => fromHex(hex));
const [first, second] = packets as [Uint8Array, Uint8Array];

const hexes = (found: readonly Found[]) =>
  found.filter(({ kind }) => kind === 'packet').map(({ bytes }) => Buffer.from(bytes).toString('hex'));
const thrown = (found: readonly Found[]) =>
  found.reduce((sum, { kind, bytes }) => sum + (kind === 'thrown-away' ? bytes.length : 0), 0);
const inHex = (list: readonly Uint8Array[]) => list.map((bytes) => Buffer.from(bytes).toString('hex'));

function read(chunks: readonly Uint8Array[]): Found[] {
  const reader = createPacketReader();
  const found = chunks.flatMap((chunk) => reader.accept(chunk));
  found.push(...reader.giveUp());
  expect(reader.waiting).toBe(0);
  return found;
}

/** Generates invalid bytes that contain nothing that looks like a packet. */
const garbage = fc
  .uint8Array({ maxLength: 90 })
  .map((bytes) => bytes.map((byte) => (byte === 0xc0 ? 0 : byte)));

test.each<[string, Uint8Array, number, number]>([
  ['a packet', first, 1, 0],
  ['nothing', new Uint8Array(0), 0, 0],
  ['garbage', Uint8Array.from([1, 2, 3]), 0, 3],
  ['a sync byte at the end', Uint8Array.from([1, 0xc0]), 0, 2],
  ['a sync byte followed by another byte', Uint8Array.from([0xc0, 1, 2]), 0, 3],
  ['half a packet, followed by a whole one', Uint8Array.from([...first.subarray(0, 20), ...first]), 1, 20],
  [
    'a packet inside the length that an invalid header announced',
    Uint8Array.from([...lying(), ...first]),
    1,
    16,
  ],
])('the bytes are split into the right packets: %s', (_name, bytes, count, lost) => {
  const found = read([bytes]);
  expect([hexes(found).length, thrown(found)]).toEqual([count, lost]);
});

/** Returns a valid header that announces 100 bytes which do not follow. */
function lying(): Uint8Array {
  const header = first.slice(0, 16);
  header[14] = 100;
  header[15] = crc8(header, 0, 15);
  return header;
}

describe('a stream of packets', () => {
  it('every packet and every other byte is returned, however the stream is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(garbage, fc.constantFrom(...packets)), { maxLength: 6 }),
        garbage,
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }),
        (pairs, tail, cuts) => {
          const stream = Uint8Array.from([...pairs.flatMap(([g, p]) => [...g, ...p]), ...tail]);
          const chunks: Uint8Array[] = [];
          let at = 0;
          for (const cut of [...cuts, stream.length]) {
            chunks.push(stream.subarray(at, at + cut));
            at += cut;
          }
          const found = read(chunks);
          expect(hexes(found)).toEqual(inHex(pairs.map(([, packet]) => packet)));
          expect(thrown(found)).toBe(pairs.reduce((sum, [g]) => sum + g.length, tail.length));
        },
      ),
    );
  });

  it('a corrupted packet is dropped, and all other packets are read', () => {
    fc.assert(
      fc.property(anyContent, fc.nat(), fc.integer({ min: 1, max: 255 }), (content, place, change) => {
        const bad = writePacket({ type: 'readings', gatewayId: 9, messageId: 1, content });
        bad[place % bad.length]! ^= change;
        const found = read([Uint8Array.from([...first, ...bad, ...second])]);
        expect(hexes(found)).toEqual(inHex([first, second]));
      }),
    );
  });

  it('at most one packet is buffered, and it is discarded if its rest does not arrive', () => {
    const reader = createPacketReader();
    expect(reader.accept(lying())).toEqual([]);
    expect(reader.waiting).toBe(16);
    for (let i = 0; i < 4; i++) reader.accept(new Uint8Array(MAX_PACKET_BYTES));
    expect(reader.waiting).toBeLessThan(MAX_PACKET_BYTES);
    reader.accept(lying());
    expect(thrown(reader.giveUp())).toBe(16);
    expect(hexes(reader.accept(first))).toEqual(inHex([first]));
  });

  it('many headers, each announcing a packet that contains the next header, are processed in limited time', () => {
    const header = first.slice(0, 16);
    header[13] = 0x40;
    header[14] = 0;
    header[15] = crc8(header, 0, 15);
    const hostile = new Uint8Array(4 * 2 ** 20);
    for (let at = 0; at < hostile.length; at += header.length) hostile.set(header, at);
    const reader = createPacketReader();
    const begun = performance.now();
    const found = reader.accept(hostile);
    found.push(...reader.giveUp());
    // Computing the CRC of all announced packets would process four gigabytes.
    expect(performance.now() - begun).toBeLessThan(2_000);
    expect(thrown(found)).toBe(hostile.length);
    // Bytes that follow are read normally.
    reader.accept(new Uint8Array(MAX_PACKET_BYTES));
    expect(hexes(reader.accept(first))).toEqual(inHex([first]));
  });

  it('a length above the limit is rejected', () => {
    const reader = createPacketReader(8);
    expect(thrown(reader.accept(first))).toBe(first.length);
    reader.allow(64);
    expect(hexes(reader.accept(first))).toEqual(inHex([first]));
  });

  it('the returned packets share no memory with the input', () => {
    const chunk = Buffer.from(first);
    const [found] = createPacketReader().accept(chunk);
    chunk.fill(0);
    expect(inHex([found!.bytes])).toEqual(inHex([first]));
  });
});

/** Number of fuzz rounds; more with `GATEWAY_PACKET_FUZZ=1000000`. */
const FUZZED = Number(process.env.GATEWAY_PACKET_FUZZ ?? 20_000);

test(`${FUZZED} hostile packets are read, decrypted, decoded and explained, or refused with an error code`, () => {
  // The test has its own random generator (Numerical Recipes), which is reproducible and fast.
  let state = 1;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const reader = createPacketReader();
  let whole = 0;
  for (let i = 0; i < FUZZED; i++) {
    const packet = Uint8Array.from(packets[random(packets.length)]!);
    const changes = random(5);
    for (let c = 0; c < changes; c++) packet[random(packet.length)] = random(256);
    const cut = random(10) === 0 ? packet.subarray(0, random(packet.length)) : packet;
    // Half of the packets have valid checksums, so that the code after these checks is reached.
    const length = cut.length > 18 && random(2) === 0 ? mended(cut) : cut;
    const found = reader.accept(length);
    for (const { kind, bytes } of found) {
      if (kind !== 'packet') continue;
      whole++;
      const opened = openPacket(bytes, openUplink);
      if (opened.ok) readBody(opened.value.type, opened.value.content);
    }
    const total = explain(cut, openUplink).reduce((sum, { length: bytes }) => sum + bytes, 0);
    if (total !== cut.length) throw new Error(`${total} of ${cut.length} bytes explained`);
    if (reader.waiting > MAX_PACKET_BYTES) throw new Error('more held back than a packet');
  }
  expect(whole).toBeGreaterThan(FUZZED / 10);
}, 600_000);

function mended(packet: Uint8Array): Uint8Array {
  const bytes = Uint8Array.from(packet);
  const length = bytes.length - 18;
  bytes.set([0xc0, 0x1d, 1], 0);
  bytes[13] = length >> 8;
  bytes[14] = length & 255;
  bytes[15] = crc8(bytes, 0, 15);
  const crc = crc16(bytes, 0, bytes.length - 2);
  bytes.set([crc >> 8, crc & 255], bytes.length - 2);
  return bytes;
}
