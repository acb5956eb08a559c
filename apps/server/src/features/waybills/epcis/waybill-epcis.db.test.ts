import type { EpcisDocument } from '@isotherm/contracts/waybill-epcis';
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
