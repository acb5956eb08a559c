import { createHash, randomBytes } from 'node:crypto';
import type { DeviceDetail } from '@isotherm/contracts/device-registry';
import type {
  Firmware,
  FirmwareKey,
  listUpgrades,
  Rollout,
  UpgradeRecord,
} from '@isotherm/contracts/firmware';
import type { ResponseOf } from '@isotherm/contracts/route';
import { httpUplink, ingestPool, mqttUplink, type Uplink } from '@isotherm/simulator/client/uplink';
import { firmwareKey } from '@isotherm/simulator/fleet/firmware-key';
import { createFirmware } from '@isotherm/simulator/live/firmware';
import mqtt from 'mqtt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectDone, people } from '../../../testing/people.ts';
import {
  type Answer,
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

const KEY = firmwareKey('a secret of the makers');
/** Large enough for more than one HTTP range and many MQTT chunks. */
const BYTES = randomBytes(300_000);
const PATIENTLY = { timeout: 20_000, interval: 50 };
const API = '/api/device/upgrade';

let server: TestServer;
let manager: Session;
let demo: number;
const clock = { offset: 0, now: () => Date.now() + clock.offset };

beforeAll(async () => {
  server = await startTestServer({ clock });
  manager = await server.logIn('demo.manager');
  demo = await people(server, await server.logIn('demo.platform')).organizationId('DEMO');
  expectDone(
    await post<FirmwareKey>('/key', { organizationId: demo, name: 'Makers', publicKey: KEY.publicKey }),
  );
});
afterAll(() => server.stop());
beforeEach(() => {
  clock.offset = 0;
});

const post = <T>(path: string, json: object, session = manager) =>
  server.call<T>({ method: 'POST', path: `${API}${path}`, session, json });
const statementOf = (title: string, version: string, bytes: Buffer) => ({
  title,
  version,
  size: bytes.length,
  checksum: createHash('sha256').update(bytes).digest('hex'),
});
const upload = (
  model: string,
  version: string,
  more: { bytes?: Buffer; signature?: string; session?: Session } = {},
) => {
  const bytes = more.bytes ?? BYTES;
  return server.call<Firmware>({
    method: 'POST',
    path: `${API}/firmware`,
    session: more.session ?? manager,
    fields: {
      file: { name: 'firmware.bin', bytes },
      organizationId: String(demo),
      model,
      version,
      signature: more.signature ?? KEY.sign(statementOf(model, version, bytes)),
    },
  });
};

let last = 49_000_000;
let models = 0;
const freshModel = () => `FW-${++models}`;
async function devices(model: string, count: number): Promise<string[]> {
  const items = Array.from({ length: count }, () => fridge(String(++last)));
  for (const item of items) item.device.model = model;
  await server.provision(manager, items);
  return items.map(({ device }) => device.number);
}
const open: Uplink[] = [];
const pools: ReturnType<typeof ingestPool>[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((uplink) => uplink.close()));
  await Promise.all(pools.splice(0).map((pool) => pool.destroy()));
});

/** Starts a simulated logger, with or without faults. */
async function logger(
  number: string,
  model: string,
  more: {
    over?: 'http' | 'mqtt';
    fails?: boolean;
    version?: string;
    corrupts?: boolean;
    mute?: boolean;
    quiet?: boolean;
  } = {},
) {
  let uplink: Uplink;
  if (more.over === 'http') {
    const pool = ingestPool(server.url, 4);
    pools.push(pool);
    uplink = httpUplink(pool, number, TEST_KEY);
  } else uplink = mqttUplink(`mqtt://127.0.0.1:${server.mqttPort}`, number, TEST_KEY);
  open.push(uplink);
  const renewal = createFirmware({
    uplink: {
      ...uplink,
      // A real device reconnects after a restart; this simulated restart only takes time.
      leave: () => undefined,
      async fetch(offer) {
        const bytes = await uplink.fetch(offer);
        if (more.corrupts) bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1;
        return bytes;
      },
    },
    model,
    version: more.version ?? '1.0.0',
    key: KEY,
    fails: more.fails ?? false,
    restart: () => undefined,
    restartMs: 20,
  });
  await vi.waitFor(() => expect(uplink.online()).toBe(true), PATIENTLY);
  uplink.listen((command) => {
    if (command.offer && !more.mute) renewal.take(command.id, command.offer).catch(() => undefined);
  });
  if (!more.quiet) await renewal.announce();
  return renewal;
}

const begin = (firmwareId: number, more: object = {}) => post<Rollout>('/roll-out', { firmwareId, ...more });
const rolloutOf = async (id: number) =>
  expectDone(await server.call<Rollout>({ path: `${API}/roll-out/${id}`, session: manager }));
const upgradesOf = async (id: number): Promise<Record<string, UpgradeRecord>> => {
  const { items } = expectDone(
    await server.call<ResponseOf<typeof listUpgrades>>({
      path: `${API}/roll-out/${id}/device`,
      query: { pageSize: '200' },
      session: manager,
    }),
  );
  return Object.fromEntries(items.map((item) => [item.number, item]));
};
const until = (id: number, state: Rollout['state']) =>
  vi.waitFor(async () => {
    const found = await rolloutOf(id);
    expect(found.state).toBe(state);
    return found;
  }, PATIENTLY);
const untilState = (id: number, number: string, state: UpgradeRecord['state']) =>
  vi.waitFor(async () => {
    const found = (await upgradesOf(id))[number];
    expect(found?.state).toBe(state);
    return found as UpgradeRecord;
  }, PATIENTLY);
const change = (id: number, deed: string, reason = '') =>
  post<Rollout>(`/roll-out/${id}/change`, { deed, reason });
const fetchFile = (number: string, query: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/v1/${number}.${TEST_KEY}/firmware?${query}`, { headers });

describe('firmware files', () => {
  it('a firmware is accepted only with a signature by a key that is trusted in its organisation', async () => {
    const model = freshModel();
    const made = expectDone(await upload(model, '1.10.0'));
    expect(made).toMatchObject({ model, version: '1.10.0', sizeBytes: BYTES.length, keyName: 'Makers' });
    expect(made.checksum).toBe(createHash('sha256').update(BYTES).digest('hex'));
    const other = firmwareKey('of somebody else');
    const refusals: [string, Answer<Firmware>][] = [
      [
        'another key',
        await upload(model, '2.0.0', { signature: other.sign(statementOf(model, '2.0.0', BYTES)) }),
      ],
      [
        'another version',
        await upload(model, '2.0.0', { signature: KEY.sign(statementOf(model, '1.10.0', BYTES)) }),
      ],
      [
        'another model',
        await upload(model, '2.0.0', { signature: KEY.sign(statementOf('FW-X', '2.0.0', BYTES)) }),
      ],
      [
        'other bytes',
        await upload(model, '2.0.0', { signature: KEY.sign(statementOf(model, '2.0.0', BYTES.subarray(1))) }),
      ],
      ['nothing', await upload(model, '2.0.0', { bytes: Buffer.alloc(0) })],
    ];
    for (const [words, answer] of refusals) expect(answer.status, words).toBe('firmware.signature');
    expect(await upload(model, '1.10.0')).toMatchObject({ status: 'firmware.version_taken' });
    expectDone(await upload(model, '1.9.0'));
    const list = expectDone(await server.call<Firmware[]>({ path: `${API}/firmware`, session: manager }));
    const versions = list.filter((each) => each.model === model).map(({ version }) => version);
    expect(versions).toEqual(['1.10.0', '1.9.0']);
  });

  it('a firmware is refused after its key was revoked', async () => {
    const makers = firmwareKey('for a while');
    const model = freshModel();
    const { id } = expectDone(
      await post<FirmwareKey>('/key', { organizationId: demo, name: 'Old', publicKey: makers.publicKey }),
    );
    const signature = makers.sign(statementOf(model, '1.0.0', BYTES));
    expectDone(await upload(model, '1.0.0', { signature }));
    expectDone(await post(`/key/${id}/end`, { reason: 'Lost' }));
    expect(
      await upload(model, '2.0.0', { signature: makers.sign(statementOf(model, '2.0.0', BYTES)) }),
    ).toMatchObject({ status: 'firmware.signature' });
    expect(await post('/key', { organizationId: demo, name: 'Bad', publicKey: 'no key' })).toMatchObject({
      status: 'firmware.key',
    });
  });

  it('a firmware is downloaded as a whole, by range or by chunk, only by a device to which it was offered', async () => {
    const model = freshModel();
    const [number, stranger] = (await devices(model, 2)) as [string, string];
    const { id } = expectDone(await upload(model, '2.0.0'));
    const query = new URLSearchParams({ title: model, version: '2.0.0' }).toString();
    expect((await fetchFile(number, query)).status).toBe(404);
    const { id: rollout } = expectDone(await begin(id, { numbers: [number] }));
    await vi.waitFor(async () => expect((await fetchFile(number, query)).status).toBe(200), PATIENTLY);
    const whole = await fetchFile(number, query);
    expect(Buffer.from(await whole.arrayBuffer()).equals(BYTES)).toBe(true);
    expect((await upgradesOf(rollout))[number]).toMatchObject({ state: 'downloading', percent: 100 });
    const all = await fetchFile(number, `${query}&size=0&chunk=0`);
    expect((await all.arrayBuffer()).byteLength).toBe(BYTES.length);
    const part = await fetchFile(number, query, { range: 'bytes=299990-' });
    expect([part.status, part.headers.get('content-range')]).toEqual([206, 'bytes 299990-299999/300000']);
    expect(Buffer.from(await part.arrayBuffer()).equals(BYTES.subarray(299_990))).toBe(true);
    const chunk = await fetchFile(number, `${query}&size=1000&chunk=299`);
    expect(Buffer.from(await chunk.arrayBuffer()).equals(BYTES.subarray(299_000))).toBe(true);
    expect((await fetchFile(number, query, { range: 'bytes=300000-' })).status).toBe(416);
    for (const other of ['title=FW-X', 'version=1.0.0'])
      expect((await fetchFile(number, other)).status, other).toBe(404);
    expect((await fetchFile(stranger, query)).status).toBe(404);
    const wrongKey = await fetch(`${server.url}/api/v1/${number}.${'x'.repeat(40)}/firmware?${query}`);
    expect(wrongKey.status).toBe(401);
    expectDone(await post(`/firmware/${id}/withdraw`, { reason: 'It breaks' }));
    expect((await fetchFile(number, query)).status).toBe(404);
    expect((await upgradesOf(rollout))[number]?.state).toBe('cancelled');
    expect((await rolloutOf(rollout)).state).toBe('cancelled');
    expect(await begin(id)).toMatchObject({ status: 'firmware.not_found' });
  });
});

describe('firmware roll-outs', () => {
  it('a roll-out reaches loggers over MQTT and HTTP wave by wave, and the devices report the new version', async () => {
    const model = freshModel();
    const numbers = await devices(model, 4);
    const [first, second, third] = numbers as [string, string, string];
    const renewals = [
      await logger(first, model),
      await logger(second, model),
      await logger(third, model, { over: 'http' }),
    ];
    const { id } = expectDone(await upload(model, '2.0.0'));
    const rollout = expectDone(
      await begin(id, { numbers: [first, second, third], waves: [{ amount: 1, unit: 'devices' }] }),
    );
    expect(rollout.waves.map(({ devices: count }) => count)).toEqual([1, 2]);
    const done = await until(rollout.id, 'finished');
    expect(done.waves.map(({ states }) => states.done)).toEqual([1, 2]);
    expect(renewals.map((renewal) => renewal.version())).toEqual(['2.0.0', '2.0.0', '2.0.0']);
    const { firmware } = expectDone(
      await server.call<DeviceDetail>({ path: `/api/device/list/${first}`, session: manager }),
    );
    expect(firmware).toMatchObject({ version: '2.0.0', upgrade: { version: '2.0.0', state: 'done' } });
    // Devices that already have this version are excluded from a roll-out, and no device is offered an older
    // one.
    const outlook = await post('/roll-out/outlook', { firmwareId: id });
    expect(outlook.data).toEqual({ devices: 1, current: 3, busy: 0 });
    const older = expectDone(await upload(model, '1.5.0'));
    expect(await begin(older.id, { numbers: [first, second] })).toMatchObject({ status: 'firmware.nobody' });
    const { rows } = await server.pool.query(
      `select action from audit_entry where object_kind = 'firmware-rollout' and object_id = $1`,
      [String(rollout.id)],
    );
    expect(rows).toEqual([{ action: 'create' }]);
  });

  it('a roll-out stops when too many devices fail, and the remaining devices get no offer', async () => {
    const model = freshModel();
    const [bad, corrupt, rest] = (await devices(model, 3)) as [string, string, string];
    await logger(rest, model);
    await logger(corrupt, model, { corrupts: true });
    await logger(bad, model, { fails: true });
    // The most recently seen devices come first.
    await server.pool.query(
      `insert into device_presence select id, now() - (case number when $1 then 3 when $2 then 2 else 1 end) * interval '1 minute'
         from device where number = any($3) on conflict (device_id) do update set last_seen_at = excluded.last_seen_at`,
      [rest, corrupt, [bad, corrupt, rest]],
    );
    const { id } = expectDone(await upload(model, '2.0.0'));
    const { id: rollout } = expectDone(
      await begin(id, { waves: [{ amount: 2, unit: 'devices' }], failureShare: 1 }),
    );
    const stopped = await until(rollout, 'stopped');
    expect(stopped.endedAt).not.toBeNull();
    const upgrades = await upgradesOf(rollout);
    expect(upgrades[bad]).toMatchObject({ state: 'failed', reason: 'does not start' });
    expect(upgrades[corrupt]).toMatchObject({ state: 'failed', reason: 'checksum' });
    expect(upgrades[rest]?.state).toBe('cancelled');
    expect(await change(rollout, 'resume')).toMatchObject({ status: 'firmware.deed' });
  });

  it('a roll-out waits for confirmation between waves, and can be paused, resumed and cancelled', async () => {
    const model = freshModel();
    const [first, second] = (await devices(model, 2)) as [string, string];
    const { id } = expectDone(await upload(model, '2.0.0'));
    const { id: rollout } = expectDone(
      await begin(id, { waves: [{ amount: 1, unit: 'devices' }], isAutomatic: false }),
    );
    await vi.waitFor(async () => expect(await waiting(first)).toBe(1), PATIENTLY);
    expect(await begin(id)).toMatchObject({ status: 'firmware.nobody' });
    expectDone(await change(rollout, 'pause'));
    expect(await waiting(first)).toBe(0);
    expectDone(await change(rollout, 'resume'));
    await logger(first, model);
    await until(rollout, 'held');
    expect((await upgradesOf(rollout))[second]?.state).toBe('waiting');
    expectDone(await change(rollout, 'proceed'));
    await vi.waitFor(async () => expect(await waiting(second)).toBe(1), PATIENTLY);
    expectDone(await change(rollout, 'cancel', 'Enough'));
    expect(await waiting(second)).toBe(0);
    expect((await upgradesOf(rollout))[second]?.state).toBe('cancelled');
  });
  const waiting = async (number: string) => {
    const { rows } = await server.pool.query<{ count: number }>(
      `select count(*)::int as count from device_command c join device d on d.id = c.device_id
        where d.number = $1 and c.state = 'reserved'`,
      [number],
    );
    return rows[0]?.count;
  };

  it('a roll-out ignores reports about other firmware and repeated reports, and silent devices time out', async () => {
    const model = freshModel();
    const [talker, refuser, silent] = (await devices(model, 3)) as [string, string, string];
    const { id } = expectDone(await upload(model, '2.0.0'));
    const { id: rollout } = expectDone(await begin(id, { numbers: [talker, refuser, silent] }));
    // This device was updated manually, without a report to the server.
    await logger(refuser, model, { version: '3.0.0', quiet: true });
    await logger(silent, model, { mute: true });
    expect(await untilState(rollout, silent, 'offered')).toMatchObject({ reason: '' });
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: `${talker}.${TEST_KEY}`,
      protocolVersion: 4,
      reconnectPeriod: 0,
    });
    const say = (values: object) =>
      client.publishAsync('v1/devices/me/telemetry', JSON.stringify(values), { qos: 1 });
    await say({ fw_state: 'DOWNLOADING' });
    await say({ fw_state: 'FAILED', fw_title: 'FW-X', fw_error: 'of something else' });
    await say({ fw_state: 'FAILED', fw_version: '9.9.9', fw_error: 'of something else' });
    await say({ fw_state: 'NONSENSE' });
    await say({ fw_state: 'VERIFIED' });
    await say({ fw_state: 'VERIFIED' });
    expect((await upgradesOf(rollout))[talker]).toMatchObject({ state: 'installing' });
    await say({ fw_state: 'UPDATED', current_fw_title: model, current_fw_version: '2.0.0' });
    await say({ fw_state: 'UPDATED', current_fw_title: model, current_fw_version: '2.0.0' });
    await say({ fw_state: 'FAILED', fw_error: 'too late' });
    await client.endAsync();
    const upgrades = await upgradesOf(rollout);
    expect(upgrades[talker]).toMatchObject({ state: 'done', reason: '', percent: 100 });
    expect(upgrades[refuser]).toMatchObject({ state: 'refused', reason: '8' });
    clock.offset = 61 * 60_000;
    expect(await untilState(rollout, silent, 'failed')).toMatchObject({ reason: 'silent' });
    await until(rollout, 'stopped');
  });

  it('a roll-out continues after a restart of the server', async () => {
    const model = freshModel();
    const numbers = await devices(model, 2);
    const { id } = expectDone(await upload(model, '2.0.0'));
    const { id: rollout } = expectDone(
      await begin(id, { waves: [{ amount: 1, unit: 'devices' }], failureShare: 1 }),
    );
    // Simulates the state after a crash of the server: an offer was sent, but no process has it in memory.
    await vi.waitFor(async () => {
      const { rowCount } = await server.pool.query(
        `update device_command c set state = 'requesting', attempts = 1, since = now() - interval '10 minutes'
           from firmware_upgrade u where u.rollout_id = $1 and c.batch_id = u.batch_id and c.device_id = u.device_id`,
        [rollout],
      );
      expect(rowCount).toBe(1);
    }, PATIENTLY);
    for (const number of numbers) await logger(number, model);
    const done = await until(rollout, 'finished');
    expect(done.waves.map(({ states }) => states.done)).toEqual([1, 1]);
  });
});
