import type { Shipment, WaybillLink } from '@isotherm/contracts/waybill-links';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import { type ShippedWaybill, shippedWaybill } from '../../../testing/shipped-waybill.ts';
import { type Session, startTestServer, type TestServer } from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let shipped: ShippedWaybill;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  const organizationId = await people(server, await server.logIn('demo.platform')).organizationId('DEMO');
  shipped = await shippedWaybill(server, manager, { number: '7500001', organizationId, hours: 6 });
});
afterAll(() => server.stop());

const ask = <T>(method: string, path: string, json?: object) =>
  server.call<T>({
    method,
    path: `/api/waybill${path === '' ? '' : `/${path}`}`,
    session: manager,
    ...(json ? { json } : {}),
  });
const create = async (json: object = {}) =>
  expectDone(await ask<{ token: string; links: WaybillLink[] }>('POST', `${shipped.id}/link`, json));
const list = async () => expectDone(await ask<WaybillLink[]>('GET', `${shipped.id}/link`));
const view = (token: string) =>
  server.call<Shipment>({ method: 'POST', path: '/api/link/shipment', json: { token } });

test('a link shows this shipment without login: route, curve, verdict and steps, but no account', async () => {
  const { token, links } = await create();
  expect(token).toMatch(/^[\w-]{22}$/);
  expect(links).toHaveLength(1);
  const days = (Date.parse(links[0]?.expiresAt ?? '') - Date.parse(links[0]?.createdAt ?? '')) / 86_400_000;
  expect(days).toBe(7);
  const { data } = await view(token);
  expect(data).toMatchObject({ number: shipped.number, state: 'arrived', low: 2, high: 8 });
  expect(data.record?.verdict).toMatchObject({ proposal: 'within-budget', max: 11 });
  // The gap of the trip and the change of the asset end stretches of the curve.
  expect(data.record?.curve).toHaveLength(3);
  expect(data.record?.curve.flat().length).toBeLessThanOrEqual(800);
  expect(Math.max(...(data.record?.curve.flat() ?? []).map(([, value]) => value))).toBe(11);
  expect(data.track?.marks).toHaveLength(3);
  expect(data.track?.lines.flat().length).toBeGreaterThan(20);
  expect(data.steps.map(({ action, person }) => `${action} ${person}`)).toEqual([
    'depart Wang Jun',
    'transship Liu Qiang',
    'deliver Zhang Min',
  ]);
  const shown = JSON.stringify(data);
  for (const hidden of ['demo.manager', '13912345678', '12 boxes sealed', 'latitude', '"id"'])
    expect(shown).not.toContain(hidden);
});

test('the list says when a link was last opened, and never its token', async () => {
  const { token, links } = await create({ days: 30 });
  expect(links[0]).toMatchObject({ lastOpenedAt: null });
  await view(token);
  const [newest] = await list();
  expect(newest?.lastOpenedAt).not.toBeNull();
  expect(JSON.stringify(await list())).not.toContain(token);
});

test('a revoked link and an expired one show nothing', async () => {
  const { token, links } = await create();
  const id = links[0]?.id;
  expect((await view(token)).status).toBe('1');
  expectDone(await ask('DELETE', `${shipped.id}/link/${id}`));
  expect((await view(token)).status).toBe('link.not_found');
  expect(await ask('DELETE', `${shipped.id}/link/${id}`)).toMatchObject({ status: 'link.not_found' });
  const { rows } = await server.pool.query(
    `select action, object_name as name from audit_entry where object_kind = 'waybill-link' and object_id = $1 order by seq`,
    [String(id)],
  );
  expect(rows).toEqual([
    { action: 'create', name: shipped.number },
    { action: 'delete', name: shipped.number },
  ]);
  const other = await create();
  await server.pool.query(`update public_link set expires_at = now() where id = $1`, [other.links[0]?.id]);
  expect((await view(other.token)).status).toBe('link.not_found');
});

test('a link of another purpose and a link of a deleted waybill show nothing', async () => {
  const { token, links } = await create();
  await server.pool.query(`update public_link set purpose = 'report-verify' where id = $1`, [links[0]?.id]);
  expect((await view(token)).status).toBe('link.not_found');
  const gone = await create();
  await server.pool.query('update public_link set subject_id = 0 where id = $1', [gone.links[0]?.id]);
  expect((await view(gone.token)).status).toBe('link.not_found');
});

test('a waybill has at most 20 links, and a period that is not offered is refused', async () => {
  expect(await ask('POST', `${shipped.id}/link`, { days: 8 })).toMatchObject({ status: 'request.invalid' });
  let status = '1';
  for (let count = 0; count < 21 && status === '1'; count += 1)
    ({ status } = await ask('POST', `${shipped.id}/link`, {}));
  expect(status).toBe('waybill.many_links');
  expect(await list()).toHaveLength(20);
});

test('an opened link is limited, because each view reads the whole trip', async () => {
  const [link] = await list();
  expectDone(await ask('DELETE', `${shipped.id}/link/${link?.id}`));
  const { token } = await create();
  const statuses: string[] = [];
  for (let count = 0; count < 125; count += 1) statuses.push((await view(token)).status);
  expect(statuses.at(0)).toBe('1');
  expect(statuses.at(-1)).toBe('request.too_many');
});

async function planned(number: string): Promise<number> {
  const { organizationId } = expectDone(await ask<{ organizationId: number }>('GET', String(shipped.id)));
  const made = await ask<{ id: number }>('POST', '', {
    organizationId,
    number,
    consignorUnit: 'Warehouse',
    consigneeUnit: 'Hospital',
    assetId: shipped.assets[0],
    plannedDepartureAt: new Date().toISOString(),
    temperatureLow: 2,
    temperatureHigh: 8,
  });
  return expectDone(made).id;
}

test('a shipment that has not departed shows no record', async () => {
  const { data } = await ask<{ token: string }>('POST', `${await planned('W-PLANNED')}/link`, {});
  expect((await view(data.token)).data).toMatchObject({ record: null, track: null, steps: [] });
});

test('the route of a trip that nobody ended is shown for its first 60 days, as its record is', async () => {
  const id = await planned('W-FORGOTTEN');
  const at = new Date(Date.now() - 61 * 86_400_000).toISOString();
  expectDone(await ask('POST', `${id}/depart`, { at, assetId: shipped.assets[0] }));
  const { data } = await ask<{ token: string }>('POST', `${id}/link`, {});
  // Its vehicle had the positions of the last hours later than that.
  expect((await view(data.token)).data).toMatchObject({ state: 'in-transport', track: null });
});
