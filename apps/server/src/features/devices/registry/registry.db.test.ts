import type { listEarlierChannels } from '@isotherm/contracts/assets';
import type { BatchResult } from '@isotherm/contracts/batches';
import type { DeviceDetail, DeviceRecord } from '@isotherm/contracts/device-registry';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { CurveSeries } from '@isotherm/contracts/telemetry';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInvalidations } from '../../../platform/cache/invalidations.ts';
import { createLog } from '../../../platform/log.ts';
import { createBus } from '../../../platform/realtime/bus.ts';
import { createSealing } from '../../../platform/sealing.ts';
import { type Asking, asking } from '../../../testing/asking.ts';
import { type People, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';
import { createDeviceDirectory } from '../device-directory.ts';
import { createRegistryJobs } from './registry.job.ts';

let server: TestServer;
let manager: Session;
let asked: Asking;
let known: People;
let hospital: number;
const clock = { offset: 0, now: () => Date.now() + clock.offset };
const DAY = 86_400_000;

beforeAll(async () => {
  server = await startTestServer({ clock });
  const platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  asked = asking(server, manager);
  known = people(server, platform);
  hospital = await known.organizationId('DEMO-HOSPITAL');
  await server.provision(
    manager,
    ['48000001', '48000002', '48000003', '48000004', '48000005', '48000006', '48000007'].map((number) =>
      fridge(number),
    ),
  );
});
afterAll(() => server.stop());

const form = (over: object = {}) => ({
  name: 'Logger 1',
  type: 'logger',
  model: 'TH-20',
  serial: 'SN-1',
  timeZone: 'Asia/Shanghai',
  offlineAfterMinutes: 20,
  acquisitionIntervalS: 60,
  uploadIntervalS: 300,
  expiresOn: '2030-05-31',
  ...over,
});
const path = (number: string, more = '') => `/api/device/list/${number}${more}`;
const device = (number: string) => asked.ask<DeviceDetail>({ path: path(number) });
const post = <T>(action: string, json: object) =>
  asked.ask<T>({ method: 'POST', path: `/api/device/list${action}`, json });
const batch = (action: string, json: object) => post<BatchResult>(action, json);
const create = (number: string, over: object = {}) => ({
  method: 'POST',
  path: '/api/device/list',
  json: {
    ...form({ number, organizationId: hospital, ...over }),
    sensors: [{ name: 'Top shelf', serial: 'S-1', indicators: ['temperature', 'humidity'] }],
  },
});
const reading = (number: string, value: number, at = clock.now(), key = TEST_KEY) =>
  server.ingest(number, key, { readings: [{ channel: 'temperature-1', at, value }] });
async function assetOf(code: string): Promise<number> {
  const { rows } = await server.pool.query<{ id: number }>('select id from asset where code = $1', [code]);
  return Number(rows[0]?.id);
}

describe('registering devices', () => {
  it('registering a device returns its key once, and its readings are accepted immediately', async () => {
    expect(await reading('48000101', 5)).toMatchObject({ httpStatus: 401 });
    const { device: made, key } = await asked.ask<{ device: DeviceDetail; key: string }>(create('48000101'));
    expect(made).toMatchObject({
      number: '48000101',
      connection: 'never-seen',
      supply: 'unknown',
      term: 'valid',
      expiresOn: '2030-05-31',
      version: 1,
      uploadIntervalS: 300,
      organizationId: hospital,
      sensors: [{ index: 1, serial: 'S-1', disabled: false }],
    });
    expect(made.sensors[0]?.channels.map(({ indicator }) => indicator)).toEqual(['temperature', 'humidity']);
    expect(await reading('48000101', 5, clock.now(), key)).toMatchObject({ status: '1' });
    await expect.poll(async () => (await device('48000101')).connection, { timeout: 10_000 }).toBe('online');
    const [entry] = await asked.audited('device', 48000101);
    expect(JSON.stringify(entry)).not.toContain(key);
  });

  it.each([
    ['the number must have 8 digits', { number: '4800010' }, 'number'],
    ['the name must have no special characters', { name: 'Logger <1>' }, 'name'],
    ['the offline criterion must be at least 10', { offlineAfterMinutes: 9 }, 'offlineAfterMinutes'],
    ['the offline criterion must be a whole number', { offlineAfterMinutes: 10.5 }, 'offlineAfterMinutes'],
    [
      'offline alarm trigger must exceed one collection period',
      { offlineAfterMinutes: 10, uploadIntervalS: 600 },
      'offlineAfterMinutes',
    ],
    ['the frequency must be positive', { acquisitionIntervalS: 0 }, 'acquisitionIntervalS'],
    ['a device cannot send more often than it measures', { acquisitionIntervalS: 600 }, 'uploadIntervalS'],
    ['the key must have at least 32 characters', { key: 'short' }, 'key'],
    ['date', { expiresOn: '31.05.2030' }, 'expiresOn'],
    ['the expiry date is out of range', { expiresOn: '9999-12-30' }, 'expiresOn'],
    ['the time zone is unknown', { timeZone: 'Mars/Olympus' }, 'timeZone'],
    ['the DevEUI must have 16 hexadecimal digits', { devEui: 'xyz' }, 'devEui'],
  ])('registering a device is refused: %s', async (_name, over, field) => {
    const answer = await server.call<{ fields: { field: string }[] }>({
      ...create('48000199', over),
      session: manager,
    });
    expect(answer).toMatchObject({ httpStatus: 400, data: { fields: [{ field }] } });
  });

  it('registering is refused for a number in use, an unknown gateway, and an organisation outside the scope', async () => {
    expect(await asked.refusal(create('48000001'))).toBe('device.number_taken');
    expect(await asked.refusal(create('48000102', { gatewayNumber: '99999999' }))).toBe('device.gateway');
    expect(await asked.refusal(create('48000102', { gatewayNumber: '48000102' }))).toBe('device.gateway');
    await asked.ask(create('48000102', { devEui: 'A1B2C3D4E5F60718', gatewayNumber: '48000001' }));
    expect(await asked.refusal(create('48000103', { devEui: 'a1b2c3d4e5f60718' }))).toBe('device.eui_taken');
    const platform = await known.organizationId('PLATFORM');
    expect(await asked.refusal(create('48000103', { organizationId: platform }))).toBe(
      'organization.not_found',
    );
    expect(await device('48000001')).toMatchObject({ behind: 1 });
  });
});

describe('editing devices', () => {
  it('the second of two editors gets a conflict error and can continue from the stored version', async () => {
    const { version } = await device('48000001');
    const edit = (at: number, over: object) => ({
      method: 'PUT',
      path: path('48000001'),
      json: { version: at, device: form({ serial: 'SN-48', ...over }) },
    });
    await asked.ask(edit(version, { name: 'First' }));
    expect(await asked.refusal(edit(version, { name: 'Second' }))).toBe('device.changed');
    const now = await device('48000001');
    expect(now).toMatchObject({ name: 'First', version: version + 1, changedBy: 'demo.manager' });
    await asked.ask(edit(now.version, { name: 'Second' }));
    expect((await asked.audited('device', 48000001)).at(-1)).toMatchObject({
      action: 'change',
      before: { name: 'First' },
      after: { name: 'Second' },
    });
  });

  it('a new device key replaces the old one immediately', async () => {
    const { key } = await asked.ask<{ key: string }>({
      method: 'POST',
      path: path('48000005', '/key'),
      json: { reason: 'Lost' },
    });
    expect(await reading('48000005', 5)).toMatchObject({ httpStatus: 401 });
    expect(await reading('48000005', 5, clock.now(), key)).toMatchObject({ status: '1' });
  });

  it('readings of a disabled sensor are refused, until it is enabled again', async () => {
    const put = (disabled: boolean) =>
      asked.ask<DeviceDetail>({
        method: 'PUT',
        path: path('48000004', '/sensor/1'),
        json: { name: 'Bottom shelf', serial: 'S-9', disabled },
      });
    expect((await put(true)).sensors).toMatchObject([
      { name: 'Bottom shelf', serial: 'S-9', disabled: true },
    ]);
    expect((await reading('48000004', 5)).data).toMatchObject({ accepted: 0, rejected: [{}] });
    await put(false);
    expect((await reading('48000004', 5)).data).toMatchObject({ accepted: 1, rejected: [] });
  });
});

describe('binding devices to assets', () => {
  it('the history stays with the asset where it was measured when the device moves', async () => {
    const [first, second] = [await assetOf('F-48000002'), await assetOf('F-48000003')];
    const before = (await device('48000002')).sensors[0]?.channels[0]?.channelId as number;
    await reading('48000002', 5);
    expect(await batch('/bind', { bonds: [{ number: '48000002', assetId: second }] })).toMatchObject({
      success: 0,
      failures: [{ name: '48000002', message: expect.stringContaining('Fridge 48000002') }],
    });
    expect(await batch('/unbind', { numbers: ['48000002'], reason: 'Moved' })).toMatchObject({ success: 1 });
    await batch('/bind', { bonds: [{ number: '48000002', assetId: second }] });
    const after = await device('48000002');
    const [channel] = after.sensors[0]?.channels ?? [];
    expect(after.asset).toMatchObject({ id: second });
    expect(channel).toMatchObject({ indicator: 'temperature', value: null });
    expect(channel?.channelId).not.toBe(before);
    await reading('48000002', 7);
    const { rows } = await server.pool.query(
      `select c.asset_id::int, l.value from channel c join channel_latest l on l.channel_id = c.id
         join device d on d.id = c.device_id where d.number = '48000002' order by c.id`,
    );
    expect(rows).toEqual([
      { asset_id: first, value: 5 },
      { asset_id: second, value: 7 },
    ]);
  });

  it('an asset lists its earlier channels with device and time, but no channels without readings', async () => {
    const earlier = async (code: string) =>
      asked.ask<ResponseOf<typeof listEarlierChannels>>({
        path: `/api/asset/${await assetOf(code)}/earlier-channel`,
      });
    await server.provision(manager, [fridge('48000301')]);
    const [was] = (await device('48000301')).sensors[0]?.channels ?? [];
    expect(await earlier('F-48000301')).toEqual([]);
    await reading('48000301', 5);
    expect(await earlier('F-48000301')).toEqual([]);
    await batch('/unbind', { numbers: ['48000301'], reason: 'Repair' });
    const [then, ...others] = await earlier('F-48000301');
    expect(others).toEqual([]);
    expect(then).toMatchObject({
      channelId: was?.channelId,
      indicator: 'temperature',
      deviceNumber: '48000301',
      from: then?.until,
    });
  });

  it('a deleted device leaves its history with the asset, and continues it after it is restored', async () => {
    await server.provision(manager, [fridge('48000302')]);
    const asset = await assetOf('F-48000302');
    const earlier = () =>
      asked.ask<ResponseOf<typeof listEarlierChannels>>({ path: `/api/asset/${asset}/earlier-channel` });
    await reading('48000302', 5);
    await batch('/delete', { numbers: ['48000302'], reason: 'Gone' });
    expect(await earlier()).toMatchObject([{ deviceNumber: '48000302' }]);
    await batch('/restore', { numbers: ['48000302'] });
    expect(await earlier()).toEqual([]);
  });

  it('the calibration of a sensor follows it to a new channel and still applies to the old one', async () => {
    await asked.ask(create('48000111'));
    await server.pool.query(
      `with certificate as (
         insert into calibration (sensor_id, serial, certificate, laboratory, calibrated_on, due_on, applied_from,
                                  changed_by, changed_at)
         select s.id, '', 'C-1', 'Lab', '2026-01-01', '2027-01-01', now(), 'test', now()
           from sensor s join device d on d.id = s.device_id where d.number = '48000111' returning id, sensor_id)
       insert into calibration_point (calibration_id, channel_id, position, reference, reading)
       select k.id, c.id, 1, 5, 5.5 from certificate k join channel c on c.sensor_id = k.sensor_id
        where c.indicator = 'temperature'`,
    );
    await server.pool.query(
      `insert into channel_latest select c.id, now(), now(), 5 from channel c join device d on d.id = c.device_id
        where d.number = '48000111'`,
    );
    await batch('/bind', { bonds: [{ number: '48000111', assetId: await assetOf('F-48000001') }] });
    const { rows } = await server.pool.query(
      `select c.retired_at is not null as retired, c.asset_id is not null as bound from calibration_point p
         join channel c on c.id = p.channel_id join device d on d.id = c.device_id
        where d.number = '48000111' order by c.id`,
    );
    expect(rows).toEqual([
      { retired: true, bound: false },
      { retired: false, bound: true },
    ]);
  });

  it('binding is refused for an asset of another organisation, a device listed twice, and unknown numbers', async () => {
    const { rows } = await server.pool.query<{ id: number }>(
      `insert into asset (organization_id, kind, code, name)
       select id, 'refrigerator', 'ELSEWHERE', 'Elsewhere' from organization where code = 'DEMO' returning id`,
    );
    const elsewhere = Number(rows[0]?.id);
    await asked.ask(create('48000110'));
    const refused = await batch('/bind', {
      bonds: [
        { number: '48000110', assetId: elsewhere },
        { number: '48000001', assetId: await assetOf('F-48000002') },
        { number: '99999999', assetId: elsewhere },
        { number: '48000003', assetId: 999_999 },
      ],
    });
    expect(refused).toMatchObject({ success: 0, fail: 4 });
    expect(await batch('/unbind', { numbers: ['48000110'], reason: 'x' })).toMatchObject({ fail: 1 });
  });

  it('a bound device stays in its organisation, and an unbound one can be moved', async () => {
    const demo = await known.organizationId('DEMO');
    expect(await batch('/move', { numbers: ['48000110', '48000001'], organizationId: demo })).toMatchObject({
      success: 1,
      failures: [{ name: '48000001' }],
    });
    expect(await device('48000110')).toMatchObject({ organizationId: demo });
  });

  it('the history of an asset is visible to its organisation, not to the current owner of the device', async () => {
    await reading('48000006', 5);
    const [channel] = (await device('48000006')).sensors[0]?.channels ?? [];
    const warehouse = await known.organizationId('DEMO-WAREHOUSE');
    await batch('/unbind', { numbers: ['48000006'], reason: 'Given away' });
    await batch('/move', { numbers: ['48000006'], organizationId: warehouse });
    const curve = async (session: Session) =>
      asking(server, session).refusal({
        path: '/api/telemetry/curve',
        query: {
          channels: String(channel?.channelId),
          points: '100',
          from: new Date(clock.now() - DAY).toISOString(),
          to: new Date(clock.now()).toISOString(),
        },
      });
    const stranger = await known.account('warehouse-keeper', 'enterprise-administrator', 'DEMO-WAREHOUSE');
    expect(await curve(stranger)).toBe('channel.not_found');
    expect(await curve(await server.logIn('demo.keeper'))).toBe('1');
  });

  it('a deleted asset is refused for binding and not offered', async () => {
    const make = (kind: object) =>
      asked.ask<{ id: number }>({
        method: 'POST',
        path: '/api/asset',
        json: { kind: 'cold-box', organizationId: hospital, code: 'GONE', name: 'Gone', ...kind },
      });
    const { id } = await make({});
    await asked.ask({ method: 'DELETE', path: `/api/asset/${id}`, json: { reason: 'Broken' } });
    await asked.ask(create('48000181'));
    expect(await batch('/bind', { bonds: [{ number: '48000181', assetId: id }] })).toMatchObject({ fail: 1 });
    const offered = await asked.ask({ path: '/api/device/list/assets', query: { search: 'GONE' } });
    expect(offered).toEqual([]);
  });

  /** Binds the device in another transaction, which commits while the call under test waits for it. */
  async function whileBinding<T>(number: string, assetId: number, work: () => Promise<T>): Promise<T> {
    const other = await server.pool.connect();
    await other.query('begin');
    await other.query('select 1 from asset where id = $1 for share', [assetId]);
    await other.query('update device set asset_id = $2 where number = $1', [number, assetId]);
    const answer = work();
    await expect
      .poll(async () => {
        const { rows } = await server.pool.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length;
      })
      .toBeGreaterThan(0);
    await other.query('commit');
    other.release();
    return answer;
  }

  it('the second of two simultaneous changes (bind, move, delete) gets a conflict error', async () => {
    await asked.ask(create('48000182'));
    await asked.ask(create('48000183'));
    const [first, second] = [await assetOf('F-48000006'), await assetOf('F-48000002')];
    const demo = await known.organizationId('DEMO');
    const moved = await whileBinding('48000181', first, () =>
      batch('/move', { numbers: ['48000181'], organizationId: demo }),
    );
    expect(moved).toMatchObject({ success: 0, fail: 1 });
    const rebound = await whileBinding('48000182', first, () =>
      batch('/bind', { bonds: [{ number: '48000182', assetId: second }] }),
    );
    expect(rebound).toMatchObject({ success: 0, fail: 1 });
    await batch('/unbind', { numbers: ['48000181', '48000182'], reason: 'Away' });
    const deleted = await whileBinding('48000183', first, () =>
      asked.refusal({ method: 'DELETE', path: `/api/asset/${first}`, json: { reason: 'Sold' } }),
    );
    expect(deleted).toBe('asset.in_use');
  });
});

describe('replacing devices', () => {
  const replace = (number: string, by: string) => ({
    method: 'POST',
    path: path(number, '/replace'),
    json: { by, reason: 'Broken' },
  });

  it('after a replacement the asset keeps one chart, which names both devices, and rules and alarms continue', async () => {
    const begun = clock.now() - 3_600_000;
    await reading('48000001', 5, begun);
    const [channel] = (await device('48000001')).sensors[0]?.channels ?? [];
    const sensors = [{ name: 'Top shelf', serial: 'NEW-1', indicators: ['temperature', 'door'] }];
    const spare = create('48000120');
    await asked.ask({ ...spare, json: { ...spare.json, key: TEST_KEY, sensors } });
    await reading('48000120', 20, begun + 60_000);
    await asked.ask(replace('48000001', '48000120'));
    await reading('48000120', 12);
    // The readings of the new device from before the replacement do not belong to this asset.
    const curve = await asked.ask<{ series: CurveSeries[] }>({
      path: '/api/telemetry/curve',
      query: {
        channels: String(channel?.channelId),
        from: new Date(begun - 1000).toISOString(),
        to: new Date(clock.now() + 1000).toISOString(),
      },
    });
    expect(curve.series[0]).toMatchObject({
      mean: [5, 12],
      sources: [
        { device: '48000001', serial: 'S-48000001', until: expect.any(String) },
        { device: '48000120', serial: 'NEW-1', until: null },
      ],
    });
    const after = await device('48000120');
    expect(after).toMatchObject({ asset: { code: 'F-48000001' } });
    expect(after.sensors[0]?.channels[0]?.channelId).toBe(channel?.channelId);
    expect(await device('48000001')).toMatchObject({ asset: null });
    // Readings of the replaced device are still accepted, on a channel of its own.
    expect((await reading('48000001', 30)).data).toMatchObject({ accepted: 1 });
    const { rows } = await server.pool.query(
      'select count(*)::int as rules from alarm_rule where channel_id = $1',
      [channel?.channelId],
    );
    expect(rows).toEqual([{ rules: 2 }]);
  });

  it('replacing is refused with a device of another organisation, a bound device, a device that measures less, and the device itself', async () => {
    const demo = await known.organizationId('DEMO');
    await asked.ask(create('48000121', { organizationId: demo }));
    await asked.ask(create('48000122'));
    expect(await asked.refusal(replace('48000005', '48000121'))).toBe('device.other_organization');
    expect(await asked.refusal(replace('48000005', '48000120'))).toBe('device.bound');
    expect(await asked.refusal(replace('48000005', '48000122'))).toBe('device.model_mismatch');
    expect(await asked.refusal(replace('48000005', '48000005'))).toBe('device.not_found');
  });
});

describe('deleting devices', () => {
  it('deleting a device ends its alarms, and its readings are refused as soon as the response has been sent', async () => {
    const at = clock.now();
    for (const minutes of [10, 5, 0]) await reading('48000003', 12, at - minutes * 60_000);
    const outlook = await post('/deletion', { numbers: ['48000003'] });
    expect(outlook).toMatchObject({ devices: 1, bound: 1, channels: 2, rules: 2, openAlarms: 1 });
    expect(await batch('/delete', { numbers: ['48000003'], reason: 'Broken' })).toMatchObject({ success: 1 });
    // The reading is sent for a device that was deleted a second ago.
    expect(await reading('48000003', 12)).toMatchObject({ httpStatus: 401, status: 'ingest.credentials' });
    const { rows } = await server.pool.query(
      `select a.state, a.end_reason from alarm a join channel c on c.id = a.channel_id
         join device d on d.id = c.device_id where d.number = '48000003'`,
    );
    expect(rows).toEqual([{ state: 'ended', end_reason: 'device-removed' }]);
    const list = (query: Record<string, string>) =>
      asked.ask<{ items: DeviceRecord[]; counts: { deleted: number } }>({ path: '/api/device/list', query });
    expect((await list({ search: '48000003' })).items).toEqual([]);
    const bin = await list({ search: '48000003', deleted: 'true' });
    expect(bin.items).toMatchObject([{ number: '48000003', deletedAt: expect.any(String) }]);
    expect(bin.counts.deleted).toBe(1);
    expect(await asked.refusal(create('48000003'))).toBe('device.number_taken');
    expect(await batch('/bind', { bonds: [{ number: '48000003', assetId: 1 }] })).toMatchObject({ fail: 1 });
  });

  it('deleting a device raises no alarm from readings that were queued meanwhile', async () => {
    const number = '48000007';
    const { id } = await device(number);
    await reading(number, 5, clock.now() - 600_000);
    const waiting = async (count: number) =>
      expect
        .poll(async () => {
          const { rows } = await server.pool.query(
            `select 1 from pg_locks where locktype = 'advisory' and classid = 7411 and not granted`,
          );
          return rows.length;
        })
        .toBe(count);
    const lane = await server.pool.connect();
    await lane.query('begin');
    await lane.query('select pg_advisory_xact_lock(7411, $1)', [id % 16]);
    const first = reading(number, 5, clock.now() - 500_000);
    await waiting(1);
    const second = server.ingest(number, TEST_KEY, {
      readings: [300_000, 200_000, 100_000].map((ago) => ({
        channel: 'temperature-1',
        at: clock.now() - ago,
        value: 12,
      })),
    });
    const deletion = batch('/delete', { numbers: [number], reason: 'Broken' });
    await waiting(2);
    await lane.query('rollback');
    lane.release();
    expect(await deletion).toMatchObject({ success: 1 });
    expect((await first).status).toBe('1');
    expect((await second).status).toBe('1');
    const { rows } = await server.pool.query(
      `select a.id from alarm a join channel c on c.id = a.channel_id
        where c.device_id = $1 and a.ended_at is null`,
      [id],
    );
    expect(rows).toEqual([]);
  });

  it('deleting a device can be undone for 30 days, and everything is as before', async () => {
    clock.offset = 29 * DAY;
    await server.pool.query(`update session set expires_at = now() + interval '40 days'`);
    manager = await server.logIn('demo.manager');
    asked = asking(server, manager);
    await removal();
    expect(await batch('/restore', { numbers: ['48000003'] })).toMatchObject({ success: 1 });
    expect(await device('48000003')).toMatchObject({ deletedAt: null, asset: { code: 'F-48000003' } });
    expect(await reading('48000003', 5)).toMatchObject({ status: '1' });
  });

  it('30 days after the deletion of a device its number can be used again, and its history is still available', async () => {
    await batch('/delete', { numbers: ['48000003'], reason: 'Broken' });
    clock.offset += 30 * DAY + 60_000;
    manager = await server.logIn('demo.manager');
    asked = asking(server, manager);
    await removal();
    expect(await asked.refusal({ path: path('48000003') })).toBe('device.not_found');
    expect(await batch('/restore', { numbers: ['48000003'] })).toMatchObject({ fail: 1 });
    await asked.ask(create('48000003'));
    const { rows } = await server.pool.query(
      `select count(*)::int as readings, count(distinct d.id)::int as devices
         from reading r join channel c on c.id = r.channel_id join device d on d.id = c.device_id
        where d.number = '48000003'`,
    );
    expect(rows).toEqual([{ readings: 4, devices: 1 }]);
  });

  async function removal() {
    for (const job of createRegistryJobs(server.pool, clock)) await job.run();
  }
});

it('a renewal is counted from the expiry date, and refused for a device with a lapsed subscription or without an expiry date', async () => {
  const day = (offset: number) => new Date(clock.now() + offset * DAY).toISOString().slice(0, 10);
  const expiries = {
    '48000130': '2027-01-31',
    '48000131': day(-30),
    '48000132': day(-120),
    '48000133': null,
  };
  for (const [number, expiresOn] of Object.entries(expiries)) await asked.ask(create(number, { expiresOn }));
  const listed = () =>
    asked.ask<{ items: DeviceRecord[] }>({ path: '/api/device/expired', query: { search: '4800013' } });
  const shown = (await listed()).items.map(({ number, term }) => [number, term]);
  expect(shown).toContainEqual(['48000131', 'expired']);
  expect(shown).toContainEqual(['48000132', 'lapsed']);
  expect(shown.map(([number]) => number)).not.toContain('48000133');
  const result = await asked.ask<BatchResult>({
    method: 'POST',
    session: await server.logIn('demo.platform'),
    path: '/api/device/expired/renew',
    json: { numbers: Object.keys(expiries), months: 13, reason: 'Invoice 7' },
  });
  expect(result).toMatchObject({ success: 2, failures: [{ name: '48000132' }, { name: '48000133' }] });
  expect(await device('48000130')).toMatchObject({ expiresOn: '2028-02-29' });
  expect((await asked.audited('device', 48000130)).at(-1)).toMatchObject({
    before: { expiresOn: '2027-01-31' },
    after: { expiresOn: '2028-02-29' },
  });
});

it('a renewal ends at the last year that the date format supports', async () => {
  await asked.ask(create('48000184', { expiresOn: '2999-12-30' }));
  await asked.ask({
    method: 'POST',
    session: await server.logIn('demo.platform'),
    path: '/api/device/expired/renew',
    json: { numbers: ['48000184'], months: 120, reason: 'Typed wrong' },
  });
  expect(await device('48000184')).toMatchObject({ expiresOn: '2999-12-31' });
});

it('other processes are also notified of changed devices', async () => {
  const log = createLog('silent', false);
  const { connectionString } = server.pool.options;
  const invalidations = createInvalidations();
  const bus = createBus(connectionString as string, server.pool, invalidations, log);
  const directory = createDeviceDirectory(server.pool, invalidations, createSealing('x'.repeat(32)), {
    connected: () => undefined,
    refused: () => undefined,
  });
  const sender = { gateway: 'http' as const, address: '127.0.0.1' };
  await bus.start();
  expect(await directory.authenticate('48000004', TEST_KEY, sender)).not.toBeNull();
  await batch('/delete', { numbers: ['48000004'], reason: 'Broken' });
  await expect.poll(async () => directory.authenticate('48000004', TEST_KEY, sender)).toBeNull();
  await bus.stop();
});

it('the filtered devices are exported', async () => {
  const answer = await asked.ask<{ rows: number; content: string }>({
    path: '/api/device/list/export',
    query: { search: '48000001' },
  });
  expect(answer.rows).toBe(2);
  expect(answer.content.length).toBeGreaterThan(1000);
});
