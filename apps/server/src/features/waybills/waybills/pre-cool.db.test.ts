import { randomUUID } from 'node:crypto';
import type { Geofence } from '@isotherm/contracts/geofences';
import type { ProductProfile } from '@isotherm/contracts/product-profiles';
import type { Trip } from '@isotherm/contracts/waybill-trips';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { boundFridges } from '../../../testing/bound-fridges.ts';
import { expectDone } from '../../../testing/people.ts';
import { readPdf } from '../../../testing/read-pdf.ts';
import { type Session, startTestServer, TEST_KEY, type TestServer } from '../../../testing/test-server.ts';

const MIN = 60_000;
const NUMBERS = ['76000001', '76000002', '76000003', '76000004'] as const;
const [COLD, JUST_COLD, WARM, SILENT] = NUMBERS;
const DEPOT = { latitude: -20, longitude: 100 };
const now = Math.floor(Date.now() / MIN) * MIN;
let server: TestServer;
let manager: Session;
let organizationId = 0;
let profileId = 0;
let assets = new Map<string, number>();

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  ({ assets, organizationId } = await boundFridges(server, manager, NUMBERS));
  const readings = (from: number, to: number, value: number) =>
    Array.from({ length: from - to + 1 }, (_, i) => ({
      channel: 'temperature-1',
      at: now - (from - i) * MIN,
      value,
    }));
  await server.ingest(COLD, TEST_KEY, { readings: readings(90, 0, 5) });
  await server.ingest(JUST_COLD, TEST_KEY, { readings: [...readings(90, 13, 15), ...readings(12, 0, 5)] });
  await server.ingest(WARM, TEST_KEY, { readings: readings(90, 0, 15) });
  profileId = expectDone(
    await ask<ProductProfile>('POST', '/profile', {
      organizationId,
      name: 'Insulin',
      code: 'PRE-INS',
      temperatureLow: 2,
      temperatureHigh: 8,
      preCoolMinutes: 30,
    }),
  ).id;
});
afterAll(() => server.stop());

const ask = <T = WaybillDetail>(method: 'GET' | 'POST' | 'PUT', path: string, json?: object) =>
  server.call<T>({ method, path: `/api/waybill${path}`, session: manager, ...(json ? { json } : {}) });
const create = async (number: string, changes: object = {}) =>
  expectDone(
    await ask('POST', '', {
      organizationId,
      number: `PRE-${randomUUID().slice(0, 8)}`,
      consignorUnit: 'Warehouse',
      consigneeUnit: 'Hospital',
      assetId: assets.get(number),
      plannedDepartureAt: new Date(now).toISOString(),
      profileId,
      ...changes,
    }),
  );
const depart = (id: number, number: string, preCoolReason = '') =>
  ask('POST', `/${id}/depart`, {
    at: new Date(now).toISOString(),
    assetId: assets.get(number),
    ...(preCoolReason ? { preCoolReason } : {}),
  });
const logged = async (id: number) => {
  const { rows } = await server.pool.query<{ preCool: string }>(
    `select after->>'preCool' as "preCool" from audit_entry
      where object_kind = 'waybill' and object_id = $1 order by seq desc limit 1`,
    [String(id)],
  );
  return rows[0]?.preCool;
};

describe('the check before a departure', () => {
  it.each([
    [COLD, 'ready', 0],
    [JUST_COLD, 'waiting', 18],
    [WARM, 'outside', 30],
    [SILENT, 'no-readings', 30],
  ])('the asset of device %s is %s', async (number, state, missing) => {
    const { preCool, id } = await create(number);
    expect(preCool).toMatchObject({ state, requiredMs: 30 * MIN, exception: null });
    const { preCool: onPhone } = expectDone(await ask<Trip>('GET', `/trip/${id}`));
    expect(onPhone?.state).toBe(state);
    // Time passes between the last reading and the check.
    const left = missing - Math.ceil((preCool?.missingMs ?? 0) / MIN);
    expect(left).toBeGreaterThanOrEqual(0);
    expect(left).toBeLessThanOrEqual(2);
  });

  it('a waybill has a time of its own, or none', async () => {
    expect((await create(JUST_COLD, { preCoolMinutes: 10 })).preCool).toMatchObject({ state: 'ready' });
    const unchecked = await create(WARM, { preCoolMinutes: 0 });
    expect(unchecked.preCool).toBeNull();
    expect(expectDone(await depart(unchecked.id, WARM)).preCool).toBeNull();
  });

  it('a departure without enough time in range needs a reason, which is in the record and in the log', async () => {
    const { id } = await create(JUST_COLD);
    expect(await depart(id, JUST_COLD)).toMatchObject({ httpStatus: 409, status: 'waybill.pre_cool' });
    expect((await depart(id, JUST_COLD)).message).toMatch(/30 min: 18 min are missing/);
    const { preCool, departedAt } = expectDone(await depart(id, JUST_COLD, 'The ferry leaves'));
    expect(departedAt).not.toBeNull();
    expect(preCool).toMatchObject({
      state: 'waiting',
      insideMs: 12 * MIN,
      missingMs: 18 * MIN,
      exception: { username: 'demo.manager', reason: 'The ferry leaves', isAutomatic: false },
    });
    expect(await logged(id)).toBe('waiting: The ferry leaves');
    const report = expectDone(
      await server.call<{ content: string }>({
        path: `/api/waybill/${id}/report`,
        query: { zone: 'UTC' },
        session: manager,
      }),
    );
    const text = (await readPdf(report.content)).pages.join('').replace(/\s+/g, '');
    expect(text).toContain('inrangefor12minof30min');
    expect(text).toContain('Theferryleaves(demo.manager)');
  });

  it('of two people at once, one departs, and the record has one check', async () => {
    const { id } = await create(JUST_COLD);
    const answers = await Promise.all([depart(id, JUST_COLD, 'First'), depart(id, JUST_COLD, 'Second')]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['1', 'waybill.state']);
  });

  it('the vehicle that departs is checked, not the planned one', async () => {
    const { id } = await create(COLD);
    expect(await depart(id, WARM)).toMatchObject({ status: 'waybill.pre_cool' });
    const { preCool } = expectDone(await depart(id, COLD));
    expect(preCool).toMatchObject({ state: 'ready', exception: null });
    expect(await logged(id)).toBe('ready');
  });

  it('a phone needs the reason as well', async () => {
    const { id } = await create(WARM);
    const handover = {
      requestKey: randomUUID(),
      kind: 'depart',
      ageMs: 0,
      givenBy: 'Wang Jun',
      takenBy: 'Liu Qiang',
      assetId: null,
      sealsIntact: true,
      undamaged: true,
      received: [],
      remark: '',
      signature: { kind: 'typed' },
    };
    const send = (more: object) =>
      server.call({
        method: 'POST',
        path: `/api/waybill/trip/${id}/handover`,
        session: manager,
        fields: { handover: JSON.stringify({ ...handover, ...more }) },
      });
    expect(await send({})).toMatchObject({ httpStatus: 409, status: 'waybill.pre_cool' });
    expectDone(await send({ preCoolReason: 'The unit is broken, dry ice is used' }));
    expect(expectDone(await ask('GET', `/${id}`)).preCool).toMatchObject({
      state: 'outside',
      exception: { reason: 'The unit is broken, dry ice is used', isAutomatic: false },
    });
  });

  it('a departure by a geofence happens all the same, and the record says so', async () => {
    const fence = expectDone(
      await server.call<Geofence>({
        method: 'POST',
        path: '/api/map/geofence',
        session: manager,
        json: { organizationId, name: 'Depot', shape: { kind: 'circle', centre: DEPOT, radiusM: 500 } },
      }),
    );
    await server.pool.query('update geofence_version set valid_from = $2 where geofence_id = $1', [
      fence.id,
      new Date(now - 600 * MIN),
    ]);
    const { id } = await create(WARM, { departureFenceId: fence.id });
    await server.pool.query('update waybill_geofence set since = $2 where waybill_id = $1', [
      id,
      new Date(now - 300 * MIN),
    ]);
    const positions = [10, 9].map((minutes) => ({ at: now - minutes * MIN, ...DEPOT }));
    await server.ingest(WARM, TEST_KEY, {
      positions: [...positions, { at: now - 8 * MIN, latitude: -19.98, longitude: 100 }],
    });
    await vi.waitFor(
      async () => expect(expectDone(await ask('GET', `/${id}`))).toMatchObject({ state: 'in-transport' }),
      10_000,
    );
    expect(expectDone(await ask('GET', `/${id}`)).preCool).toMatchObject({
      state: 'outside',
      exception: { username: 'system', reason: '', isAutomatic: true },
    });
    expect(await logged(id)).toBe('outside');
  });
});
