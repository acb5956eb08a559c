import { randomUUID } from 'node:crypto';
import type { EpcisDocument } from '@isotherm/contracts/waybill-epcis';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { epcisFaults } from '../../../testing/epcis-rules.ts';
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
    'sensor_reporting',
    'receiving',
    'sensor_reporting',
  ]);
  expect(epcisFaults(document)).toEqual([]);
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
  expect(epcisFaults(fahrenheit)).toEqual([]);
});

it('another unit, and another organisation, are refused', async () => {
  expect(await read({ uom: 'RAN' })).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
  const stranger = await known.account('epcis.stranger', 'enterprise-administrator', 'DEMO-HOSPITAL');
  expect(await read({}, stranger)).toMatchObject({ httpStatus: 404, status: 'waybill.not_found' });
});

const CONTEXT = ['https://ref.gs1.org/standards/epcis/2.0.0/epcis-context.jsonld'];
const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000).toISOString();
const capture = (eventList: object[], session = manager, context: unknown = CONTEXT) =>
  server.call<{ stored: number; known: number; steps: number }>({
    method: 'POST',
    path: '/api/waybill/epcis',
    session,
    json: {
      '@context': context,
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

interface QueryDocument {
  type: string;
  epcisBody: { queryResults: { queryName: string; resultsBody: { eventList: Record<string, unknown>[] } } };
}

/** Asks for events; the document follows the rules of EPCIS. */
async function query(parameters: Record<string, string>, session = manager) {
  const answer = await server.call<string>({ path: '/api/epcis/events', query: parameters, session });
  expect(answer.headers?.get('content-type')).toBe('application/ld+json');
  expect(answer.headers?.get('gs1-epcis-version')).toBe('2.0');
  const document = JSON.parse(answer.data) as QueryDocument;
  expect(epcisFaults(document)).toEqual([]);
  const [, next] = /^<(.*)>; rel="next"$/.exec(answer.headers?.get('link') ?? '') ?? [];
  return { document, events: document.epcisBody.queryResults.resultsBody.eventList, next };
}

/** Reads page by page; the parameters of each next page are those of its address. */
async function queryAll(parameters: Record<string, string>): Promise<Record<string, unknown>[]> {
  const events: Record<string, unknown>[] = [];
  for (let asked: Record<string, string> | null = parameters; asked; ) {
    const page = await query(asked);
    expect(page.events.length).toBeLessThanOrEqual(Number(parameters.perPage));
    events.push(...page.events);
    asked = page.next ? Object.fromEntries(new URL(page.next, server.url).searchParams) : null;
  }
  return events;
}

it('a query returns the events of all waybills in order of time, captured ones included, page by page', async () => {
  const { id } = await create('EPC-QUERY');
  const context = { example: 'https://example.com/crates/' };
  const sent = eventOf('EPC-QUERY', {
    bizStep: 'https://ref.gs1.org/cbv/BizStep-transporting',
    eventTime: at(30),
    'example:crate': { lid: true },
    sensorElementList: [{ sensorReport: [{ type: 'Temperature', value: 41, sDev: 1.8, uom: 'FAH' }] }],
  });
  const step = eventOf('EPC-QUERY', { bizStep: 'departing', eventTime: at(45) });
  expectDone(await capture([step, sent], manager, [...CONTEXT, context]));
  const from = new Date(shipped.from).toISOString();
  const whole = await query({ GE_eventTime: from, perPage: '100' });
  expect(whole.document).toMatchObject({
    type: 'EPCISQueryDocument',
    epcisBody: { queryResults: { queryName: 'SimpleEventQuery' } },
  });
  expect(whole.next).toBeUndefined();
  const times = whole.events.map(({ eventTime }) => Date.parse(String(eventTime)));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const own = (of: string) =>
    whole.events.filter((event) =>
      String(event.eventID).startsWith(`https://console.example/waybill/list/${of}#`),
    );
  expect(own(String(shipped.id)).map(({ bizStep }) => bizStep)).toEqual([
    'departing',
    'loading',
    'sensor_reporting',
    'receiving',
    'sensor_reporting',
  ]);
  // The departure is the event that reported it.
  expect(own(String(id))).toEqual([]);
  const captured = whole.events.filter(({ eventID }) => eventID === step.eventID || eventID === sent.eventID);
  expect(captured).toMatchObject([
    { bizStep: 'departing', recordTime: expect.any(String) },
    {
      '@context': [context],
      'example:crate': { lid: true },
      sensorElementList: [{ sensorReport: [{ value: 5, sDev: 1, uom: 'CEL' }] }],
    },
  ]);
  for (const perPage of ['1', '3', '7'])
    expect(await queryAll({ GE_eventTime: from, perPage })).toEqual(whole.events);
});

it('an event keeps its own context beside that of its document', async () => {
  await create('EPC-CONTEXT');
  const [document, own] = [{ example: 'https://example.com/' }, { other: 'https://other.example/' }];
  const sent = eventOf('EPC-CONTEXT', {
    '@context': [...CONTEXT, own, null],
    'other:lid': 1,
    'example:lid': 2,
  });
  expectDone(await capture([sent], manager, [...CONTEXT, document]));
  const { events } = await query({ GE_eventTime: at(61), perPage: '100' });
  expect(events.find(({ eventID }) => eventID === sent.eventID)).toMatchObject({
    '@context': [document, own],
    'other:lid': 1,
    'example:lid': 2,
  });
});

it('contexts and events without a bound are refused, because they are stored with each event', async () => {
  await create('EPC-LARGE');
  const sent = eventOf('EPC-LARGE');
  const entries = Array.from({ length: 21 }, (_, at) => ({ [`p${at}`]: `https://example.com/${at}` }));
  for (const context of [entries, { example: 'x'.repeat(8_000) }]) {
    expect(await capture([sent], manager, context)).toMatchObject({ status: 'request.invalid' });
    expect(await capture([{ ...sent, '@context': context }])).toMatchObject({ status: 'request.invalid' });
  }
  expect(await capture([{ ...sent, 'example:note': 'x'.repeat(200_000) }])).toMatchObject({
    status: 'request.invalid',
  });
  const within = [...entries.slice(0, 19), ...CONTEXT];
  expect(expectDone(await capture([{ ...sent, '@context': within }], manager, within)).stored).toBe(1);
});

it('events before 1970 are read page by page as well', async () => {
  await create('EPC-OLD');
  const sent = [1, 2, 3].map((hour) => eventOf('EPC-OLD', { eventTime: `1969-12-31T2${hour}:30:00.123Z` }));
  expectDone(await capture(sent));
  const events = await queryAll({ LT_eventTime: '1970-01-02T00:00:00Z', perPage: '1' });
  expect(events.map(({ eventID }) => eventID)).toEqual(sent.map(({ eventID }) => eventID));
});

it('events that are captured while somebody reads page by page neither repeat nor hide others', async () => {
  await create('EPC-PAGES');
  const event = (hour: number) => eventOf('EPC-PAGES', { eventTime: `1980-01-01T1${hour}:00:00Z` });
  const sent = [1, 3, 5, 7].map(event);
  const [before, after] = [event(0), event(6)];
  expectDone(await capture(sent));
  const period = { GE_eventTime: '1980-01-01T00:00:00Z', LT_eventTime: '1980-01-02T00:00:00Z', perPage: '2' };
  const first = await query(period);
  expectDone(await capture([before, after]));
  const rest = await queryAll(
    Object.fromEntries(new URL(first.next ?? '', server.url).searchParams) as typeof period,
  );
  expect([...first.events, ...rest].map(({ eventID }) => eventID)).toEqual(
    [...sent.slice(0, 3), after, ...sent.slice(3)].map(({ eventID }) => eventID),
  );
});

it('the temperatures of a leg have an id when the leg has ended, since they change until then', async () => {
  const { id } = await create('EPC-OPEN');
  const step = (action: string, json: object) =>
    server.call({ method: 'POST', path: `/api/waybill/${id}/${action}`, session: manager, json });
  const [assetId] = shipped.assets;
  expectDone(await step('depart', { at: new Date(shipped.from + 60_000).toISOString(), assetId }));
  const legs = async () =>
    expectDone(
      await server.call<EpcisDocument>({ path: `/api/waybill/${id}/epcis`, session: manager }),
    ).epcisBody.eventList.filter(({ bizStep }) => bizStep === 'sensor_reporting');
  expect((await legs()).map(({ eventID }) => eventID)).toEqual([undefined]);
  expectDone(await step('deliver', { at: new Date(shipped.to).toISOString(), person: 'Nurse' }));
  const uri = `https://console.example/waybill/list/${id}`;
  expect((await legs()).map(({ eventID }) => eventID)).toEqual([`${uri}#leg-1`]);
});

it('the document and the query name the same events, in the unit that is asked for', async () => {
  const document = expectDone(await read({ uom: 'KEL' }));
  const { events } = await query({
    GE_eventTime: new Date(shipped.from).toISOString(),
    LT_eventTime: new Date(shipped.to + 1).toISOString(),
    uom: 'KEL',
    perPage: '100',
  });
  const withoutRecord = events
    .filter(({ epcList }) => String(epcList) === `https://console.example/waybill/list/${shipped.id}`)
    .map(({ recordTime: _, ...event }) => event);
  expect(withoutRecord).toEqual(document.epcisBody.eventList);
  expect(JSON.stringify(withoutRecord)).toContain('"maxValue":284.15');
});

it.each<[string, Record<string, string>, string[]]>([
  ['one step', { EQ_bizStep: 'sensor_reporting' }, ['sensor_reporting', 'sensor_reporting']],
  ['a word as a URI', { EQ_bizStep: 'https://ref.gs1.org/cbv/BizStep-loading' }, ['loading']],
  ['several steps', { EQ_bizStep: 'loading|receiving' }, ['loading', 'receiving']],
  ['a step that no event has', { EQ_bizStep: 'shipping' }, []],
  ['a disposition', { EQ_disposition: 'in_progress' }, ['receiving']],
  ['step and disposition', { EQ_bizStep: 'receiving', EQ_disposition: 'returned' }, []],
  ['a kind of event that there is not', { eventType: 'AggregationEvent' }, []],
  [
    'its kind',
    { eventType: 'ObjectEvent|AggregationEvent' },
    ['departing', 'loading', 'sensor_reporting', 'receiving', 'sensor_reporting'],
  ],
])('a query is filtered by %s', async (_, filter, expected) => {
  const { events } = await query({
    GE_eventTime: new Date(shipped.from).toISOString(),
    LT_eventTime: new Date(shipped.to + 1).toISOString(),
    perPage: '100',
    ...filter,
  });
  const own = events.filter(({ epcList }) => String(epcList).endsWith(`/waybill/list/${shipped.id}`));
  expect(own.map(({ bizStep }) => bizStep)).toEqual(expected);
});

it('the end of a period is not part of it, its beginning is', async () => {
  const [from, end] = [shipped.from, shipped.transshippedAt].map((moment) => new Date(moment).toISOString());
  const { events } = await query({ GE_eventTime: from as string, LT_eventTime: end as string });
  const own = events.filter(({ epcList }) => String(epcList).endsWith(`/waybill/list/${shipped.id}`));
  expect(own.map(({ bizStep }) => bizStep)).toEqual(['departing']);
});

it.each([
  ['a parameter of the standard that is not answered', { MATCH_epc: 'urn:epc:id:sscc:1.1' }],
  ['a time without an offset', { GE_eventTime: '2026-11-26' }],
  ['too many events', { perPage: '101' }],
  ['no events', { perPage: '0' }],
  ['another unit', { uom: 'RAN' }],
  ['a token that is none', { nextPageToken: "1' or true" }],
  ['a token of a kind that is none', { nextPageToken: '1.4.1' }],
])('a query with %s is refused', async (_, parameters) => {
  expect(await server.call({ path: '/api/epcis/events', query: parameters, session: manager })).toMatchObject(
    {
      httpStatus: 400,
      status: 'request.invalid',
    },
  );
});

it('a query returns nothing of another organisation', async () => {
  const stranger = await known.account('epcis.reader', 'enterprise-administrator', 'DEMO-HOSPITAL');
  const { events } = await query({ perPage: '100' }, stranger);
  expect(JSON.stringify(events)).not.toContain(`/waybill/list/${shipped.id}`);
});

it('an API key captures a document as JSON-LD, and queries it', async () => {
  await create('EPC-KEY');
  const { secret } = expectDone(
    await server.call<{ secret: string }>({
      method: 'POST',
      path: '/api/authorization',
      session: manager,
      json: {
        name: 'Carrier',
        organizationId: await known.organizationId('DEMO'),
        permissions: ['waybill-list:view', 'waybill-list:transport'],
        kind: 'key',
      },
    }),
  );
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/ld+json' };
  const sent = eventOf('EPC-KEY');
  const body = JSON.stringify({
    '@context': CONTEXT,
    type: 'EPCISDocument',
    schemaVersion: '2.0',
    creationDate: at(0),
    epcisBody: { eventList: [sent] },
  });
  const answer = await fetch(`${server.url}/api/waybill/epcis`, { method: 'POST', headers, body });
  expect(await answer.json()).toMatchObject({ status: '1', data: { stored: 1 } });
  const found = await fetch(`${server.url}/api/epcis/events?GE_eventTime=${encodeURIComponent(at(61))}`, {
    headers,
  });
  expect(await found.text()).toContain(sent.eventID);
});
