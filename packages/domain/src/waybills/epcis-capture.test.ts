import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EPCIS_UNITS, toUnit } from './epcis.ts';
import {
  type CapturedEvent,
  fromUnit,
  inUnit,
  stepOfEvent,
  temperaturesOf,
  waybillKeyOf,
} from './epcis-capture.ts';

const event = (over: Partial<CapturedEvent> = {}): CapturedEvent => ({
  eventTime: '2026-11-26T08:00:00Z',
  ...over,
});

const CONSOLE = 'https://console.example';

it.each<[string, Partial<CapturedEvent>, ReturnType<typeof waybillKeyOf>]>([
  ['names nothing', {}, null],
  [
    'the address of a waybill',
    { bizTransactionList: [{ bizTransaction: 'https://console.example/waybill/list/12' }] },
    { id: 12 },
  ],
  ['an address with a fragment', { epcList: ['https://console.example/waybill/list/12#step-1'] }, { id: 12 }],
  [
    'the address of a waybill of another installation',
    { epcList: ['https://other.example/waybill/list/12'] },
    { number: 'https://other.example/waybill/list/12' },
  ],
  [
    'an address that only begins like that of this installation',
    { epcList: ['https://console.example.org/waybill/list/12'] },
    { number: 'https://console.example.org/waybill/list/12' },
  ],
  [
    'the number of a bill of lading',
    { bizTransactionList: [{ bizTransaction: 'urn:epcglobal:cbv:bt:4012345000009:W-2026-1' }] },
    { number: 'W-2026-1' },
  ],
  ['an encoded number', { epcList: ['https://example.com/shipment/W%201'] }, { number: 'W 1' }],
  ['a wrong encoding', { epcList: ['https://example.com/shipment/W%1'] }, { number: 'W%1' }],
  [
    'transactions before objects, the first of several',
    {
      bizTransactionList: [{ bizTransaction: 'urn:bt:A' }, { bizTransaction: 'urn:bt:B' }],
      epcList: ['urn:epc:C'],
    },
    { number: 'A' },
  ],
])('an event names its waybill: %s', (_, over, expected) => {
  expect(waybillKeyOf(event(over), CONSOLE)).toEqual(expected);
});

it('without a known address of the console, the address of a waybill may begin with any', () => {
  expect(waybillKeyOf(event({ epcList: ['http://127.0.0.1:8080/waybill/list/12'] }), null)).toEqual({
    id: 12,
  });
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

it('temperatures of an event are given in the unit that is asked for, and everything else as it was sent', () => {
  const humidity = { type: 'RelativeHumidity', value: 40, uom: 'A93' };
  const rankine = { type: 'Temperature', value: 500, uom: 'RAN' };
  const mixed = {
    type: 'gs1:Temperature',
    value: 41,
    minValue: 39.2,
    maxValue: 46.4,
    meanValue: 42.8,
    percValue: 44.6,
    sDev: 1.8,
    percRank: 90,
    uom: 'FAH',
  };
  const sent = event({
    sensorElementList: [{ sensorReport: [humidity, mixed] }, { sensorReport: [rankine] }],
  });
  expect(inUnit(sent, 'CEL').sensorElementList).toEqual([
    {
      sensorReport: [
        humidity,
        { ...mixed, value: 5, minValue: 4, maxValue: 8, meanValue: 6, percValue: 7, sDev: 1, uom: 'CEL' },
      ],
    },
    { sensorReport: [rankine] },
  ]);
  expect(inUnit(sent, 'FAH')).toEqual(sent);
  const kelvin = { type: 'Temperature', value: 278.15, uom: 'KEL' };
  expect(inUnit(event({ sensorElementList: [{ sensorReport: [kelvin] }] }), 'FAH').sensorElementList).toEqual(
    [{ sensorReport: [{ ...kelvin, value: 41, uom: 'FAH' }] }],
  );
  expect(inUnit(event(), 'KEL')).toEqual(event());
});
