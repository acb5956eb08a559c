import { expect, it } from 'vitest';
import { epcisFaults } from './epcis-rules.ts';

const REPORT = { type: 'Temperature', minValue: 2, maxValue: 8, meanValue: 5, uom: 'CEL' };
const METADATA = {
  startTime: '2026-11-26T08:00:00Z',
  endTime: '2026-11-26T09:00:00.000+08:00',
  deviceID: 'urn:epc:id:giai:4000001.111',
};
const EVENT = {
  type: 'ObjectEvent',
  eventID: 'urn:uuid:1',
  eventTime: '2026-11-26T09:00:00Z',
  recordTime: '2026-11-26T09:00:01Z',
  eventTimeZoneOffset: '+08:00',
  action: 'OBSERVE',
  bizStep: 'sensor_reporting',
  disposition: 'in_transit',
  epcList: ['urn:epc:id:sscc:4012345.0000000001'],
  bizTransactionList: [{ type: 'bol', bizTransaction: 'urn:epcglobal:cbv:bt:4012345000009:1' }],
  readPoint: { id: 'urn:epc:id:sgln:4012345.00001.0' },
  sensorElementList: [{ sensorMetadata: METADATA, sensorReport: [REPORT] }],
  'example:crate': { lid: true },
};
const HEAD = {
  '@context': [
    'https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld',
    { example: 'https://e.example/' },
  ],
  schemaVersion: '2.0',
  creationDate: '2026-11-26T10:00:00Z',
};
const captured = (event: unknown, over: object = {}) => ({
  ...HEAD,
  type: 'EPCISDocument',
  epcisBody: { eventList: [event] },
  ...over,
});
const sensed = (element: unknown) => captured({ ...EVENT, sensorElementList: [element] });
const queried = {
  ...HEAD,
  type: 'EPCISQueryDocument',
  epcisBody: { queryResults: { queryName: 'SimpleEventQuery', resultsBody: { eventList: [EVENT] } } },
};

it.each<[string, unknown]>([
  ['a document', captured(EVENT)],
  ['a query document', queried],
  ['a sensor event at a read point without objects', captured({ ...EVENT, epcList: undefined })],
  ['words as URIs', captured({ ...EVENT, bizStep: 'https://ref.gs1.org/cbv/BizStep-departing' })],
  [
    'a value without metadata',
    sensed({ sensorReport: [{ type: 'gs1:Temperature', value: 4, time: METADATA.endTime }] }),
  ],
])('%s follows the rules', (_, document) => {
  expect(epcisFaults(document)).toEqual([]);
});

const AT = 'eventList[0]';
const ELEMENT = `${AT}.sensorElementList[0]`;
it.each<[fault: string, document: unknown]>([
  ['document: not an object', null],
  ['document.status: unknown property', captured(EVENT, { status: '1' })],
  ['@context: without that of EPCIS', captured(EVENT, { '@context': ['https://e.example/'] })],
  ['schemaVersion: not 2.0', captured(EVENT, { schemaVersion: '1.2' })],
  ['creationDate: not a time', captured(EVENT, { creationDate: '2026-11-26' })],
  ['eventList: missing', captured(EVENT, { epcisBody: {} })],
  ['queryName: missing', { ...queried, epcisBody: { queryResults: { resultsBody: { eventList: [] } } } }],
  [`${AT}: not an object`, captured('event')],
  [`${AT}.type: not an event`, captured({ ...EVENT, type: 'Event' })],
  [`${AT}.eventTime: not a time`, captured({ ...EVENT, eventTime: '2026-11-26T09:00:00' })],
  [`${AT}.recordTime: not a time`, captured({ ...EVENT, recordTime: 5 })],
  [`${AT}.eventTimeZoneOffset: not an offset`, captured({ ...EVENT, eventTimeZoneOffset: 'Z' })],
  [`${AT}.eventID: not a URI`, captured({ ...EVENT, eventID: '17' })],
  [`${AT}.action: not an action`, captured({ ...EVENT, action: undefined })],
  [`${AT}.bizStep: not a word of the vocabulary`, captured({ ...EVENT, bizStep: 'driving' })],
  [`${AT}.disposition: not a word of the vocabulary`, captured({ ...EVENT, disposition: 'gone' })],
  [`${AT}.epcList: not different URIs`, captured({ ...EVENT, epcList: ['urn:a:1', 'urn:a:1'] })],
  [`${AT}.epcList: not different URIs`, captured({ ...EVENT, epcList: ['box'] })],
  [
    `${AT}: without objects, quantities, or sensor elements at a read point`,
    captured({ ...EVENT, epcList: undefined, readPoint: undefined }),
  ],
  [`${AT}.readPoint: without an id`, captured({ ...EVENT, readPoint: {} })],
  [`${AT}.bizTransactionList[0]: not an object`, captured({ ...EVENT, bizTransactionList: ['urn:a:1'] })],
  [
    `${AT}.bizTransactionList[0]: without a URI`,
    captured({ ...EVENT, bizTransactionList: [{ type: 'bol' }] }),
  ],
  [`${AT}.crate: unknown property`, captured({ ...EVENT, crate: 1 })],
  [`${ELEMENT}: not an object`, sensed(4)],
  [`${ELEMENT}.sensorReport: empty`, sensed({ sensorReport: [] })],
  [`${ELEMENT}.sensorMetadata: not an object`, sensed({ sensorMetadata: 1, sensorReport: [REPORT] })],
  [
    `${ELEMENT}.sensorMetadata.endTime: not a time`,
    sensed({ sensorMetadata: { ...METADATA, endTime: 1 }, sensorReport: [REPORT] }),
  ],
  [
    `${ELEMENT}.sensorMetadata.deviceID: not a URI`,
    sensed({ sensorMetadata: { ...METADATA, deviceID: 'logger' }, sensorReport: [REPORT] }),
  ],
  [
    `${ELEMENT}.deviceID: both in metadata and in a report`,
    sensed({ sensorMetadata: METADATA, sensorReport: [{ ...REPORT, deviceID: METADATA.deviceID }] }),
  ],
  [`${ELEMENT}.sensorReport[0]: not an object`, sensed({ sensorReport: [4] })],
  [`${ELEMENT}.sensorReport[0].type: not a type of measurement`, sensed({ sensorReport: [{ value: 4 }] })],
  [`${ELEMENT}.sensorReport[0]: without a value`, sensed({ sensorReport: [{ type: 'Temperature' }] })],
  [
    `${ELEMENT}.sensorReport[0].maxValue: not a number`,
    sensed({ sensorReport: [{ ...REPORT, maxValue: '8' }] }),
  ],
  [`${ELEMENT}.sensorReport[0].uom: not a unit`, sensed({ sensorReport: [{ ...REPORT, uom: '°C' }] })],
  [
    `${ELEMENT}.sensorReport[0].exception: not an exception`,
    sensed({ sensorReport: [{ ...REPORT, exception: 'HOT' }] }),
  ],
])('a document is at fault: %s', (fault, document) => {
  expect(epcisFaults(document)).toEqual([fault]);
});
