import {
  type CommandBatch,
  commandAnswersTopic,
  commandsTopic,
  type DeviceCommand,
} from '@isotherm/contracts/commands';
import { writeCommandResult } from '@isotherm/protocol/gateway-packet/session-bodies';
import { openPacketLink, type PacketLink } from '@isotherm/simulator/client/packet-link';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectDone, type People, people } from '../../../testing/people.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

/** Tests commands end to end: sent by the API, received by devices over their own protocols. */
let server: TestServer;
let manager: Session;
let known: People;
const clock = { offset: 0, now: () => Date.now() + clock.offset };

beforeAll(async () => {
  server = await startTestServer({ clock });
  const platform = await server.logIn('demo.platform');
  manager = await server.logIn('demo.manager');
  known = people(server, platform);
  await server.provision(
    manager,
    ['40000001', '40000002', '40000003', '40000004', '40000005', '40000006'].map((number) => fridge(number)),
  );
  await known.organization('COMMAND-ELSEWHERE', 'PLATFORM', 'org');
  await known.account('command.elsewhere', 'enterprise-administrator', 'COMMAND-ELSEWHERE');
});
afterAll(() => server.stop());

const give = (devices: string[], order: object, more: object = {}, session = manager) =>
  server.call<{ batch: CommandBatch; unknown: string[] }>({
    method: 'POST',
    path: '/api/device/command',
    session,
    json: { devices, order, ...more },
  });
const batchOf = async (id: number, session = manager) =>
  server.call<CommandBatch>({ path: `/api/device/command/batch/${id}`, session });
const listed = async (query: Record<string, string>) =>
  expectDone(
    await server.call<{ items: DeviceCommand[]; total: number }>({
      path: '/api/device/command',
      query,
      session: manager,
    }),
  ).items;
const states = async (batchId: number) =>
  (await listed({ batchId: String(batchId), pageSize: '200' })).map(({ state }) => state);

interface Told {
  id: number;
  kind: string;
  [field: string]: unknown;
}

/** Connects a device over MQTT that subscribes to its commands. */
async function listener(number: string) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
    username: number,
    password: TEST_KEY,
    reconnectPeriod: 0,
  });
  const told: Told[] = [];
  client.on('message', (_topic, payload) => told.push(JSON.parse(payload.toString()) as Told));
  await client.subscribeAsync(commandsTopic(number), { qos: 1 });
  return {
    told,
    answer: (body: object) =>
      client.publishAsync(commandAnswersTopic(number), JSON.stringify(body), { qos: 1 }),
    close: () => client.endAsync(true),
  };
}

describe('commands over MQTT', () => {
  it('a device on MQTT receives a command at once, and reports progress and completion', async () => {
    const device = await listener('40000001');
    const { batch } = expectDone(await give(['40000001'], { kind: 'acquisition-interval', seconds: 30 }));
    await expect.poll(() => device.told).toHaveLength(1);
    const [command] = device.told;
    expect(command).toEqual({ id: command?.id, kind: 'acquisition-interval', seconds: 30 });
    await expect.poll(() => states(batch.id)).toEqual(['requesting']);
    await device.answer({ id: command?.id, state: 'configuring' });
    expect(await states(batch.id)).toEqual(['configuring']);
    await device.answer({ id: command?.id, state: 'success' });
    expect(await states(batch.id)).toEqual(['success']);
    // The server now expects readings at the new interval from the device.
    const { rows } = await server.pool.query(
      `select acquisition_interval_ms from device where number = '40000001'`,
    );
    expect(rows).toEqual([{ acquisition_interval_ms: 30_000 }]);
    // A second reply to the same command changes nothing.
    await device.answer({ id: command?.id, state: 'failed', reason: 7 });
    expect(await states(batch.id)).toEqual(['success']);
    await device.close();
  });

  it('a refusal by the device is stored with its reason', async () => {
    const device = await listener('40000001');
    const { batch } = expectDone(await give(['40000001'], { kind: 'offline-standard', minutes: 20 }));
    await expect.poll(() => device.told).toHaveLength(1);
    await device.answer({ id: device.told[0]?.id, state: 'failed', reason: 42 });
    expect(await listed({ batchId: String(batch.id) })).toMatchObject([
      { state: 'failed', failure: 'device', failureReason: 42, attempts: 1 },
    ]);
    await device.close();
  });

  it('a device cannot reply for another device', async () => {
    const device = await listener('40000002');
    const { batch } = expectDone(await give(['40000003'], { kind: 'reboot' }));
    const [command] = await listed({ batchId: String(batch.id) });
    await device.answer({ id: command?.id, state: 'success' });
    await device.answer({ id: 4_000_000_000, state: 'success' });
    await device.answer({ id: 'x' });
    expect(await states(batch.id)).toEqual(['reserved']);
    expect(device.told).toEqual([]);
    await device.close();
  });

  it('a device does not receive commands of other devices', async () => {
    const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
      username: '40000002',
      password: TEST_KEY,
      reconnectPeriod: 0,
    });
    await expect(client.subscribeAsync(commandsTopic('40000001'))).rejects.toThrow();
    await client.endAsync(true);
  });
});

describe('commands for offline devices', () => {
  it('an offline device receives its commands when it connects', async () => {
    const { batch } = expectDone(await give(['40000004'], { kind: 'upload-interval', seconds: 300 }));
    expect(await states(batch.id)).toEqual(['reserved']);
    const device = await listener('40000004');
    await expect.poll(() => device.told).toHaveLength(1);
    await device.answer({ id: device.told[0]?.id, state: 'success' });
    expect(await states(batch.id)).toEqual(['success']);
    await device.close();
  });

  it('a device that disconnects before it replies gets the command again, unless it is a reboot', async () => {
    const first = await listener('40000004');
    const settings = expectDone(await give(['40000004'], { kind: 'upload-interval', seconds: 60 })).batch;
    const reboot = expectDone(await give(['40000004'], { kind: 'reboot' })).batch;
    await expect.poll(() => first.told.map(({ kind }) => kind)).toEqual(['upload-interval', 'reboot']);
    await first.close();
    await expect.poll(() => states(settings.id)).toEqual(['reserved']);
    await expect.poll(() => states(reboot.id)).toEqual(['timeout']);
    const second = await listener('40000004');
    await expect.poll(() => second.told.map(({ kind }) => kind)).toEqual(['upload-interval']);
    await second.answer({ id: second.told[0]?.id, state: 'success' });
    await second.close();
  });

  it('a command for an offline device waits until it expires; an expired command can be resent, a waiting one cancelled', async () => {
    const order = { kind: 'offline-standard', minutes: 5 };
    const { batch } = expectDone(await give(['40000005'], order, { expiresInS: 60 }));
    clock.offset += 61_000;
    await expect.poll(() => states(batch.id)).toEqual(['timeout']);
    clock.offset = 0;
    const [ended] = await listed({ batchId: String(batch.id) });
    const post = <T>(action: string, ids: unknown[]) =>
      server.call<T>({
        method: 'POST',
        path: `/api/device/command/${action}`,
        session: manager,
        json: { ids },
      });
    expect(await post('retry', [ended?.id])).toMatchObject({ data: { again: 1 } });
    const [again] = await listed({ search: '40000005', state: 'reserved' });
    expect(again?.order).toEqual(order);
    expect(await post('cancel', [again?.id, ended?.id])).toMatchObject({ data: { cancelled: 1 } });
    expect(await listed({ batchId: String(again?.batchId) })).toMatchObject([
      { state: 'failed', failure: 'cancelled' },
    ]);
    expect(await post('cancel', [again?.id])).toMatchObject({ data: { cancelled: 0 } });
  });
});

describe('commands in gateway packets over TCP', () => {
  it('gateway packets carry commands to the device and results back', async () => {
    const told: { id: number; command: string; parameters: { parameter: number; value: number }[] }[] = [];
    const link: PacketLink = await openPacketLink({
      host: '127.0.0.1',
      port: server.tcpPort,
      number: '40000006',
      key: TEST_KEY,
      encryption: 'aes-128-gcm',
      counter: Date.now() * 1024,
      onCommand: (command) => told.push(command),
    });
    const limits = { kind: 'alarm-limits', sensor: 1, indicator: 'temperature', low: null, high: 8.5 };
    const { batch } = expectDone(await give(['40000006'], limits));
    await expect.poll(() => told).toHaveLength(1);
    expect(told[0]).toMatchObject({
      command: 'alarm-limits',
      parameters: [
        { parameter: 1, value: 1 },
        { parameter: 2, value: 1 },
        { parameter: 4, value: 850 },
      ],
    });
    const id = told[0]?.id as number;
    for (const state of ['configuring', 'success'] as const) {
      const answer = await link.send('command-result', writeCommandResult({ id, state, reason: 0 }));
      expect(answer).toMatchObject({ type: 'ack', body: { code: 'stored' } });
      expect(await states(batch.id)).toEqual([state]);
    }
    link.close();
  });
});

describe('commands for devices that poll over HTTP', () => {
  const rpc = `/api/v1/40000003.${TEST_KEY}/rpc`;
  const ask = async (timeoutMs: number) => {
    const response = await fetch(`${server.url}${rpc}?timeout=${timeoutMs}`);
    return { code: response.status, ...((await response.json()) as Partial<Told>) };
  };
  const reply = (id: number | undefined, body: unknown, number = '40000003') =>
    fetch(`${server.url}/api/v1/${number}.${TEST_KEY}/rpc/${id}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const order = (seconds: number) => ({ kind: 'upload-interval', seconds });

  beforeAll(async () => {
    await server.pool.query(`delete from device_command where state = 'reserved'`);
  });

  it.each([
    ["in another system's format", { result: 'ok' }, { state: 'success' }],
    ['not in JSON', 'done', { state: 'success' }],
    ['with an error', { error: 'no such method' }, { state: 'failed', failure: 'device', failureReason: 0 }],
    [
      'in the format of Isotherm',
      { state: 'failed', reason: 9 },
      { state: 'failed', failure: 'device', failureReason: 9 },
    ],
  ])('a polling device receives a waiting command and replies %s', async (_name, body, ended) => {
    const { batch } = expectDone(await give(['40000003'], order(90)));
    const told = await ask(5_000);
    expect(told).toEqual({ code: 200, id: told.id, method: 'upload-interval', params: { seconds: 90 } });
    expect(await states(batch.id)).toEqual(['requesting']);
    // Another device cannot reply for the device to which the command was sent.
    await reply(told.id, body, '40000002');
    expect(await states(batch.id)).toEqual(['requesting']);
    expect((await reply(told.id, body)).status).toBe(200);
    expect(await listed({ batchId: String(batch.id) })).toMatchObject([ended]);
  });

  it('long polling returns a command as soon as there is one; several commands are returned one per poll, in order', async () => {
    const first = ask(20_000);
    const batches = [];
    for (const seconds of [60, 70, 80]) {
      batches.push(expectDone(await give(['40000003'], order(seconds))).batch.id);
      if (seconds === 60) expect(await first).toMatchObject({ params: { seconds } });
    }
    expect(await ask(5_000)).toMatchObject({ params: { seconds: 70 } });
    // A command that the device has not polled yet counts as not sent.
    expect(await states(batches[2] as number)).toEqual(['reserved']);
    expect(await ask(5_000)).toMatchObject({ params: { seconds: 80 } });
  });

  it('a poll without waiting commands returns nothing, and only the newer of two simultaneous polls is served', async () => {
    expect(await ask(50)).toEqual({ code: 408 });
    const [first, second] = [ask(20_000), new Promise((wake) => setImmediate(wake)).then(() => ask(20_000))];
    expect(await Promise.race([first, second])).toEqual({ code: 408 });
    await give(['40000003'], order(120));
    expect((await Promise.all([first, second])).map(({ code }) => code).sort()).toEqual([200, 408]);
  });

  it.each([
    ['a wrong key', '/api/v1/40000003.wrong/rpc', 401],
    ['an invalid timeout', `${rpc}?timeout=never`, 400],
    ['a timeout that is too long', `${rpc}?timeout=600000`, 400],
  ])('a poll is refused: %s', async (_name, path, status) => {
    expect((await fetch(server.url + path)).status).toBe(status);
  });

  it.each([
    ['to an unknown command', 'none', '{}'],
    ['with an invalid state', '1', '{"state":"dancing"}'],
  ])('a reply %s is refused', async (_name, id, body) => {
    expect((await fetch(`${server.url}${rpc}/${id}`, { method: 'POST', body })).status).toBe(400);
  });
});

describe('commands for many devices', () => {
  it('many devices get their commands in parallel, each in order, and a slow device delays no other', async () => {
    const numbers = ['40000001', '40000002', '40000003', '40000004', '40000005'];
    const batches = [];
    for (const seconds of [100, 200])
      batches.push(expectDone(await give(numbers, { kind: 'upload-interval', seconds })).batch.id);
    const slow = await server.pool.connect();
    await slow.query('begin');
    await slow.query(
      `select 1 from device_command c join device d on d.id = c.device_id
        where d.number = '40000001' and c.batch_id = any($1) for update of c`,
      [batches],
    );
    const devices = await Promise.all(numbers.map((number) => listener(number)));
    const seconds = () => devices.map(({ told }) => told.map((command) => command.seconds));
    await expect.poll(() => seconds().slice(1)).toEqual(Array(4).fill([100, 200]));
    expect(seconds()[0]).toEqual([]);
    await slow.query('rollback');
    slow.release();
    await expect.poll(() => seconds()[0]).toEqual([100, 200]);
    await Promise.all(devices.map((device) => device.close()));
  });
});

describe('permissions for commands', () => {
  it('a device outside the scope is reported as unknown, and the other devices still get the command', async () => {
    const elsewhere = await server.logIn('command.elsewhere');
    const answer = expectDone(await give(['40000001'], { kind: 'reboot' }, {}, elsewhere));
    expect(answer).toEqual({ batch: null, unknown: ['40000001'] });
    const mixed = expectDone(await give(['40000002', '99999999', '40000002'], { kind: 'reboot' }));
    expect(mixed.unknown).toEqual(['99999999']);
    expect(mixed.batch.states.reserved).toBe(1);
    expect(await batchOf(mixed.batch.id, elsewhere)).toMatchObject({ httpStatus: 404 });
    const list = await server.call<{ total: number }>({ path: '/api/device/command', session: elsewhere });
    expect(list.data.total).toBe(0);
  });

  it.each([
    ['a missing device number', [], { kind: 'reboot' }],
    ['an invalid device number', ['1'], { kind: 'reboot' }],
    ['an unknown command', ['40000001'], { kind: 'dance' }],
    ['an interval that is too short', ['40000001'], { kind: 'acquisition-interval', seconds: 1 }],
    ['an additional field', ['40000001'], { kind: 'reboot', seconds: 60 }],
    [
      'a low limit above the high limit',
      ['40000001'],
      { kind: 'alarm-limits', sensor: 1, indicator: 'temperature', low: 8, high: 2 },
    ],
  ])('a command is refused: %s', async (_name, devices, order) => {
    expect(await give(devices, order)).toMatchObject({ httpStatus: 400, status: 'request.invalid' });
  });

  it('commands in progress do not delay the timeout of others', async () => {
    const hospital = await known.organizationId('DEMO-HOSPITAL');
    await server.pool.query(
      `with batch as (
         insert into command_batch (organization_id, command, note, requested_by, requested_at, expires_at)
         values ($1, '{"kind":"upload-interval","seconds":60}', '', 'test', now(), now() + interval '1 day') returning id),
       devices as (
         insert into device (organization_id, number, name, key_hash)
         select $1, (60000000 + n)::text, 'Many', '' from generate_series(1, 1200) n returning id)
       insert into device_command (batch_id, device_id, state, attempts, since)
       select batch.id, devices.id, 'configuring', 1, now() - interval '1 minute' from batch, devices`,
      [hospital],
    );
    const { batch } = expectDone(await give(['40000003'], { kind: 'upload-interval', seconds: 60 }));
    await server.pool.query(
      `update device_command set state = 'requesting', attempts = 3, since = now() - interval '31 seconds'
        where batch_id = $1`,
      [batch.id],
    );
    await expect.poll(() => states(batch.id), { timeout: 10_000 }).toEqual(['timeout']);
  });

  it('the organisation of a device finds the command in its audit log', async () => {
    const { rows } = await server.pool.query(
      `select e.organization_path = o.path as own from audit_entry e, organization o
        where e.action = 'send-command' and o.code = 'DEMO-HOSPITAL'`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ own }) => own)).toBe(true);
  });

  it('the audit log records who sent which command to how many devices', async () => {
    const { rows } = await server.pool.query(
      `select username, after from audit_entry where action = 'send-command' order by seq limit 1`,
    );
    expect(rows).toEqual([
      { username: 'demo.manager', after: { kind: 'acquisition-interval', seconds: 30, devices: '40000001' } },
    ]);
  });

  it('a user of a subordinate organisation can open a command batch of the superior organisation, and sees only the devices of the own organisation', async () => {
    const platform = await server.logIn('demo.platform');
    await server.provision(platform, [fridge('40000009', { organizationCode: 'COMMAND-ELSEWHERE' })]);
    const numbers = ['40000001', '40000002', '40000009'];
    const { batch } = expectDone(await give(numbers, { kind: 'reboot' }, {}, platform));
    expect(batch.states).toMatchObject({ reserved: 3 });
    const elsewhere = await server.logIn('command.elsewhere');
    expect(expectDone(await batchOf(batch.id, elsewhere)).states).toMatchObject({ reserved: 1 });
    const { batch: other } = expectDone(await give(['40000001'], { kind: 'reboot' }, {}, platform));
    expect(await batchOf(other.id, elsewhere)).toMatchObject({ httpStatus: 404 });
    await server.pool.query(`delete from device_command where batch_id = any($1)`, [[batch.id, other.id]]);
  });
});
