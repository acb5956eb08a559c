import { createHash } from 'node:crypto';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import { readPdf } from '../../../testing/read-pdf.ts';
import { type ShippedWaybill, shippedWaybill } from '../../../testing/shipped-waybill.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let organizationId: number;
let shipped: ShippedWaybill;

beforeAll(async () => {
  server = await startTestServer({ environment: { ISOTHERM_PUBLIC_URL: 'https://console.example' } });
  manager = await server.logIn('demo.manager');
  organizationId = await people(server, await server.logIn('demo.platform')).organizationId('DEMO');
  shipped = await shippedWaybill(server, manager, { number: '7400001', organizationId, hours: 60 });
  await server.pool.query(
    `update alarm set acknowledged_at = now(), acknowledged_reason = 'door-open',
            acknowledged_by = (select id from account where username = 'demo.manager'),
            acknowledged_cause = 'Door open at Wuxi', corrective_action = 'Door closed'
      where asset_id = $1`,
    [shipped.assets[0]],
  );
  // While the goods were too warm, the device was also silent and its clock wrong: more severe, but no cause of an excursion.
  await server.pool.query(
    `insert into alarm (channel_id, rule_id, asset_id, organization_id, kind, level, peak_level, state, since, raised_at, ended_at,
                        end_reason, trigger_after_ms, late, recorded_at, acknowledged_cause, acknowledged_at)
     select channel_id, 0, asset_id, organization_id, kind.name, 5, 5, 'ended', since, since, since + interval '10 minutes',
            'recovered', 0, false, since, 'Not a cause', now()
       from alarm, (values ('no-data'), ('clock')) as kind(name) where asset_id = $1 and acknowledged_cause = 'Door open at Wuxi'`,
    [shipped.assets[0]],
  );
});
afterAll(() => server.stop());

const ask = (path: string, language: string, id: number) =>
  server.call<{ fileName: string; content: string }>({
    path: `/api/waybill/${id}/${path}`,
    query: { zone: 'Asia/Shanghai' },
    session: manager,
    headers: { 'x-language': language },
  });
async function print(path: 'report' | 'paper', language = 'en', id = shipped.id) {
  const { content, fileName } = expectDone(await ask(path, language, id));
  const read = await readPdf(content);
  return { ...read, fileName, bytes: Buffer.from(content, 'base64'), text: read.pages.join('\n') };
}

test('the report of a trip has verdict, excursions with their cause, route, hand-overs and both signatures', async () => {
  const { text, title, fileName, pages } = await print('report');
  expect(fileName).toBe(`trip-${shipped.id}.pdf`);
  expect(title).toBe('Trip report W-7400001');
  for (const part of [
    'Minhang Cold Store → 常州市第二人民医院',
    'Within the stability budget',
    'The temperature was outside 2.0–8.0 °C for 30 min, in one excursion.',
    'Readings cover 99 % of the trip, with 1 gap.',
    'Upper limit 8.0 °C',
    '8.0–25.0 °C',
    '11 h 30 min',
    'Level 3: Door left open. Door open at',
    'Wuxi. Door closed',
    'Lin Yue',
    'Route',
    '50 km',
    'Transship',
    'Liu Qiang',
    '12 boxes sealed',
    '202609A14',
    'Activation energy 83.144 kJ/mol',
    'Handed over by (consignor)',
    'Received by (consignee)',
    `Page 1 of ${pages.length}`,
  ])
    expect(text).toContain(part);
});

test.each([
  ['zh-CN', '运输报告 W-7400001', '在稳定性预算内', '下限 2.0 °C', '签收人（收货方）'],
  ['zh-TW', '運輸報告 W-7400001', '下限 2.0 °C', '簽收人（收貨人）'],
  ['es', 'Informe de transporte W-7400001', 'Límite inferior 2,0 °C', 'Recibido por (destinatario)'],
])('the report of a trip is in %s', async (language, ...parts) => {
  const { text, language: written } = await print('report', language);
  expect(written).toBe(language);
  for (const part of parts) expect(text).toContain(part);
});

test('the printed waybill has both parties and the address of its page, before the departure as well', async () => {
  const made = expectDone(
    await server.call<WaybillDetail>({
      method: 'POST',
      path: '/api/waybill',
      session: manager,
      json: {
        organizationId,
        number: 'W-NEW',
        consignorUnit: 'Warehouse <1> & "Sons"',
        consigneeUnit: 'Hospital',
        assetId: shipped.assets[0],
        plannedDepartureAt: new Date().toISOString(),
        temperatureLow: 2,
        temperatureHigh: 8,
        goods: [{ product: 'Vaccine', quantity: 2.5 }],
      },
    }),
  );
  const planned = await print('paper', 'en', made.id);
  for (const part of [
    'Waybill W-NEW',
    'Warehouse <1> & "Sons"',
    'The record begins with the departure.',
    'Nothing has been recorded yet.',
    '2.5',
  ])
    expect(planned.text).toContain(part);
  const delivered = await print('paper');
  expect(delivered.pages).toHaveLength(1);
  expect(delivered.text).toContain('Within the stability budget');
  expect(await ask('report', 'en', made.id)).toMatchObject({ status: 'waybill.not_departed' });
});

test('a trip without any reading or position has a report', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `insert into asset (organization_id, kind, code, name) values ($1, 'vehicle', 'BARE', '{name:cold-store}') returning id`,
    [organizationId],
  );
  const call = async (path: string, json: object) =>
    expectDone(
      await server.call<WaybillDetail>({
        method: 'POST',
        path: `/api/waybill${path}`,
        session: manager,
        json,
      }),
    );
  const assetId = rows[0]?.id;
  const { id } = await call('', {
    organizationId,
    number: 'W-BARE',
    consignorUnit: 'Warehouse',
    consigneeUnit: 'Hospital',
    assetId,
    plannedDepartureAt: new Date().toISOString(),
    temperatureLow: 2,
    temperatureHigh: 8,
  });
  await call(`/${id}/depart`, { at: new Date(Date.now() - 60_000).toISOString(), assetId });
  const { text } = await print('report', 'en', id);
  expect(text).toContain('Not enough data');
  expect(text).toContain('There were no excursions.');
  expect(text).not.toContain('Route');
});

test('a printed report is registered for the waybill, and verifies', async () => {
  const { bytes, text } = await print('report');
  const [, token] = /\/verify\/([\w-]{22})/.exec(text) ?? [];
  const answer = await server.call<{ isGenuine: boolean }>({
    method: 'POST',
    path: '/api/verify/report',
    json: { token, sha256: createHash('sha256').update(bytes).digest('hex') },
  });
  expect(answer.data).toMatchObject({ kind: 'trip', isGenuine: true });
  const { rows } = await server.pool.query(
    `select distinct kind, subject_id::int as subject from report where subject_name = $1 order by kind`,
    [shipped.number],
  );
  expect(rows).toEqual([
    { kind: 'trip', subject: shipped.id },
    { kind: 'waybill', subject: shipped.id },
  ]);
});
