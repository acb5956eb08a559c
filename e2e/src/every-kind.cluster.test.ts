import { provisionDevices } from '@isotherm/contracts/devices';
import { INGEST_PATH } from '@isotherm/contracts/ingest';
import { logIn } from '@isotherm/simulator/client/api-client';
import { type Cluster, type ClusterProcess, startCluster } from '@isotherm/testkit/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  impliedEpisodes,
  type KindsDevice,
  type KindsRules,
  kindsSensors,
  randomDevices,
  storedEpisodes,
  storeRules,
} from './every-kind.ts';
import { deviceAuthorization, loadedItem } from './loaded-device.ts';
import { queryDatabase } from './stored.ts';

/** Alarms of every kind while processes are killed with SIGKILL, against the reference evaluator. */
const SEED = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const DEVICES = 5;
const MOMENTS = 500;
const START_MS_AGO = 60 * 3_600_000;
const ROUNDS = 6;
const RESENT = 0.2;
const RETRY_MS = 50;
const ANSWER_WITHIN_MS = 20_000;
/** Time without data after which a device or a channel is silent. */
const SILENT_AFTER_MS = 20_000;
const SILENCE_WITHIN_MS = 60_000;

const numbers = Array.from({ length: DEVICES }, (_, index) => String(56_000_001 + index));
const LIVE = { goesOn: '57000001', stops: '57000002', losesChannel: '57000003' } as const;

let cluster: Cluster;
let processes: ClusterProcess[];
let devices: KindsDevice[];
let rules: Map<string, KindsRules[]>;

beforeAll(async () => {
  cluster = await startCluster({ ISOTHERM_SEAL_AFTER_HOURS: '10000' });
  processes = await cluster.start(['web,ingest', 'ingest,worker', 'web,ingest,worker']);
  const { username, password } = cluster.accounts[0] as Cluster['accounts'][number];
  const manager = await logIn((processes[0] as ClusterProcess).url, username, password);
  const silence = { kind: 'no-data' as const, level: 2, triggerAfterMs: SILENT_AFTER_MS };
  await manager.call(provisionDevices, {
    body: {
      items: [
        ...numbers.map((number) => ({ ...loadedItem(number), sensors: kindsSensors(number) })),
        ...Object.values(LIVE).map((number) => {
          const item = loadedItem(number);
          return {
            ...item,
            device: { ...item.device, acquisitionIntervalMs: 1_000 },
            sensors: [1, 2].map((index) => ({
              index,
              serial: `${number}-${index}`,
              name: `Sensor ${index}`,
              channels: [{ indicator: 'temperature' as const, name: 'Air', rules: [silence] }],
            })),
          };
        }),
      ],
    },
  });
  devices = randomDevices(SEED, numbers, Date.now() - START_MS_AGO, MOMENTS);
  rules = new Map();
  for (const device of devices) rules.set(device.number, await storeRules(cluster.databaseUrl, device));
});
afterAll(() => cluster?.stop());

interface Reading {
  channel: string;
  at: number;
  value: number;
}

/** Number of messages that were acknowledged. */
let acknowledged = 0;

/** Sends a message to a random process, and to another one again until one has acknowledged it. */
async function deliver(number: string, readings: readonly Reading[]): Promise<void> {
  for (;;) {
    const { url } = processes[Math.floor(Math.random() * processes.length)] as ClusterProcess;
    try {
      const answer = await fetch(url + INGEST_PATH, {
        method: 'POST',
        headers: { authorization: deviceAuthorization(number), 'content-type': 'application/json' },
        body: JSON.stringify({ readings }),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      await answer.arrayBuffer();
      if (answer.ok) {
        acknowledged++;
        return;
      }
    } catch {
      // The process was killed.
    }
    await new Promise((wake) => setTimeout(wake, RETRY_MS));
  }
}

/** Messages of a device in a random order: some channels of some moments each, and some messages twice. */
function messagesOf(device: KindsDevice): Reading[][] {
  const messages: Reading[][] = [];
  for (let from = 0; from < device.moments.length; ) {
    const until = from + 1 + Math.floor(Math.random() * 25);
    const names = [...device.readings.keys()].sort(() => Math.random() - 0.5);
    const split = Math.floor(Math.random() * names.length);
    for (const some of [names.slice(0, split), names.slice(split)]) {
      const readings = some.flatMap((channel) =>
        (device.readings.get(channel) ?? []).slice(from, until).map((reading) => ({ channel, ...reading })),
      );
      if (readings.length > 0) messages.push(readings, ...(Math.random() < RESENT ? [readings] : []));
    }
    from = until;
  }
  return messages
    .map((message) => ({ message, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ message }) => message);
}

interface LiveDevice {
  /** Channels that report. */
  channels: Set<string>;
  stop(): Promise<void>;
}

/** Sends a reading of each reporting channel every second. */
function startLive(number: string): LiveDevice {
  const channels = new Set(['temperature-1', 'temperature-2']);
  const stopped = new AbortController();
  const running = (async () => {
    while (!stopped.signal.aborted) {
      const at = Date.now();
      const readings = [...channels].map((channel) => ({ channel, at, value: 5 }));
      if (readings.length > 0) await deliver(number, readings);
      await new Promise((wake) => setTimeout(wake, Math.max(0, at + 1_000 - Date.now())));
    }
  })();
  return {
    channels,
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

const silences = () =>
  queryDatabase<{ number: string; subject: string; reason: string | null; early: boolean }>(
    cluster.databaseUrl,
    `select d.number, a.subject, a.end_reason as reason, a.raised_at - a.since < make_interval(secs => $2 / 1000.0) as early
       from alarm a join channel c on c.id = a.channel_id join device d on d.id = c.device_id
      where a.kind = 'no-data' and d.number = any($1) order by d.number, a.raised_at`,
    [Object.values(LIVE), SILENT_AFTER_MS],
  );

test('each kill during the arrival of readings leaves the alarms of the reference implementation, and silence is found once', {
  timeout: 400_000,
}, async () => {
  const live = Object.fromEntries(
    Object.entries(LIVE).map(([name, number]) => [name, startLive(number)]),
  ) as unknown as Record<keyof typeof LIVE, LiveDevice>;
  const outgoing = devices.map((device) => ({ number: device.number, messages: messagesOf(device) }));
  for (let round = 0; round < ROUNDS; round++) {
    if (round === 1) {
      live.stops.channels.clear();
      live.losesChannel.channels.delete('temperature-2');
    }
    const victim = processes[round % processes.length] as ClusterProcess;
    const sending = outgoing.map(async ({ number, messages }) => {
      const share = Math.ceil(messages.length / ROUNDS);
      for (const message of messages.slice(round * share, (round + 1) * share))
        await deliver(number, message);
    });
    const before = acknowledged;
    await expect.poll(() => acknowledged - before, { interval: 5 }).toBeGreaterThan(DEVICES);
    await victim.kill();
    await victim.start();
    await Promise.all(sending);
  }
  const found = [
    { number: LIVE.stops, subject: 'device', reason: null, early: false },
    { number: LIVE.losesChannel, subject: 'channel', reason: null, early: false },
  ];
  await expect.poll(silences, { timeout: SILENCE_WITHIN_MS }).toEqual(found);
  for (const each of ['temperature-1', 'temperature-2']) live.stops.channels.add(each);
  live.losesChannel.channels.add('temperature-2');
  await (processes[1] as ClusterProcess).kill();
  await expect
    .poll(silences, { timeout: SILENCE_WITHIN_MS })
    .toEqual(found.map((each) => ({ ...each, reason: 'data-returned' })));
  await (processes[1] as ClusterProcess).start();
  await Promise.all(Object.values(live).map((device) => device.stop()));

  const kinds = new Set<string>();
  for (const device of devices)
    for (const channel of rules.get(device.number) ?? []) {
      const implied = impliedEpisodes(device, channel);
      expect(
        await storedEpisodes(cluster.databaseUrl, channel.channelId),
        `${channel.name} of ${device.number} with SEED=${SEED}`,
      ).toEqual(implied);
      for (const { kind } of implied) kinds.add(`${channel.name} ${kind}`);
    }
  // Enough of them were really raised, so that the comparison means something.
  expect(kinds.size, `SEED=${SEED}`).toBeGreaterThan(15);
});
