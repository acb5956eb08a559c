import * as xlsx from '@e965/xlsx';
import type { ImportReport } from '@isotherm/contracts/batches';
import type { ProductProfile } from '@isotherm/contracts/product-profiles';
import type { TripRecord, WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeBook } from '../../../platform/sheets/sheets.ts';
import { expectDone, people } from '../../../testing/people.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

const MIN = 60_000;
let server: TestServer;
let manager: Session;
let demo: number;
let truck: number;
let other: number;
let profile: ProductProfile;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  demo = await people(server, await server.logIn('demo.platform')).organizationId('DEMO');
  truck = await makeAsset('WT-1');
  other = await makeAsset('WT-2');
  profile = expectDone(
    await server.call<ProductProfile>({
      method: 'POST',
      path: '/api/waybill/profile',
      session: manager,
      json: {
        organizationId: demo,
        name: 'Hepatitis B vaccine',
        code: 'HEPB',
        temperatureLow: 2,
        temperatureHigh: 8,
        budget: [{ low: 8, high: 25, hours: 1 }],
      },
    }),
  );
});
afterAll(() => server.stop());

const ask = <T = WaybillDetail>(method: string, path = '', json?: object) =>
  server.call<T>({ method, path: `/api/waybill${path}`, session: manager, ...(json ? { json } : {}) });
const ago = (minutes: number) => new Date(Date.now() - minutes * MIN).toISOString();
const form = (number: string, changes: object = {}) => ({
  organizationId: demo,
  number,
  consignorUnit: 'Warehouse',
  consigneeUnit: 'Hospital',
  assetId: truck,
  plannedDepartureAt: ago(60),
  profileId: profile.id,
  goods: [{ product: 'Vaccine', batch: 'A14', quantity: 2400, unit: 'doses' }],
  ...changes,
});
const create = async (number: string, changes: object = {}) =>
  expectDone(await ask('POST', '', form(number, changes)));
const decide = (id: number, seen: object) =>
  ask('POST', `/${id}/decide`, {
    decision: 'released',
    reason: 'Within the budget',
    seen: { decidedAt: null, ...seen },
  });
const depart = (id: number, minutes: number) =>
  ask('POST', `/${id}/depart`, { at: ago(minutes), assetId: truck });

async function makeAsset(code: string): Promise<number> {
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into asset (organization_id, kind, code, name) values ($1, 'vehicle', $2, $2) returning id`,
    [demo, code],
  );
  return rows[0]?.id as number;
}

async function channelOf(assetId: number, number: string, intervalMs = MIN): Promise<number> {
  const { rows } = await server.pool.query<{ id: number }>(
    `with d as (
       insert into device (organization_id, asset_id, number, name, key_hash, acquisition_interval_ms)
       values ($1, $2, $3, 'Logger', '', $4) returning id
     ), s as (
       insert into sensor (device_id, index, serial, name) select id, 1, $3, 'S1' from d returning id, device_id
     )
     insert into channel (sensor_id, device_id, asset_id, indicator, name)
     select id, device_id, $2, 'temperature', 'Cargo' from s returning id`,
    [demo, assetId, number, intervalMs],
  );
  return rows[0]?.id as number;
}

const upload = async (bytes: Buffer, dryRun: string) =>
  expectDone(
    await server.call<ImportReport>({
      method: 'POST',
      path: '/api/waybill/import',
      session: manager,
      fields: { file: { name: 'waybills.xlsx', bytes }, dryRun },
    }),
  );

it('a waybill departs, is transshipped and delivered, with its chain of custody and audit entries', async () => {
  const { id, state, low, high, actions } = await create('W-1');
  expect({ state, low, high, actions }).toEqual({
    state: 'not-shipped',
    low: 2,
    high: 8,
    actions: ['depart', 'adjust'],
  });
  expectDone(await depart(id, 50));
  expectDone(await ask('POST', `/${id}/transship`, { at: ago(30), assetId: other, person: 'Driver' }));
  const done = expectDone(await ask('POST', `/${id}/deliver`, { at: ago(10), person: 'Pharmacist' }));
  expect(done).toMatchObject({ state: 'arrived', actions: [], assetId: other });
  expect(done.legs.map(({ assetName }) => assetName)).toEqual(['WT-1', 'WT-2']);
  expect(done.legs[0]?.until).toBe(done.legs[1]?.from);
  expect(done.custody.map(({ action, person }) => [action, person])).toEqual([
    ['depart', ''],
    ['transship', 'Driver'],
    ['deliver', 'Pharmacist'],
  ]);
  const { rows } = await server.pool.query(
    `select action from audit_entry where object_kind = 'waybill' and object_id = $1 order by seq`,
    [String(id)],
  );
  expect(rows.map(({ action }) => action)).toEqual(['create', 'change', 'change', 'change']);
});

it('a step that the state or the time does not allow is refused', async () => {
  const { id } = await create('W-2');
  expect(await ask('POST', `/${id}/deliver`, { at: ago(1), person: 'P' })).toMatchObject({
    httpStatus: 409,
    status: 'waybill.state',
  });
  expect(await ask('GET', `/${id}/record`)).toMatchObject({ status: 'waybill.not_departed' });
  expect(await depart(id, -60)).toMatchObject({ status: 'waybill.future' });
  expectDone(await depart(id, 50));
  expect(await depart(id, 40)).toMatchObject({ status: 'waybill.state' });
  const transship = (minutes: number, assetId: number) =>
    ask('POST', `/${id}/transship`, { at: ago(minutes), assetId });
  expect(await transship(60, other)).toMatchObject({ status: 'waybill.before_leg' });
  expect(await transship(10, truck)).toMatchObject({ status: 'waybill.same_asset' });
  expect(await transship(10, 999_999_999)).toMatchObject({ status: 'asset.not_found' });
  expect(await ask('DELETE', `/${id}`, { reason: 'Wrong' })).toMatchObject({ status: 'waybill.state' });
  expect(await decide(id, { proposal: 'insufficient', readings: 0 })).toMatchObject({
    status: 'waybill.state',
  });
});

it('of two people who depart a waybill at once, one is refused', async () => {
  const { id } = await create('W-3');
  const answers = await Promise.all([depart(id, 50), depart(id, 49)]);
  expect(answers.map(({ status }) => status).sort()).toEqual(['1', 'waybill.state']);
});

it('limits are those of the product at the departure, and do not change afterwards', async () => {
  const { id } = await create('W-4');
  const change = (temperatureHigh: number) =>
    server.call({
      method: 'PUT',
      path: `/api/waybill/profile/${profile.id}`,
      session: manager,
      json: { ...input, temperatureHigh },
    });
  const {
    id: _,
    organizationName: __,
    version: ___,
    editable: ____,
    changedBy: _____,
    changedAt: ______,
    ...input
  } = profile;
  expectDone(await change(7));
  expectDone(await depart(id, 50));
  expectDone(await change(8));
  expect(expectDone(await ask('GET', `/${id}`))).toMatchObject({ high: 7 });
  const adjusted = (changes: object, reason: string) =>
    ask('PUT', `/${id}`, { waybill: form('W-4', changes), reason });
  expect(await adjusted({ temperatureHigh: 25 }, 'Warmer')).toMatchObject({ status: 'waybill.limits_fixed' });
  expect(await adjusted({ note: 'Late' }, '')).toMatchObject({ status: 'waybill.reason' });
  const done = expectDone(await adjusted({ note: 'Late' }, 'Traffic jam'));
  expect(done).toMatchObject({ note: 'Late', high: 7 });
  expect(done.custody.at(-1)).toMatchObject({ action: 'adjust', note: 'Traffic jam' });
});

it('a trip is judged by the readings of each asset while the goods were on it', async () => {
  const [first, second] = [await channelOf(truck, '72000001'), await channelOf(other, '72000002')];
  const now = Math.floor(Date.now() / MIN) * MIN;
  const write = (channel: number, valueAt: (minutes: number) => number) =>
    server.pool.query(
      `insert into reading (channel_id, delay_s, measured_at, value)
       select $1, 0, to_timestamp(t / 1000.0), v from unnest($2::float8[], $3::float8[]) as r(t, v)`,
      [
        channel,
        Array.from({ length: 61 }, (_, i) => now - i * MIN),
        Array.from({ length: 61 }, (_, i) => valueAt(i)),
      ],
    );
  // The first truck is far too warm after the goods have left it, and the second one before they came.
  await write(first, (minutes) => (minutes < 30 ? 40 : 5));
  await write(second, (minutes) => (minutes > 30 ? 40 : minutes > 20 ? 9 : 5));
  const { id } = await create('W-5');
  const at = (minutes: number) => new Date(now - minutes * MIN).toISOString();
  expectDone(await ask('POST', `/${id}/depart`, { at: at(50), assetId: truck }));
  expectDone(await ask('POST', `/${id}/transship`, { at: at(30), assetId: other }));
  expectDone(await ask('POST', `/${id}/deliver`, { at: at(10), person: 'Pharmacist' }));
  const record = expectDone(await ask<TripRecord>('GET', `/${id}/record`));
  expect(record.legs.map(({ channels }) => channels.map(({ channelId }) => channelId))).toEqual([
    [first],
    [second],
  ]);
  expect(record.probes).toHaveLength(1);
  expect(record.probes[0]?.verdict).toMatchObject({
    proposal: 'within-budget',
    readings: 40,
    max: 9,
    coverage: 1,
    outsideMs: 10 * MIN,
    bands: [{ low: 8, high: 25, allowedMs: 60 * MIN, usedMs: 10 * MIN }],
  });
  const seen = { proposal: 'within-budget', readings: 40 };
  // A person who has not seen the last reading, or its effect, decides about something else.
  const stale = { httpStatus: 409, status: 'waybill.verdict_changed' };
  expect(await decide(id, { ...seen, readings: 39 })).toMatchObject(stale);
  expect(await decide(id, { ...seen, proposal: 'release' })).toMatchObject(stale);
  const decided = expectDone(await decide(id, seen));
  expect(await decide(id, seen)).toMatchObject(stale);
  expectDone(await decide(id, { ...seen, decidedAt: decided.decidedAt }));
  expect(decided).toMatchObject({ decision: 'released', decidedBy: 'demo.manager' });
  const { rows } = await server.pool.query(
    `select decided_on->'probes'->0->'verdict'->>'proposal' as proposal from waybill where id = $1`,
    [id],
  );
  expect(rows).toEqual([{ proposal: 'within-budget' }]);
});

it('a trip is covered by the last reading before it, for the allowance of its channel', async () => {
  const assetId = await makeAsset('WT-3');
  const channel = await channelOf(assetId, '72000003', 10 * MIN);
  const now = Math.floor(Date.now() / MIN) * MIN;
  // The trip is from 70 to 10 minutes ago, its first own reading 9 minutes after the departure.
  await server.pool.query(
    `insert into reading (channel_id, delay_s, measured_at, value)
     select $1, 0, to_timestamp(t / 1000.0), 5 from unnest($2::float8[]) as r(t)`,
    [channel, [71, 61, 51, 41, 31, 21, 11].map((minutes) => now - minutes * MIN)],
  );
  const { id } = await create('W-SLOW', { assetId });
  const at = (minutes: number) => new Date(now - minutes * MIN).toISOString();
  expectDone(await ask('POST', `/${id}/depart`, { at: at(70), assetId }));
  expectDone(await ask('POST', `/${id}/deliver`, { at: at(10), person: 'Pharmacist' }));
  const record = expectDone(await ask<TripRecord>('GET', `/${id}/record`));
  expect(record.probes[0]?.verdict).toMatchObject({
    proposal: 'release',
    coverage: 1,
    readings: 7,
    gaps: [],
  });
});

it('of a trip longer than 60 days, only the first 60 are judged, and it is not proposed for release', async () => {
  const { id } = await create('W-LONG');
  const days = (count: number) => ago(count * 24 * 60);
  expectDone(await ask('POST', `/${id}/depart`, { at: days(100), assetId: truck }));
  expectDone(await ask('POST', `/${id}/transship`, { at: days(35), assetId: other }));
  const ended = ago(5);
  expectDone(await ask('POST', `/${id}/deliver`, { at: ended, person: 'Pharmacist' }));
  const record = expectDone(await ask<TripRecord>('GET', `/${id}/record`));
  const cut = record.from + 60 * 86_400_000;
  expect(record).toMatchObject({ to: Date.parse(ended), judgedUntil: cut });
  expect(record.legs.map(({ assetName, to }) => [assetName, to])).toEqual([['WT-1', cut]]);
  expect(record.probes[0]?.verdict).toMatchObject({
    proposal: 'insufficient',
    gaps: [{ from: record.from, to: record.to }],
  });
});

it('an exported list can be imported again, and each planted fault is reported by row', async () => {
  const { rows: drivers } = await server.pool.query<{ id: number }>(
    `select id::int from account where username = 'demo.manager'`,
  );
  await create('W-EXPORT', { temperatureLow: 3, driverId: drivers[0]?.id });
  const { content } = expectDone(
    await server.call<{ content: string }>({
      path: '/api/waybill/export',
      session: manager,
      query: { search: 'W-EXPORT' },
    }),
  );
  const bytes = Buffer.from(content, 'base64');
  expect(await upload(bytes, 'true')).toMatchObject({ success: 0, fail: 1 });
  await server.pool.query(`delete from waybill where number = 'W-EXPORT'`);
  expect(await upload(bytes, 'false')).toMatchObject({ success: 1, fail: 0, written: true });
  const { rows } = await server.pool.query(
    `select limits->>'temperatureLow' as low, goods->0->>'batch' as batch, driver_id::int as driver from waybill where number = 'W-EXPORT'`,
  );
  expect(rows).toEqual([{ low: '3', batch: 'A14', driver: drivers[0]?.id }]);

  const head = [
    'Number',
    'Organisation',
    'Asset type',
    'Asset',
    'Planned departure',
    'Consignor',
    'Consignee',
    'Lowest temperature',
    'Highest temperature',
    'Product code',
    'Driver (user name)',
  ];
  const row = (changes: Record<number, string>) =>
    ['W-X', 'DEMO', 'vehicle', 'WT-1', '2027-12-25 08:30', 'Warehouse', 'Hospital', '2', '8', '', ''].map(
      (cell, i) => changes[i] ?? cell,
    );
  const sheet = await writeBook('test', {
    name: 'Waybills',
    rows: [
      head,
      row({ 0: 'W-GOOD' }),
      row({ 0: '' }),
      row({ 0: 'w-good' }),
      row({ 0: 'W-KIND', 2: '' }),
      row({ 0: 'W-ASSET', 3: 'WT-9' }),
      row({ 0: 'W-TIME', 4: '' }),
      row({ 0: 'W-FORMAT', 4: '25.12.2027' }),
      row({ 0: 'W-LOW', 7: 'cold' }),
      row({ 0: 'W-HIGH', 8: '8.25' }),
      row({ 0: 'W-REV', 7: '9' }),
      row({ 0: 'W-PROD', 9: 'NONE' }),
      row({ 0: 'W-MIX', 7: '', 8: '1', 9: 'HEPB' }),
      row({ 0: 'W-DRIVER', 10: 'nobody' }),
    ],
    widths: head.map(() => 14),
  });
  const report = await upload(sheet, 'false');
  expect(report).toMatchObject({ rows: 13, success: 1, fail: 12, written: true });
  expect(report.failures.map((each) => [each.row, each.column])).toEqual([
    [3, 'Number'],
    [4, 'Number'],
    [5, 'Asset type'],
    [5, 'Asset'],
    [6, 'Asset'],
    [7, 'Planned departure'],
    [8, 'Planned departure'],
    [9, 'Lowest temperature'],
    [10, 'Highest temperature'],
    [11, 'Highest temperature'],
    [12, 'Product code'],
    [13, 'Highest temperature'],
    [14, 'Driver (user name)'],
  ]);
  expect(report.failures.find((each) => each.row === 8)?.message).toMatch(/2027-12-25 08:30/);
  expect(report.failures.find((each) => each.row === 11)?.message).toBe(
    'The maximum temperature is below the minimum.',
  );
});

it('a quantity is imported as its number, whatever its format, and text that may have a thousands separator is not', async () => {
  const head = [
    'Number',
    'Organisation',
    'Asset type',
    'Asset',
    'Planned departure',
    'Consignor',
    'Consignee',
    'Product code',
    'Goods',
    'Quantity',
  ];
  const row = (number: string, quantity: number | string) => [
    number,
    'DEMO',
    'vehicle',
    'WT-1',
    '2027-12-25 08:30',
    'Warehouse',
    'Hospital',
    'HEPB',
    'Vaccine',
    quantity,
  ];
  const sheet = xlsx.utils.aoa_to_sheet([
    head,
    row('W-NUM', 2400),
    row('W-TEXT', '2,400'),
    row('W-DOT', '2.400'),
  ]);
  sheet.J2.z = '#,##0';
  const book = xlsx.utils.book_new();
  xlsx.utils.book_append_sheet(book, sheet, 'Waybills');
  const report = await upload(xlsx.write(book, { type: 'buffer', bookType: 'xlsx' }), 'false');
  expect(report).toMatchObject({ success: 1, fail: 2 });
  expect(report.failures).toEqual(
    ['2,400', '2.400'].map((value, i) => ({
      row: i + 3,
      column: 'Quantity',
      message: 'Write the quantity without a thousands separator, for example 2400 or 2.5.',
      value,
    })),
  );
  const { rows } = await server.pool.query(
    `select goods->0->>'quantity' as quantity from waybill where number = 'W-NUM'`,
  );
  expect(rows).toEqual([{ quantity: '2400' }]);
});

it('a product is one of the organisation of the waybill or shared above it, whoever creates or departs the waybill', async () => {
  const known = people(server, await server.logIn('demo.platform'));
  const hospital = await known.organizationId('DEMO-HOSPITAL');
  const driver = await known.account('wt.hospital', 'enterprise-administrator', 'DEMO-HOSPITAL');
  const product = async (organizationId: number, code: string, temperatureHigh: number, shared: boolean) => {
    const json = { organizationId, name: code, code, temperatureLow: 2, temperatureHigh, budget: [], shared };
    const made = expectDone(
      await server.call<ProductProfile>({
        method: 'POST',
        path: '/api/waybill/profile',
        session: manager,
        json,
      }),
    );
    return { id: made.id, json };
  };
  const above = await product(demo, 'TWICE', 20, true);
  const own = await product(hospital, 'twice', 7, false);
  const refused = { status: 'profile.not_found' };
  expect(await ask('POST', '', form('W-BELOW', { profileId: own.id }))).toMatchObject(refused);
  const { id } = await create('W-ABOVE', { organizationId: hospital, profileId: above.id });

  const head = [
    'Number',
    'Organisation',
    'Asset type',
    'Asset',
    'Planned departure',
    'Consignor',
    'Consignee',
    'Product code',
  ];
  const row = (number: string, organization: string) => [
    number,
    organization,
    'vehicle',
    'WT-1',
    '2027-12-25 08:30',
    'Warehouse',
    'Hospital',
    'Twice',
  ];
  const book = await writeBook('test', {
    name: 'Waybills',
    rows: [head, row('W-OWN', 'DEMO-HOSPITAL'), row('W-TOP', 'DEMO')],
    widths: head.map(() => 14),
  });
  expect(await upload(book, 'false')).toMatchObject({ success: 2, fail: 0 });
  const { rows } = await server.pool.query(
    `select number, profile_id as profile from waybill where number in ('W-OWN', 'W-TOP') order by number`,
  );
  expect(rows).toEqual([
    { number: 'W-OWN', profile: own.id },
    { number: 'W-TOP', profile: above.id },
  ]);

  // The product is stricter meanwhile, and the person who records the departure may not see it any more.
  const path = `/api/waybill/profile/${above.id}`;
  const json = { ...above.json, temperatureHigh: 6, shared: false };
  expectDone(await server.call({ method: 'PUT', path, session: manager, json }));
  const { rows: assets } = await server.pool.query<{ id: number }>(
    `insert into asset (organization_id, kind, code, name) values ($1, 'vehicle', 'WT-H', 'WT-H') returning id`,
    [hospital],
  );
  const departed = await server.call<WaybillDetail>({
    method: 'POST',
    path: `/api/waybill/${id}/depart`,
    session: driver,
    json: { at: ago(10), assetId: assets[0]?.id },
  });
  expect(expectDone(departed)).toMatchObject({ high: 6 });
});

it('a waybill whose product was deleted during the transport can be adjusted, and keeps its limits', async () => {
  const product = expectDone(
    await server.call<ProductProfile>({
      method: 'POST',
      path: '/api/waybill/profile',
      session: manager,
      json: { organizationId: demo, name: 'Gone', code: 'GONE', temperatureLow: 3, temperatureHigh: 7 },
    }),
  );
  const { id } = await create('W-GONE', { profileId: product.id });
  const early = await create('W-EARLY', { profileId: product.id });
  expectDone(await depart(id, 10));
  const path = `/api/waybill/profile/${product.id}`;
  expectDone(
    await server.call({ method: 'DELETE', path, session: manager, json: { reason: 'Discontinued' } }),
  );
  const adjust = (waybillId: number, number: string) =>
    ask('PUT', `/${waybillId}`, {
      waybill: form(number, { profileId: null, note: 'Late' }),
      reason: 'Traffic jam',
    });
  expect(expectDone(await adjust(id, 'W-GONE'))).toMatchObject({ note: 'Late', low: 3, high: 7 });
  // Before the departure the limits are still chosen.
  expect(await adjust(early.id, 'W-EARLY')).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
});

it('an asset of an organisation that is neither above nor below that of the waybill is refused', async () => {
  const { rows } = await server.pool.query<{ below: number; beside: number }>(
    `with made as (
       insert into organization (parent_id, code, name, level, path)
       select id, 'BESIDE', 'Beside', 'unit', path || '777777/' from organization where code = 'DEMO' returning id
     )
     select (select id::int from organization where code = 'DEMO-HOSPITAL') as below, id::int as beside from made`,
  );
  const { below = 0, beside = 0 } = rows[0] ?? {};
  const foreign = await makeAsset('BESIDE-TRUCK');
  await server.pool.query('update asset set organization_id = $2 where id = $1', [foreign, beside]);
  const refused = { status: 'asset.not_found' };
  expect(
    await ask(
      'POST',
      '',
      form('W-BESIDE', {
        organizationId: below,
        assetId: foreign,
        profileId: null,
        temperatureLow: 2,
        temperatureHigh: 8,
      }),
    ),
  ).toMatchObject(refused);
  // The vehicle of the enterprise may carry the goods of its units.
  const { id } = await create('W-CARRIED', { organizationId: below });
  expect(await ask('POST', `/${id}/depart`, { at: ago(5), assetId: foreign })).toMatchObject(refused);
});
