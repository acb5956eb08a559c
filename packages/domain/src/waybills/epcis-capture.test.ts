import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EPCIS_UNITS, toUnit } from './epcis.ts';
import { type CapturedEvent, fromUnit, stepOfEvent, temperaturesOf, waybillKeysOf } from './epcis-capture.ts';

const event = (over: Partial<CapturedEvent> = {}): CapturedEvent => ({
  eventTime: '2026-11-26T08:00:00Z',
  ...over,
});

it.each<[string, Partial<CapturedEvent>, ReturnType<typeof waybillKeysOf>]>([
  ['names nothing', {}, []],
  [
    'the address of a waybill',
    { bizTransactionList: [{ bizTransaction: 'https://console.example/waybill/list/12' }] },
    [{ id: 12 }],
  ],
  ['an address with a fragment', { epcList: ['https://c.example/waybill/list/12#step-1'] }, [{ id: 12 }]],
  [
    'the number of a bill of lading',
    { bizTransactionList: [{ bizTransaction: 'urn:epcglobal:cbv:bt:4012345000009:W-2026-1' }] },
    [{ number: 'W-2026-1' }],
  ],
  ['an encoded number', { epcList: ['https://example.com/shipment/W%201'] }, [{ number: 'W 1' }]],
  ['a wrong encoding', { epcList: ['https://example.com/shipment/W%1'] }, [{ number: 'W%1' }]],
  [
    'transactions before objects',
    { bizTransactionList: [{ bizTransaction: 'urn:bt:A' }], epcList: ['urn:epc:B'] },
    [{ number: 'A' }],
  ],
])('an event names its waybill: %s', (_, over, expected) => {
  expect(waybillKeysOf(event(over))).toEqual(expected);
});

describe('the step that an event reports', () => {
  it.each([
    ['departing', undefined, 'not-shipped', 'depart'],
    ['https://ref.gs1.org/cbv/BizStep-departing', undefined, 'not-shipped', 'depart'],
    ['urn:epcglobal:cbv:bizstep:departing', undefined, 'not-shipped', 'depart'],
    ['departing', undefined, 'in-transport', null],
    ['arriving', undefined, 'in-transport', 'deliver'],
    ['receiving', 'in_progress', 'in-transport', 'deliver'],
    ['receiving', 'returned', 'in-transport', 'reject'],
    ['receiving', 'https://ref.gs1.org/cbv/Disp-returned', 'in-transport', 'reject'],
    ['receiving', undefined, 'arrived', null],
    ['transporting', undefined, 'in-transport', null],
    [undefined, undefined, 'not-shipped', null],
  ] as const)('%s, %s, %s', (bizStep, disposition, state, expected) => {
    expect(stepOfEvent(event({ bizStep, disposition }), state)).toBe(expected);
  });
});

it('temperatures are the lowest and highest of all reports, in °C', () => {
  const report = (...sensorReport: object[]) => event({ sensorElementList: [{ sensorReport }] });
  expect(temperaturesOf(event())).toBeNull();
  expect(temperaturesOf(report({ type: 'RelativeHumidity', value: 40, uom: 'A93' }))).toBeNull();
  expect(temperaturesOf(report({ value: 4, uom: 'CEL' }))).toBeNull();
  expect(temperaturesOf(report({ type: 'Temperature', value: 4 }))).toBeNull();
  expect(temperaturesOf(report({ type: 'Temperature', value: 4, uom: 'RAN' }))).toBeNull();
  expect(
    temperaturesOf(
      report(
        { type: 'gs1:Temperature', value: 41, uom: 'FAH' },
        { type: 'https://gs1.org/voc/Temperature', minValue: 275.15, maxValue: 280.15, uom: 'KEL' },
      ),
    ),
  ).toEqual({ min: 2, max: 7 });
});

it('a temperature that was converted is converted back', () => {
  fc.assert(
    fc.property(fc.integer({ min: -2_000, max: 2_000 }), fc.constantFrom(...EPCIS_UNITS), (tenths, unit) => {
      expect(fromUnit(toUnit(tenths / 10, unit), unit)).toBeCloseTo(tenths / 10, 1);
    }),
  );
});
