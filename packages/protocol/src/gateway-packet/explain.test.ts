import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { anyContent, fromHex, openUplink, vectors } from '../testing/gateway-packets.ts';
import { explain } from './explain.ts';
import type { Field } from './field-reader.ts';
import { openPacket, writePacket } from './packet.ts';
import { readBody } from './packet-body.ts';

const leaves = (fields: readonly Field[]): Field[] =>
  fields.flatMap((field) => (field.children.length > 0 ? leaves(field.children) : [field]));

/** Describes fields as `name@offset+length=value`, in the order of the bytes. */
const outline = (fields: readonly Field[]) =>
  leaves(fields).map(({ name, offset, length, value }) => `${name}@${offset}+${length}=${value}`);

const faults = (fields: readonly Field[]) =>
  leaves(fields)
    .filter(({ fault }) => fault !== null)
    .map(({ name, fault }) => `${name}: ${fault}`);

test('a packet is explained field by field', () => {
  const [packet] = explain(fromHex(vectors.packets[0]!.hex), openUplink);
  expect(packet).toMatchObject({ kind: 'packet', offset: 0, length: 31, fault: null, opened: null });
  expect(outline(packet!.fields)).toEqual([
    'sync@0+2=49181',
    'version@2+1=1',
    'type@3+1=16',
    'flags@4+1=0',
    'gateway-id@5+4=31020201',
    'message-id@9+2=7',
    'ack-id@11+2=0',
    'length@13+2=13',
    'header-check@15+1=42',
    'time-base@16+6=1795140000000',
    'time-unit@22+1=1',
    'moments@23+1=1',
    'channels@24+1=1',
    'sensor@25+1=1',
    'indicator@26+1=1',
    'scale@27+1=1',
    'first-value@28+1=49',
    'crc@29+2=48238',
  ]);
  expect(leaves(packet!.fields).flatMap(({ name, meaning }) => (meaning ? [[name, meaning]] : []))).toEqual([
    ['type', { kind: 'word', value: 'readings' }],
    ['flags', { kind: 'word', value: 'none' }],
    ['time-base', { kind: 'time', value: 1_795_140_000_000 }],
    ['indicator', { kind: 'word', value: 'temperature' }],
    ['first-value', { kind: 'quantity', value: 4.9, indicator: 'temperature' }],
  ]);
});

describe('every packet of the test vectors', () => {
  test.each(vectors.packets)('each byte of the packet is explained exactly once: $name', ({ hex }) => {
    const bytes = fromHex(hex);
    const [packet] = explain(bytes, openUplink);
    let at = 0;
    for (const { offset, length, name } of leaves(packet!.fields)) {
      // Encrypted text is listed as a whole, and again as its decrypted fields.
      if (packet!.opened && name !== 'sealed' && offset >= packet!.opened.offset && offset < bytes.length - 2)
        continue;
      expect([name, offset]).toEqual([name, at]);
      at += length;
    }
    expect(at).toBe(bytes.length);
    expect([packet!.fault, faults(packet!.fields)]).toEqual([null, []]);
  });
  test.each(vectors.split)('a packet in several parts is explained: $name', ({ hex }) => {
    for (const text of hex) {
      const [packet] = explain(fromHex(text), openUplink);
      expect(packet!.fault).toBeNull();
      expect(outline(packet!.fields).some((line) => line.startsWith('parts@'))).toBe(true);
    }
  });
  test.each(vectors.faults)('the error is reported: $name', ({ hex, fault }) => {
    const bytes = fromHex(hex);
    const found = explain(bytes, openUplink);
    expect(found.reduce((sum, { length }) => sum + length, 0)).toBe(bytes.length);
    expect(found[0]!.fault).toBe(fault === 'wrong-length' ? 'too-short' : fault);
  });
});

test.each<[string, string, string[]]>([
  ['a wrong CRC, after which the content is still explained', 'one bit of a value changed', ['crc: crc']],
  ['a number that never ends', 'a number that never ends', ['first-value: out-of-range']],
  ['an unknown keyword', 'an event of no known kind', ['event-kind: unknown-word']],
  ['bytes after the end', 'a byte behind the end', ['trailing: trailing-bytes']],
  ['a broken encryption tag', 'sealed, changed in its text', ['sealed: seal']],
  ['a truncated header', 'cut in its header', ['ack-id: truncated']],
  ['a modified header', 'header changed on its way', ['header-check: header-check']],
  ['a truncated body', 'cut in its body', ['time-base: truncated']],
])('an error is marked at its field: %s', (_name, vector, expected) => {
  const { hex } = vectors.faults.find(({ name }) => name === vector)!;
  expect(
    faults(explain(fromHex(hex), openUplink)[0]!.fields).filter((line) => !line.startsWith('length')),
  ).toEqual(expected);
});

it('decrypted fields are shown with the key, and without it only the encrypted text', () => {
  const bytes = fromHex(vectors.packets.find(({ name }) => name.includes('sm4'))!.hex);
  const [open] = explain(bytes, openUplink);
  expect(outline(open!.fields)).toContain('first-value@36+1=49');
  expect(open!.opened).toMatchObject({ offset: 24 });
  const [shut] = explain(bytes, () => null);
  expect([shut!.fault, shut!.opened]).toEqual(['no-key', null]);
  expect(outline(shut!.fields).some((line) => line.startsWith('first-value'))).toBe(false);
});

it('packets are found between invalid bytes', () => {
  const [first, second] = vectors.packets.map(({ hex }) => fromHex(hex)) as [Uint8Array, Uint8Array];
  const bytes = Uint8Array.from([1, 0xc0, ...first, 7, ...second, 0xc0]);
  expect(explain(bytes, openUplink).map(({ kind, length }) => [kind, length])).toEqual([
    ['garbage', 2],
    ['packet', first.length],
    ['garbage', 1],
    ['packet', second.length],
    ['garbage', 1],
  ]);
});

it('the explanation agrees with the decoder for any packet', () => {
  fc.assert(
    fc.property(anyContent, fc.nat(), fc.nat(255), (content, place, byte) => {
      const changed = Uint8Array.from(content);
      changed[place % changed.length] = byte;
      const bytes = writePacket({ type: 'readings', gatewayId: 1, messageId: 1, content: changed });
      const opened = openPacket(bytes, openUplink);
      const read = opened.ok && readBody(opened.value.type, opened.value.content);
      const [packet] = explain(bytes, openUplink);
      expect(packet!.fault).toBe(read && !read.ok ? read.fault : null);
    }),
  );
});
