import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addressOf,
  decodeBind,
  decodeMessage,
  decodeText,
  encodeBind,
  encodeMessage,
  encodeText,
  type ShortMessage,
} from './bodies.ts';
import { COMMAND, createPduReader, encodePdu, type Pdu, statusName } from './pdu.ts';
import { readReceipt } from './receipt.ts';
import { concatenationHeader, decodeSmsText, encodeSmsText, readConcatenation } from './text.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);
const ascii = (text: string) => Uint8Array.from(text, (char) => char.charCodeAt(0));
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');

const MESSAGE: ShortMessage = {
  source: addressOf('Isotherm'),
  destination: addressOf('+8613812345678'),
  esmClass: 0,
  registeredDelivery: 1,
  dataCoding: 8,
  content: encodeSmsText('温', 'ucs-2'),
  options: new Map(),
};

describe('units', () => {
  test('a unit has its length, command, status and sequence in front', () => {
    expect(
      hex(encodePdu({ command: COMMAND.enquireLink, status: 0, sequence: 7, body: new Uint8Array() })),
    ).toBe('00000010000000150000000000000007');
  });

  test('units are read from a stream however it is divided', () => {
    const unit = fc.record({
      command: fc.constantFrom(...Object.values(COMMAND)),
      status: fc.nat(0xff),
      sequence: fc.nat(0x7fff_ffff),
      body: fc.uint8Array({ maxLength: 300 }),
    });
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 8 }), fc.integer({ min: 1, max: 50 }), (units, step) => {
        const all = Buffer.concat(units.map(encodePdu));
        const reader = createPduReader();
        const read: Pdu[] = [];
        for (let at = 0; at < all.length; at += step)
          read.push(...(reader.push(all.subarray(at, at + step)) ?? []));
        expect(read).toEqual(units);
      }),
    );
  });

  test.each([0, 15, 70_001, 0xffff_ffff])('a stream with a unit of %i bytes is broken', (length) => {
    const wrong = new Uint8Array(16);
    new DataView(wrong.buffer).setUint32(0, length);
    const reader = createPduReader();
    expect(reader.push(wrong)).toBeNull();
    expect(reader.push(bytes())).toBeNull();
    const good = encodePdu({ command: 4, status: 0, sequence: 1, body: bytes() });
    const other = createPduReader();
    expect(other.push(Buffer.concat([good, wrong]))).toHaveLength(1);
    expect(other.push(bytes())).toBeNull();
  });

  test('a status has a name, or its number', () => {
    expect([statusName(0x58), statusName(0x400)]).toEqual(['ESME_RTHROTTLED', 'status 0x400']);
  });
});

describe('bodies', () => {
  test.each([
    ['+8613812345678', { ton: 1, npi: 1, address: '8613812345678' }],
    ['10690001', { ton: 0, npi: 1, address: '10690001' }],
    ['', { ton: 0, npi: 1, address: '' }],
    ['Isotherm', { ton: 5, npi: 0, address: 'Isotherm' }],
  ])('the address of %s', (text, address) => {
    expect(addressOf(text)).toEqual(address);
  });

  test('a bind is read as it was written', () => {
    const bind = { systemId: 'cold', password: 'sésame', systemType: '' };
    expect(decodeBind(encodeBind(bind))).toEqual(bind);
    expect(hex(encodeBind({ systemId: 'a', password: 'b', systemType: '' }))).toBe('6100620000' + '34000000');
    expect(decodeBind(ascii('cold\0pass'))).toBeNull();
    expect(decodeBind(encodeBind({ ...bind, systemId: '温\0x' }))?.systemId).toBe('??x');
  });

  test('a text ends at its first zero', () => {
    expect(decodeText(encodeText('id-1'))).toBe('id-1');
    expect(decodeText(ascii('unterminated'))).toBe('');
  });

  test('a submission has the fields of the specification', () => {
    expect(hex(encodeMessage(MESSAGE))).toBe(
      '00' +
        '0500' +
        hex(ascii('Isotherm\0')) +
        '0101' +
        hex(ascii('8613812345678\0')) +
        '00' + // esm_class
        '0000' +
        '0000' +
        '01' + // registered_delivery
        '00' +
        '08' + // data_coding
        '00' +
        '02' +
        '6e29',
    );
  });

  test('a message is read as it was written', () => {
    const address = fc.constantFrom('+4915112345678', '10690001', 'Isotherm', '').map(addressOf);
    const message = fc.record({
      source: address,
      destination: address,
      esmClass: fc.nat(255),
      registeredDelivery: fc.nat(255),
      dataCoding: fc.nat(255),
      content: fc.uint8Array({ maxLength: 254 }),
      options: fc
        .array(fc.tuple(fc.nat(0xffff), fc.uint8Array({ maxLength: 300 })), { maxLength: 3 })
        .map((entries) => new Map(entries)),
    });
    fc.assert(
      fc.property(message, (each) => {
        expect(decodeMessage(encodeMessage(each))).toEqual(each);
      }),
    );
  });

  test('a message that ends too early is invalid, and no bytes make the reader fail', () => {
    const whole = encodeMessage({ ...MESSAGE, options: new Map([[0x1e, ascii('id\0')]]) });
    const withoutOptions = encodeMessage(MESSAGE).length;
    for (let length = 0; length < whole.length; length += 1)
      expect(decodeMessage(whole.slice(0, length)) === null).toBe(length !== withoutOptions);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (each) => void decodeMessage(each)));
  });
});

describe('texts', () => {
  test.each([
    ['gsm-7', 'A@{€', '41001b281b65'],
    ['gsm-7', '温\u001b', '3f3f'],
    ['ucs-2', '8 °C', '0038002000b00043'],
  ] as const)('in %s, %j is %s', (encoding, text, wanted) => {
    expect(hex(encodeSmsText(text, encoding))).toBe(wanted);
  });

  test('a text is decoded as it was encoded', () => {
    const gsm = fc.string({ unit: fc.constantFrom(...'aZ@£Δ_ß€{}[]~|\\^\fà 0?') });
    fc.assert(fc.property(gsm, (text) => decodeSmsText(encodeSmsText(text, 'gsm-7'), 'gsm-7') === text));
    fc.assert(
      fc.property(fc.string(), (text) => decodeSmsText(encodeSmsText(text, 'ucs-2'), 'ucs-2') === text),
    );
  });

  test('unknown codes are question marks', () => {
    expect(decodeSmsText(bytes(0x41, 0x1b, 0x41, 0xff), 'gsm-7')).toBe('A??');
  });

  test('the header of a part says which part it is', () => {
    const content = Buffer.concat([concatenationHeader(0x1ff, 3, 2), ascii('text')]);
    expect(readConcatenation(content)).toEqual({
      reference: 255,
      parts: 3,
      part: 2,
      text: Buffer.from(ascii('text')),
    });
    for (const other of [
      bytes(),
      bytes(5, 0, 3, 1, 1),
      bytes(6, 8, 4, 1, 1, 1, 1),
      bytes(5, 1, 3, 1, 1, 1),
      bytes(5, 0, 2, 1, 1, 1),
    ])
      expect(readConcatenation(other)).toBeNull();
  });
});

describe('receipts', () => {
  const receipt = (text: string, options: [number, Uint8Array][] = [], esmClass = 0x04) =>
    readReceipt({ ...MESSAGE, esmClass, content: ascii(text), options: new Map(options) });

  test('the text of appendix B is read', () => {
    expect(
      receipt(
        'id:0123456789 sub:001 dlvrd:001 submit date:2611260901 done date:2611260902 stat:DELIVRD err:000 text:Level 2',
      ),
    ).toEqual({ messageId: '0123456789', state: 'DELIVRD', error: '' });
    expect(receipt('id:a-1 stat:undeliv err:27')).toEqual({
      messageId: 'a-1',
      state: 'UNDELIV',
      error: '27',
    });
  });

  test('optional parameters count more than the text', () => {
    const id: [number, Uint8Array] = [0x1e, ascii('other-1\0')];
    expect(receipt('id:1 stat:UNDELIV', [id, [0x427, bytes(2)]])).toEqual({
      messageId: 'other-1',
      state: 'DELIVRD',
      error: '',
    });
    expect(receipt('stat:EXPIRED', [id, [0x427, bytes(99)]])?.state).toBe('EXPIRED');
    expect(receipt('', [id, [0x427, bytes(5)]])?.state).toBe('UNDELIV');
  });

  test.each<[string, string, number]>([
    ['a message of a subscriber', 'id:1 stat:DELIVRD', 0],
    ['one without an id', 'stat:DELIVRD', 4],
    ['one without a state', 'id:1', 4],
    ['one with a long id', `id:${'1'.repeat(66)} stat:DELIVRD`, 4],
  ])('%s is no receipt', (_, text, esmClass) => {
    expect(receipt(text, [], esmClass)).toBeNull();
  });
});
