import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { anyBlocks, anyContent, fromHex, keys, openUplink, vectors } from '../testing/gateway-packets.ts';
import { crc8, crc16 } from './checksums.ts';
import { MAX_CONTENT_BYTES, openPacket, writeMessage, writePacket } from './packet.ts';
import { type Body, readBody } from './packet-body.ts';
import { blocksOf, MAX_READINGS, type Readings, writeReadings } from './readings-body.ts';
import { writeEvents, writePositions } from './record-bodies.ts';
import {
  writeAck,
  writeChallenge,
  writeCommand,
  writeCommandResult,
  writeHello,
  writeTime,
  writeTimeRequest,
  writeWelcome,
} from './session-bodies.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

const rows = ({ series, at, value }: Readings) =>
  series.flatMap(({ sensor, indicator, from, to }) =>
    Array.from({ length: to - from }, (_, i) => [sensor, indicator, at[from + i], value[from + i]]),
  );

/** Returns a body in the notation of the test vectors. */
function plain({ type, body }: Body): unknown {
  if (type === 'readings' || type === 'backlog') return { readings: rows(body) };
  if (type === 'events') return { events: body.map((e) => [e.kind, e.sensor, e.at, e.value]) };
  if (type === 'positions') return { positions: body };
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, value instanceof Uint8Array ? hex(value) : value]),
  );
}

/** Returns the bytes that encode this body. */
function write({ type, body }: Body): Uint8Array {
  switch (type) {
    case 'challenge':
      return writeChallenge(body);
    case 'hello':
      return writeHello(body);
    case 'welcome':
      return writeWelcome(body);
    case 'time-request':
      return writeTimeRequest(body);
    case 'time':
      return writeTime(body);
    case 'events':
      return writeEvents(body);
    case 'positions':
      return writePositions(body);
    case 'command':
      return writeCommand(body);
    case 'command-result':
      return writeCommandResult(body);
    case 'ack':
      return writeAck(body);
    default:
      return writeReadings(
        blocksOf(
          body.series.flatMap(({ sensor, indicator, from, to }) =>
            Array.from({ length: to - from }, (_, i) => ({
              sensor,
              indicator: indicator!,
              at: body.at[from + i]!,
              value: body.value[from + i]!,
            })),
          ),
        ),
      );
  }
}

test('the checksums match the values in the CRC catalogue', () => {
  const check = new TextEncoder().encode('123456789');
  expect([crc8(check, 0, 9), crc16(check, 0, 9)]).toEqual([0xf4, 0x29b1]);
});

describe('the test vectors of gateway packets', () => {
  test.each(vectors.packets)(
    'the packet is decoded and encoded again: $name',
    ({ hex: text, header, body, ...vector }) => {
      const opened = openPacket(fromHex(text), openUplink);
      if (!opened.ok) throw new Error(opened.fault);
      const { content, counter, type, part } = opened.value;
      expect({ ...opened.value.header, type }).toMatchObject(header);
      expect([counter, part]).toEqual([(vector as { counter?: number }).counter ?? null, null]);
      const read = readBody(type, content);
      if (!read.ok) throw new Error(read.fault);
      expect(plain(read.value)).toEqual(body);
      // Encoding the decoded packet gives the same bytes.
      const { gatewayId, messageId, ackId, fromServer, encryption } = opened.value.header;
      const seal =
        encryption === 'none'
          ? {}
          : { seal: { encryption, cipher: keys.uplink(encryption), counter: counter! } };
      const again = { type, gatewayId, messageId, ackId, fromServer, content: write(read.value), ...seal };
      expect(hex(writePacket(again))).toBe(text);
    },
  );

  test.each(vectors.split)(
    'the message in several parts is decoded: $name',
    ({ hex: texts, readings, type }) => {
      const content = texts.map((text, index) => {
        const opened = openPacket(fromHex(text), openUplink);
        if (!opened.ok) throw new Error(opened.fault);
        expect(opened.value).toMatchObject({ type, part: { index, count: texts.length } });
        return opened.value.content;
      });
      const read = readBody('readings', Buffer.concat(content));
      expect(read.ok && plain(read.value)).toEqual({ readings });
    },
  );

  test.each(vectors.faults)('the packet is refused: $name', ({ hex: text, fault }) => {
    const opened = openPacket(fromHex(text), openUplink);
    const result = opened.ok ? readBody(opened.value.type, opened.value.content) : opened;
    expect(result).toEqual({ ok: false, fault });
  });

  it('the sender is authenticated', () => {
    const { greeting, secret } = vectors.derived;
    const said = {
      gatewayId: greeting.gatewayId,
      encryption: greeting.encryption as 'aes-128-gcm',
      server: fromHex(greeting.server),
      gateway: fromHex(greeting.gateway),
    };
    expect(hex(keys.helloProof(said))).toBe(greeting.helloProof);
    expect(hex(keys.welcomeProof(said, greeting.welcomeTime))).toBe(greeting.welcomeProof);
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
  });

  it('for a packet whose key is unknown, the error names the encryption', () => {
    const sealed = vectors.packets.find(({ name }) => name.includes('sm4'))!;
    expect(openPacket(fromHex(sealed.hex), () => null)).toEqual({ ok: false, fault: 'no-key' });
  });
});

describe('decoding encoded packets', () => {
  it('any readings are decoded as they were encoded', () => {
    fc.assert(
      fc.property(anyBlocks, (blocks) => {
        const read = readBody('readings', writeReadings(blocks));
        if (!read.ok) throw new Error(read.fault);
        const expected = blocks.flatMap(({ at, channels }) =>
          channels.flatMap(({ sensor, indicator, scale, values }) =>
            values.map((value, i) => [sensor, indicator, at[i], value / 10 ** scale]),
          ),
        );
        expect(rows(read.value.body as Readings)).toEqual(expected);
      }),
    );
  });

  it('readings keep as many decimals as a device sends', () => {
    const value = fc.oneof(
      fc.integer({ min: -9999, max: 99_999 }).map((n) => n / 1000),
      fc.integer({ min: -200, max: 200_000 }),
    );
    const reading = fc.record({
      sensor: fc.constantFrom(1, 2, 64),
      indicator: fc.constantFrom('temperature', 'door', 'illuminance'),
      at: fc.integer({ min: 946_684_800_000, max: 4_102_444_800_000 }),
      value,
    });
    fc.assert(
      fc.property(fc.array(reading, { minLength: 1, maxLength: 60 }), (readings) => {
        const read = readBody('backlog', writeReadings(blocksOf(readings)));
        if (!read.ok) throw new Error(read.fault);
        const order = (list: unknown[]) => list.map((row) => JSON.stringify(row)).sort();
        expect(order(rows(read.value.body as Readings))).toEqual(
          order(readings.map((r) => [r.sensor, r.indicator, r.at, r.value])),
        );
      }),
    );
  });

  it('a value with too many decimals is rounded', () => {
    const [block] = blocksOf([{ sensor: 1, indicator: 'illuminance', at: 1, value: 123_456.123_456_789 }]);
    expect(block!.channels[0]).toMatchObject({ scale: 4, values: [1_234_561_235] });
    const [tiny] = blocksOf([{ sensor: 1, indicator: 'voltage', at: 1, value: 1 / 3 }]);
    expect(tiny!.channels[0]).toMatchObject({ scale: 9, values: [333_333_333] });
  });

  it('a message of any length is decoded, encrypted or not, in one packet or in parts', () => {
    fc.assert(
      fc.property(
        anyContent,
        fc.integer({ min: 60, max: 3000 }),
        fc.boolean(),
        (content, partBytes, sealed) => {
          let counter = 0;
          const packets = writeMessage(
            { type: 'backlog', gatewayId: 1, messageId: 5, content },
            () =>
              sealed
                ? { encryption: 'aes-128-gcm', cipher: keys.uplink('aes-128-gcm'), counter: ++counter }
                : undefined,
            Math.max(partBytes, Math.ceil(content.length / 16)),
          );
          const opened = packets.map((bytes) => openPacket(bytes, openUplink));
          expect(
            Buffer.concat(opened.map((result) => (result.ok ? result.value.content : new Uint8Array()))),
          ).toEqual(Buffer.from(content));
        },
      ),
    );
  });
});

test('a packet and a message have a maximum size', () => {
  const message = { type: 'readings' as const, gatewayId: 1, messageId: 1 };
  expect(() => writePacket({ ...message, content: new Uint8Array(16_385) })).toThrow(RangeError);
  expect(() => writeMessage({ ...message, content: new Uint8Array(17) }, () => undefined, 1)).toThrow(
    RangeError,
  );
  expect(
    writeMessage({ ...message, content: new Uint8Array(MAX_CONTENT_BYTES + 1) }, () => undefined),
  ).toHaveLength(2);
  expect(writeMessage({ ...message, content: new Uint8Array(0) }, () => undefined)).toHaveLength(1);
});

test('a message with too many readings is refused, however they are divided into blocks', () => {
  const at = Array.from({ length: 6000 }, (_, i) => i);
  const channel = { sensor: 1, indicator: 'door' as const, scale: 0, values: at.map(() => 0) };
  const block = { at, channels: [channel] };
  expect(readBody('readings', writeReadings([block]))).toMatchObject({ ok: true });
  expect(readBody('readings', writeReadings([block, block]))).toEqual({
    ok: false,
    fault: 'too-many-readings',
  });
  const events = at.concat(at).map((_, i) => ({ kind: 'door' as const, sensor: 1, at: i, value: 1 }));
  expect(readBody('events', writeEvents(events))).toEqual({ ok: false, fault: 'too-many-readings' });
  expect(readBody('events', writeEvents(events.slice(0, MAX_READINGS)))).toMatchObject({ ok: true });
});

test('times after the year 10,889 are refused, and an unknown indicator code of a later version is read as null', () => {
  const content = writeReadings([
    {
      at: [2 ** 48 - 2, 2 ** 48 - 1],
      channels: [{ sensor: 1, indicator: 'door', scale: 0, values: [1, 0] }],
    },
  ]);
  expect(readBody('readings', content)).toMatchObject({ ok: true });
  content[8] = 2;
  expect(readBody('readings', content)).toEqual({ ok: false, fault: 'out-of-range' });
  const later = writeReadings([
    { at: [5], channels: [{ sensor: 1, indicator: 'door', scale: 0, values: [1] }] },
  ]);
  later[10] = 200;
  const read = readBody('readings', later);
  expect(read.ok && (read.value.body as Readings).series[0]!.indicator).toBeNull();
});

test('a counter above the safe integers is refused', () => {
  const sealed = writePacket({
    type: 'readings',
    gatewayId: 1,
    messageId: 1,
    content: new Uint8Array(1),
    seal: { encryption: 'aes-128-gcm', cipher: keys.uplink('aes-128-gcm'), counter: Number.MAX_SAFE_INTEGER },
  });
  expect(openPacket(sealed, openUplink)).toMatchObject({ ok: true });
  sealed[16] = 1;
  const crc = crc16(sealed, 0, sealed.length - 2);
  sealed.set([crc >> 8, crc & 255], sealed.length - 2);
  expect(openPacket(sealed, openUplink)).toEqual({ ok: false, fault: 'out-of-range' });
});
