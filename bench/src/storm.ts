import { parseArgs } from 'node:util';
import { assignPolicy, createPolicy } from '@isotherm/contracts/alarm-policies';
import { createReceiver } from '@isotherm/contracts/receivers';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { benchDevices, DEVICES_PER_CALL } from './bench-fleet.ts';
import { openConsole } from './console-socket.ts';
import { drain, openAll } from './mqtt-run.ts';
import { describeMachine, perform, type Stage, sleep } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    alarms: { type: 'string', default: '10000' },
    entry: { type: 'string' },
    'cpu-profile': { type: 'string' },
  },
});

const CHANNELS_EACH = 10;
const CONSOLES = 3;
const TOO_WARM = 12.3;
const INSIDE = 5;
const GIVEN_UP_AFTER_MS = 120_000;

/**
 * A site loses its cooling: all channels exceed their limits in the same moment. Measures the seconds from the
 * first reading until all alarms are in the database, on the consoles, and in the notifications to send.
 */
async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool, mqttPort } = stage;
  console.log(await describeMachine(pool));
  const { devices, items } = benchDevices(
    76_000_000,
    Math.ceil(Number(options.alarms) / CHANNELS_EACH),
    [],
    CHANNELS_EACH,
  );
  const expected = devices.length * CHANNELS_EACH;
  await provisionLoad(client, items, DEVICES_PER_CALL);
  const { rows } = await pool.query<{ id: number }>(
    'select organization_id::int as id from device where number = $1',
    [devices[0]?.number],
  );
  const organizationId = rows[0]?.id as number;
  const receiver = await client.call(createReceiver, {
    body: { organizationId, name: 'Duty pharmacist', email: 'duty@example.com', language: 'en' },
  });
  const { id } = await client.call(createPolicy, {
    body: {
      organizationId,
      name: 'Cold stores below 8 °C',
      definition: {
        conditions: [{ quantity: 'temperature', low: null, high: 8, recoveryMargin: 0.5, recoverAfterMs: 0 }],
        steps: [{ level: 1, triggerAfterMs: 0, recipients: [receiver.id], channels: ['email'] }],
        recipientType: 'receivers',
      },
    },
  });
  await client.call(assignPolicy, {
    path: `/alarm/policy/${id}/assignment`,
    body: { kind: 'organization', id: organizationId, assetKind: 'cold-store' },
  });
  const numbers = new Set(devices.map(({ number }) => number));
  const seen: Set<number>[] = [];
  const consoles = [];
  for (let i = 0; i < CONSOLES; i++) {
    const own = new Set<number>();
    seen.push(own);
    consoles.push(
      await openConsole(stage, (message) => {
        if (message.event === '0003' && numbers.has(message.alarm.deviceNumber)) own.add(message.alarm.id);
      }),
    );
  }
  const senders = await openAll(mqttPort, devices, Date.now(), () => undefined);
  const sendAll = async (value: number) => {
    for (const [index, sender] of senders.entries())
      for (const channel of devices[index]?.channels ?? []) sender.sendReading(channel, value);
    while (senders.some(({ outstanding }) => outstanding > 0)) await sleep(5);
  };
  // A reading of each channel within its limits, so that the caches of the server are filled.
  await sendAll(INSIDE);
  await sleep(2_000);

  const begin = performance.now();
  const since = () => (performance.now() - begin) / 1000;
  const acknowledged = sendAll(TOO_WARM).then(since);
  const reached: Record<'alarms' | 'notifications' | 'consoles', number | null> = {
    alarms: null,
    notifications: null,
    consoles: null,
  };
  while (Object.values(reached).includes(null)) {
    if (since() * 1000 > GIVEN_UP_AFTER_MS) throw new Error(`incomplete: ${JSON.stringify(reached)}`);
    const [count] = (
      await pool.query<{ alarms: number; notifications: number }>(
        `select count(distinct a.id)::int as alarms, count(distinct n.alarm_id)::int as notifications
           from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
           left join alarm_notification n on n.alarm_id = a.id where d.number = any($1)`,
        [[...numbers]],
      )
    ).rows;
    if (count && count.alarms >= expected) reached.alarms ??= since();
    if (count && count.notifications >= expected) reached.notifications ??= since();
    if (seen.every((own) => own.size >= expected)) reached.consoles ??= since();
    await sleep(50);
  }
  const acknowledgedS = await acknowledged;
  for (const close of consoles) close();
  await drain(senders);
  const figure = (seconds: number | null) => Math.round((seconds ?? Number.NaN) * 100) / 100;
  return {
    storm_s: figure(Math.max(...Object.values(reached).map(Number))),
    acknowledged_s: figure(acknowledgedS),
    alarms_s: figure(reached.alarms),
    notifications_s: figure(reached.notifications),
    consoles_s: figure(reached.consoles),
    alarms: expected,
    consoles: CONSOLES,
  };
}

await perform(main, {
  ...(options.entry ? { entry: options.entry } : {}),
  ...(options['cpu-profile'] ? { cpuProfile: options['cpu-profile'] } : {}),
});
