import { randomUUID } from 'node:crypto';
import type { EpcisDocument } from '@isotherm/contracts/waybill-epcis';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import { type ShippedWaybill, shippedWaybill } from '../../../testing/shipped-waybill.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let known: People;
let shipped: ShippedWaybill;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_PUBLIC_URL: 'https://console.example' } });
  manager = await server.logIn('demo.manager');
  known = people(server, await server.logIn('demo.platform'));
  const organizationId = await known.organizationId('DEMO');
  shipped = await shippedWaybill(server, manager, { number: '7800001', organizationId, hours: 4 });
});
afterAll(() => server.stop());

const read = (query: Record<string, string>, session = manager) =>
  server.call<EpcisDocument>({ path: `/api/waybill/${shipped.id}/epcis`, query, session });

it('the events of a waybill are its steps and the temperatures of each leg, in the unit that is asked for', async () => {
  const document = expectDone(await read({}));
  const { eventList } = document.epcisBody;
  expect(eventList.map(({ bizStep }) => bizStep)).toEqual([
    'departing',
    'loading',
    'transporting',
    'receiving',
    'transporting',
  ]);
  const uri = `https://console.example/waybill/list/${shipped.id}`;
  for (const event of eventList)
    expect(event).toMatchObject({ epcList: [uri], eventTimeZoneOffset: '+00:00' });
  expect(new Set(eventList.map(({ eventID }) => eventID)).size).toBe(5);
  const reports = eventList.flatMap(({ sensorElementList = [] }) =>
    sensorElementList.flatMap(({ sensorReport }) => sensorReport),
  );
  expect(reports).toMatchObject([{ maxValue: 11, uom: 'CEL', exception: 'ALARM_CONDITION' }, { uom: 'CEL' }]);
  expect(reports[1]).not.toHaveProperty('exception');
  const fahrenheit = expectDone(await read({ uom: 'FAH' }));
  expect(JSON.stringify(fahrenheit)).toContain('"maxValue":51.8');
});

it('another unit, and another organisation, are refused', async () => {
  expect(await read({ uom: 'RAN' })).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
  const stranger = await known.account('epcis.stranger', 'enterprise-administrator', 'DEMO-HOSPITAL');
  expect(await read({}, stranger)).toMatchObject({ httpStatus: 404, status: 'waybill.not_found' });
});

const CONTEXT = ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'];
const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
const capture = (eventList: object[], session = manager) =>
  server.call<{ stored: number; known: number; steps: number }>({
    method: 'POST',
    path: '/api/waybill/epcis',
    session,
    json: {
      '@context': CONTEXT,
      type: 'EPCISDocument',
      schemaVersion: '2.0',
      creationDate: at(0),
      // Each system has its own, so that no request is a repetition of another one.
      'example:sender': randomUUID(),
      epcisBody: { eventList },
    },
  });
const eventOf = (waybill: string, over: object = {}) => ({
  type: 'ObjectEvent',
  eventID: `urn:uuid:${randomUUID()}`,
  action: 'OBSERVE',
  eventTime: at(60),
  eventTimeZoneOffset: '+08:00',
  epcList: ['urn:epc:id:sscc:4012345.0000000001'],
  bizTransactionList: [{ type: 'bol', bizTransaction: `urn:epcglobal:cbv:bt:4012345000009:${waybill}` }],
  ...over,
});
async function create(number: string): Promise<WaybillDetail> {
  const organizationId = await known.organizationId('DEMO');
  return expectDone(
    await server.call<WaybillDetail>({
      method: 'POST',
      path: '/api/waybill',
      session: manager,
      json: {
        organizationId,
        number,
        consignorUnit: 'Warehouse',
        consigneeUnit: 'Clinic',
        assetId: shipped.assets[0],
        plannedDepartureAt: at(90),
        temperatureLow: 2,
        temperatureHigh: 8,
      },
    }),
  );
}
const get = async (id: number) =>
  expectDone(await server.call<WaybillDetail>({ path: `/api/waybill/${id}`, session: manager }));

it('a captured document records departure and receipt once, and keeps observations with their temperatures', async () => {
  const { id } = await create('EPC-1');
  const document = [
    eventOf('EPC-1', {
      bizStep: 'receiving',
      eventTime: at(10),
      'example:crate': { lid: true },
      readPoint: { id: 'urn:epc:id:sgln:4012345.00001.0' },
    }),
    eventOf('EPC-1', { bizStep: 'https://ref.gs1.org/cbv/BizStep-departing' }),
    eventOf('EPC-1', {
      eventTime: at(30),
      bizTransactionList: [{ bizTransaction: `https://console.example/waybill/list/${id}` }],
      sensorElementList: [
        { sensorReport: [{ type: 'gs1:Temperature', minValue: 39.2, maxValue: 46.4, uom: 'FAH' }] },
      ],
    }),
  ];
  expect(expectDone(await capture(document))).toEqual({ stored: 3, known: 0, steps: 2 });
  expect(expectDone(await capture(document))).toEqual({ stored: 0, known: 3, steps: 0 });
  const waybill = await get(id);
  expect(waybill).toMatchObject({
    state: 'arrived',
    events: [
      { bizStep: 'receiving', isStep: true, place: 'urn:epc:id:sgln:4012345.00001.0', temperatures: null },
      { bizStep: '', isStep: false, temperatures: { min: 4, max: 8 } },
      { bizStep: 'departing', isStep: true },
    ],
  });
  expect(waybill.custody.map(({ action, username }) => [action, username])).toEqual([
    ['depart', 'demo.manager'],
    ['deliver', 'demo.manager'],
  ]);
});

it('two systems that send the same event at the same time store it once, also without an id', async () => {
  const { id } = await create('EPC-2');
  const { eventID, ...event } = eventOf('EPC-2', { bizStep: 'departing' });
  const answers = await Promise.all([capture([event]), capture([event]), capture([event])]);
  expect(answers.map((answer) => expectDone(answer).stored).sort()).toEqual([0, 0, 1]);
  expect((await get(id)).custody).toHaveLength(1);
});

it('a document with one wrong event stores nothing', async () => {
  const { id } = await create('EPC-3');
  const departing = eventOf('EPC-3', { bizStep: 'departing' });
  expect(await capture([departing, eventOf('EPC-UNKNOWN')])).toMatchObject({
    status: 'epcis.unknown_waybill',
    httpStatus: 422,
  });
  expect(
    await capture([
      departing,
      {
        ...eventOf(''),
        bizTransactionList: [],
        epcList: undefined,
        sensorElementList: [{ sensorReport: [{}] }],
      },
    ]),
  ).toMatchObject({
    status: 'epcis.no_waybill',
  });
  expect(await capture([eventOf('EPC-3', { eventTime: at(-60) })])).toMatchObject({
    status: 'waybill.future',
  });
  for (const broken of [
    { action: undefined },
    { eventTime: '2026-11-26' },
    { eventTimeZoneOffset: 'Z' },
    { epcList: [] },
    { type: 'Event' },
    { sensorElementList: [{ sensorReport: [] }] },
  ])
    expect(await capture([{ ...departing, ...broken }])).toMatchObject({ status: 'request.invalid' });
  // The id is that of a waybill here, and the address that of another installation.
  expect(
    await capture([
      eventOf('', { bizTransactionList: [{ bizTransaction: `https://other.example/waybill/list/${id}` }] }),
    ]),
  ).toMatchObject({ status: 'epcis.unknown_waybill' });
  expect(await get(id)).toMatchObject({ state: 'not-shipped', events: [] });
  expectDone(await capture([departing]));
  expect(await capture([{ ...departing, disposition: 'in_transit' }])).toMatchObject({
    status: 'epcis.changed',
  });
  const stranger = await known.account('epcis.other', 'enterprise-administrator', 'DEMO-HOSPITAL');
  expect(await capture([eventOf('EPC-3')], stranger)).toMatchObject({ status: 'epcis.unknown_waybill' });
});
