import {
  ALERTOR_USERNAME,
  type Alertor,
  type AlertorMessage,
  type AlertorResult,
  alertorAcknowledgeTopic,
  alertorConfirmTopic,
  alertorResultTopic,
  alertorStateTopic,
} from '@isotherm/contracts/alertors';
import mqtt, { type MqttClient } from 'mqtt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asking, asking } from '../../../testing/asking.ts';
import {
  fridge,
  type Session,
  startTestServer,
  TEST_KEY,
  type TestServer,
} from '../../../testing/test-server.ts';

let server: TestServer;
let manager: Session;
let asked: Asking;
let organizationId: number;
let numbers = 38_000_000;
let serials = 1_000;
const clients: MqttClient[] = [];

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
  asked = asking(server, manager);
  const { rows } = await server.pool.query(
    `select organization_id::int as id from account where username = 'demo.manager'`,
  );
  organizationId = rows[0].id;
});
afterAll(async () => {
  for (const client of clients) await client.endAsync(true);
  await server.stop();
});

interface Registered {
  id: number;
  serial: string;
  key: string;
}

async function register(): Promise<Registered> {
  const serial = `AL-${++serials}`;
  const { alertor, key } = await asked.ask<{ alertor: Alertor; key: string }>({
    method: 'POST',
    path: '/api/alertor',
    json: { organizationId, name: `Siren ${serial}`, serial, kind: 'alertor', place: 'Ward 3' },
  });
  return { id: alertor.id, serial, key };
}

/** An alertor that is connected and, unless `confirms` is false, confirms what it shows. */
async function connect({ serial, key }: Registered, { confirms = true } = {}) {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${server.mqttPort}`, {
    protocolVersion: 4,
    clientId: serial,
    username: `${ALERTOR_USERNAME}${serial}`,
    password: key,
    reconnectPeriod: 0,
  });
  clients.push(client);
  const messages: (AlertorMessage & { qos: number })[] = [];
  const results: AlertorResult[] = [];
  client.on('message', (topic, payload, { qos }) => {
    const said = JSON.parse(payload.toString());
    if (topic === alertorResultTopic(serial)) return void results.push(said);
    messages.push({ ...said, qos });
    if (confirms) client.publish(alertorConfirmTopic(serial), JSON.stringify({ id: said.id }), { qos: 1 });
  });
  await client.subscribeAsync([alertorStateTopic(serial), alertorResultTopic(serial)], { qos: 1 });
  return {
    client,
    messages,
    results,
    shown: (level: number) => expect.poll(() => messages.at(-1)?.level, { timeout: 15_000 }).toBe(level),
    press: () =>
      client.publishAsync(alertorAcknowledgeTopic(serial), JSON.stringify({ id: messages.at(-1)?.id }), {
        qos: 1,
      }),
  };
}

/** Creates a device with a policy whose first level is shown by alertors. */
async function watched(alertors: readonly number[], definition: object = {}): Promise<string> {
  const number = String(++numbers);
  await server.provision(manager, [fridge(number)]);
  const { rows } = await server.pool.query(
    'select asset_id::int as asset, organization_id::int as organization from device where number = $1',
    [number],
  );
  const policy = await asked.ask<{ id: number }>({
    method: 'POST',
    path: '/api/alarm/policy',
    json: {
      organizationId: rows[0].organization,
      name: `Shown ${number}`,
      definition: {
        conditions: [{ quantity: 'temperature', low: 2, high: 8, recoveryMargin: 0, recoverAfterMs: 0 }],
        steps: [{ level: 1, triggerAfterMs: 0, channels: ['alertor'], alertors }],
        acknowledgement: { required: [], fromLevel: 1 },
        ...definition,
      },
    },
  });
  await asked.ask({
    method: 'POST',
    path: `/api/alarm/policy/${policy.id}/assignment`,
    json: { kind: 'asset', id: rows[0].asset },
  });
  await asked.ask({
    method: 'DELETE',
    path: `/api/alarm/policy/of-asset/${rows[0].asset}/own-rules`,
    json: { reason: 'The policy instead' },
  });
  return number;
}

const send = (number: string, value: number) =>
  server.ingest(number, TEST_KEY, { readings: [{ channel: 'temperature-1', at: Date.now(), value }] });

const notifications = async (number: string) =>
  (
    await server.pool.query(
      `select n.kind, n.state, n.error, n.recipient_id::float8 as to from alarm_notification n
        where n.channel = 'alertor' and n.facts ->> 'device' = $1 order by n.id`,
      [number],
    )
  ).rows;
const settled = (number: string, ...states: object[]) =>
  expect.poll(() => notifications(number), { timeout: 15_000 }).toMatchObject(states);
const alarmOf = async (number: string) =>
  (
    await server.pool.query(
      `select a.id::float8 as id, a.acknowledged_by_link as by from alarm a join channel c on c.id = a.channel_id
         join device d on d.id = c.device_id where d.number = $1`,
      [number],
    )
  ).rows[0] as { id: number; by: string };

test('an alertor shows an alarm until it ends, and confirms both', async () => {
  const siren = await register();
  const { messages, shown } = await connect(siren);
  await shown(0);
  const number = await watched([siren.id]);
  await send(number, 12);
  await shown(1);
  expect(messages.at(-1)).toMatchObject({
    light: 'steady',
    colour: 'yellow',
    sound: 'off',
    alarms: 1,
    qos: 1,
  });
  await settled(number, { kind: 'raised', state: 'sent', to: siren.id });
  expect(await asked.ask({ path: `/api/alertor/${siren.id}` })).toMatchObject({
    isOnline: true,
    level: 1,
    alarms: 1,
    isConfirmed: true,
  });
  await send(number, 5);
  await shown(0);
  await settled(number, { kind: 'raised', state: 'sent' }, { kind: 'ended', state: 'sent' });
});

test('the button acknowledges in the name of the alertor and its place, and silences it', async () => {
  const siren = await register();
  const { shown, press, results } = await connect(siren);
  const number = await watched([siren.id]);
  await send(number, 12);
  await shown(1);
  await press();
  await expect.poll(() => results, { timeout: 15_000 }).toMatchObject([{ acknowledged: 1, refused: 0 }]);
  const alarm = await alarmOf(number);
  expect(alarm.by).toBe(`Siren ${siren.serial} · Ward 3`);
  expect((await asked.audited('alarm', alarm.id)).at(-1)).toMatchObject({
    action: 'acknowledge-alarm',
    after: { byAlertor: `Siren ${siren.serial} · Ward 3` },
  });
  await shown(0);
  await press();
  await expect.poll(() => results, { timeout: 15_000 }).toMatchObject([{}, { acknowledged: 0, refused: 0 }]);
});

test('the button acknowledges nothing that needs fields, or exceeds the level of links', async () => {
  const siren = await register();
  const { shown, press, results } = await connect(siren);
  const reason = await watched([siren.id], { acknowledgement: { required: ['reason'], fromLevel: 1 } });
  const none = await watched([siren.id], { linkLevel: 0 });
  await send(reason, 12);
  await send(none, 12);
  await shown(1);
  await expect
    .poll(async () => (await asked.ask<Alertor>({ path: `/api/alertor/${siren.id}` })).alarms, {
      timeout: 15_000,
    })
    .toBe(2);
  await settled(reason, { state: 'sent' });
  await settled(none, { state: 'sent' });
  await press();
  await expect.poll(() => results, { timeout: 15_000 }).toMatchObject([{ acknowledged: 0, refused: 2 }]);
  expect((await alarmOf(reason)).by).toBe('');
});

test('what an alertor did not confirm fails, escalates at once, and is delivered when it comes online', async () => {
  const [siren, second] = [await register(), await register()];
  const backup = await connect(second);
  const number = await watched([], {
    steps: [
      {
        level: 1,
        triggerAfterMs: 0,
        channels: ['alertor'],
        alertors: [siren.id],
        escalation: { afterMs: 3_600_000, toLevel: 2 },
      },
      { level: 2, triggerAfterMs: 7_200_000, channels: ['alertor'], alertors: [second.id] },
    ],
  });
  await send(number, 12);
  await expect
    .poll(() => notifications(number), { timeout: 15_000 })
    .toMatchObject([{ state: 'sending', to: siren.id }]);
  // The time for the confirmation is over.
  await server.pool.query(
    `update alarm_notification set due_at = now() where channel = 'alertor' and state = 'sending'`,
  );
  await settled(
    number,
    { kind: 'raised', state: 'failed', error: 'alertor offline', to: siren.id },
    { kind: 'unacknowledged', state: 'sent', to: second.id },
  );
  await backup.shown(1);
  const late = await connect(siren);
  await late.shown(1);
  await settled(number, { state: 'sent', error: '', to: siren.id }, { state: 'sent' });
});

test('a message is repeated until it is confirmed, and a number that was never given confirms nothing', async () => {
  const siren = await register();
  const { client, messages } = await connect(siren, { confirms: false });
  const number = await watched([siren.id]);
  await send(number, 12);
  const repeated = () => messages.filter(({ level }) => level === 1).length;
  await expect.poll(repeated, { timeout: 20_000 }).toBeGreaterThan(1);
  const confirm = (id: number) =>
    client.publishAsync(alertorConfirmTopic(siren.serial), JSON.stringify({ id }), { qos: 1 });
  await confirm(999);
  await settled(number, { state: 'sending' });
  await confirm(messages.at(-1)?.id ?? 0);
  await settled(number, { state: 'sent' });
});

test('only the key of an alertor opens its topics, and a new key closes its connection', async () => {
  const [siren, other] = [await register(), await register()];
  await expect(connect({ ...siren, key: other.key })).rejects.toThrow();
  const { client } = await connect(siren);
  const [granted] = await client.subscribeAsync(alertorStateTopic(other.serial)).catch(() => []);
  expect(granted?.qos ?? 128).toBe(128);
  const closed = new Promise<void>((resolve) => client.once('close', () => resolve()));
  const renewed = await asked.ask<{ key: string }>({
    method: 'POST',
    path: `/api/alertor/${siren.id}/key`,
    json: { reason: 'Lost' },
  });
  await closed;
  await expect(connect(siren)).rejects.toThrow();
  const again = await connect({ ...siren, key: renewed.key });
  const gone = new Promise<void>((resolve) => again.client.once('close', () => resolve()));
  await asked.ask({ method: 'DELETE', path: `/api/alertor/${siren.id}`, json: { reason: 'Sold' } });
  await gone;
});

test('serial numbers are unique, and names within the organisation', async () => {
  const { serial } = await register();
  const json = {
    organizationId,
    name: 'Another',
    serial: serial.toLowerCase(),
    kind: 'a-series',
    place: 'Hall',
  };
  const create = (more: object) =>
    asked.refusal({ method: 'POST', path: '/api/alertor', json: { ...json, ...more } });
  expect(await create({})).toBe('alertor.serial_taken');
  expect(await create({ serial: 'ab/1' })).toBe('request.invalid');
  expect(await create({ serial: 'AL-77', name: `siren ${serial}` })).toBe('alertor.taken');
  expect(await create({ serial: 'AL-78' })).toBe('1');
});
