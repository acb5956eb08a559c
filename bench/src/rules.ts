import { parseArgs } from 'node:util';
import { assignPolicy, createPolicy, editPolicy, type PolicyInput } from '@isotherm/contracts/alarm-policies';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { type BenchDevice, benchDevices, CHANNELS_PER_DEVICE, DEVICES_PER_CALL } from './bench-fleet.ts';
import type { MqttSender } from './mqtt-load.ts';
import { drain, openAll } from './mqtt-run.ts';
import { describeMachine, percentile, perform, type Stage, sleep } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    /** Number of channels with rules; as many others have none. */
    channels: { type: 'string', default: '50000' },
    /** Number of measured periods of each half of the fleet; 0 measures the edits only. */
    rounds: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '8' },
    entry: { type: 'string' },
    'cpu-profile': { type: 'string' },
  },
});

const PER_MESSAGE = 10;
/** Readings per second while the policy changes. */
const OFFERED_PER_SECOND = 5_000;
const OFFER_EVERY_MS = 5;
const WITHIN_LIMITS = 5;
const WARM_UP_MS = 4_000;
const EDITS = 3;

/** Three rules for each channel: above and below at level 3, and further above at level 4. */
function policy(organizationId: number, high: number): PolicyInput {
  return {
    organizationId,
    name: 'Cold stores 2 to 8 °C',
    description: '',
    enabled: true,
    definition: {
      conditions: [{ quantity: 'temperature', low: 2, high, recoveryMargin: 0.5, recoverAfterMs: 0 }],
      steps: [
        { level: 3, triggerAfterMs: 60_000, limits: [] },
        { level: 4, triggerAfterMs: 300_000, limits: [{ quantity: 'temperature', low: null, high: 12 }] },
      ],
      limitIsOutside: false,
    },
  };
}

/** The policy with one rule for each channel that compares the rate of change, which looks back 30 minutes. */
function signalPolicy(organizationId: number): PolicyInput {
  const plain = policy(organizationId, 8);
  const rate = { type: 'rate' as const, windowMs: 30 * 60_000 };
  const [condition] = plain.definition.conditions;
  if (!condition) throw new Error('the policy has no condition');
  return {
    ...plain,
    definition: {
      ...plain.definition,
      conditions: [{ ...condition, signal: rate, low: null, high: 60, recoveryMargin: 0 }],
      steps: [{ level: 3, triggerAfterMs: 60_000, limits: [] }],
    },
  };
}

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool, mqttPort } = stage;
  console.log(await describeMachine(pool));
  const each = Math.ceil(Number(options.channels) / CHANNELS_PER_DEVICE);
  const ruled = benchDevices(74_000_000, each, []);
  const bare = benchDevices(74_500_000, each, []);
  await provisionLoad(client, ruled.items, DEVICES_PER_CALL);
  await provisionLoad(
    client,
    bare.items.map((item) => ({ ...item, asset: { ...item.asset, kind: 'vehicle' as const } })),
    DEVICES_PER_CALL,
  );
  const { rows } = await pool.query<{ id: number }>(
    'select distinct organization_id::int as id from device where number = any($1)',
    [[ruled.devices[0]?.number, bare.devices[0]?.number]],
  );
  const [organization] = rows;
  if (!organization || rows.length > 1) throw new Error('the devices are not in one organisation');
  const created = await client.call(createPolicy, { body: policy(organization.id, 8) });
  const assignedAt = performance.now();
  await client.call(assignPolicy, {
    path: `/alarm/policy/${created.id}/assignment`,
    body: { kind: 'organization', id: organization.id, assetKind: 'cold-store' },
  });
  const assignS = (performance.now() - assignedAt) / 1000;
  const channels = each * CHANNELS_PER_DEVICE;
  const rules = await ruleCount(stage, ruled.devices);
  if (rules !== channels * 3 || (await ruleCount(stage, bare.devices)) !== 0)
    throw new Error(`${rules} rules for ${channels} channels`);
  await pool.query('analyze');
  console.log(
    `  ${rules} rules of a policy on ${channels} channels in ${assignS.toFixed(1)} s, none on as many others`,
  );

  // The two halves of the fleet take turns, so that other load and the growth of the tables affect both.
  const halves = {
    with: await openHalf(mqttPort, ruled.devices),
    without: await openHalf(mqttPort, bare.devices),
  };
  /** Time per reading in the half with rules, divided by that in the other half. */
  const costOf = async (what: string) => {
    if (Number(options.rounds) === 0) return Number.NaN;
    const rates: Record<'with' | 'without', number[]> = { with: [], without: [] };
    for (let round = -1; round < Number(options.rounds); round++)
      for (const half of ['without', 'with'] as const) {
        const rate = await saturate(halves[half], Number(options.seconds) * 1000);
        if (round >= 0) rates[half].push(rate);
      }
    const mean = (all: number[]) => all.reduce((sum, rate) => sum + 1 / rate, 0) / all.length;
    console.log(
      `  ${Math.round(1 / mean(rates.without))} readings/s without rules, ${Math.round(1 / mean(rates.with))} with ${what} on each channel`,
    );
    return mean(rates.with) / mean(rates.without);
  };
  let version = created.version;
  const edit = async ({ organizationId: _, ...changed }: PolicyInput) => {
    await client.call(editPolicy, {
      path: `/alarm/policy/${created.id}`,
      body: { version: version++, policy: changed },
    });
  };
  const cost = await costOf('three');
  await edit(signalPolicy(organization.id));
  const signalCost = await costOf('one about a signal');
  await edit(policy(organization.id, 8));

  const both = [...halves.with.senders, ...halves.without.senders];
  for (const half of Object.values(halves)) half.perMessage = 1;
  const stopOffering = offer(both, [...ruled.devices, ...bare.devices]);
  await sleep(WARM_UP_MS);
  const takes: number[] = [];
  const latencies: number[] = [];
  for (const half of Object.values(halves)) half.onLatency = (ms) => latencies.push(ms);
  for (let turn = 0; turn < EDITS; turn++) {
    const begin = performance.now();
    await edit(policy(organization.id, 8.5 + turn / 2));
    takes.push((performance.now() - begin) / 1000);
    await sleep(2_000);
  }
  stopOffering();
  await drain(both);
  latencies.sort((a, b) => a - b);
  takes.sort((a, b) => a - b);
  const acknowledged = halves.with.acknowledged + halves.without.acknowledged;
  const stored = await pool.query<{ count: number }>(
    'select (select count(*) from reading)::int + (select count(*) from estimated_reading)::int as count',
  );
  const missing = acknowledged - (stored.rows[0]?.count ?? 0);
  console.log(
    `  edits took ${takes.map((s) => s.toFixed(2)).join(', ')} s; acknowledged but not stored: ${missing}`,
  );
  if (missing > 0) throw new Error(`${missing} acknowledged readings are not stored`);
  const round = (value: number) => Math.round(value * 100) / 100;
  return {
    rules_cost: round(cost),
    signal_cost: round(signalCost),
    recompile_s: round(takes.at(-1) as number),
    recompile_median_s: round(takes[Math.floor(EDITS / 2)] as number),
    assign_s: round(assignS),
    ack_p99_ms: percentile(latencies, 0.99),
    ack_max_ms: Math.round(latencies.at(-1) as number),
    channels,
    rules,
  };
}

async function ruleCount({ pool }: Stage, devices: readonly BenchDevice[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `select count(*)::int as count from alarm_rule r join channel c on c.id = r.channel_id
       join device d on d.id = c.device_id where d.number = any($1) and r.enabled`,
    [devices.map(({ number }) => number)],
  );
  return rows[0]?.count ?? 0;
}

/** Sends single readings measured now at a constant rate, of each channel of each device in turn. */
function offer(senders: readonly MqttSender[], devices: readonly BenchDevice[]): () => void {
  let turn = 0;
  const startedAt = performance.now();
  const timer = setInterval(() => {
    for (const owed = ((performance.now() - startedAt) * OFFERED_PER_SECOND) / 1000; turn < owed; turn++) {
      const device = turn % senders.length;
      const channels = devices[device]?.channels ?? [];
      const channel = channels[Math.floor(turn / senders.length) % channels.length];
      if (channel) senders[device]?.sendReading(channel, WITHIN_LIMITS);
    }
  }, OFFER_EVERY_MS);
  return () => clearInterval(timer);
}

/** Half of the fleet: its connections, and the number of acknowledged readings. */
interface Half {
  senders: MqttSender[];
  acknowledged: number;
  /** Number of readings in each message. */
  perMessage: number;
  /** If true, each device sends the next message as soon as one is acknowledged. */
  isSaturated: boolean;
  onLatency: (ms: number) => void;
}

async function openHalf(port: number, devices: readonly BenchDevice[]): Promise<Half> {
  const half: Half = {
    senders: [],
    acknowledged: 0,
    perMessage: PER_MESSAGE,
    isSaturated: false,
    onLatency: () => undefined,
  };
  half.senders = await openAll(
    port,
    devices,
    // After the rules came into force, because older readings are evaluated by the rules of their time.
    Date.now(),
    ({ sender, tookMs }) => {
      half.acknowledged += half.perMessage;
      half.onLatency(tookMs);
      if (half.isSaturated) sender.send(1);
    },
    PER_MESSAGE,
  );
  return half;
}

/** Sends as many readings as the server acknowledges; returns the readings per second after the warm-up. */
async function saturate(half: Half, measureMs: number): Promise<number> {
  half.isSaturated = true;
  for (const sender of half.senders) sender.send(1);
  await sleep(WARM_UP_MS);
  const before = half.acknowledged;
  const begin = performance.now();
  await sleep(measureMs);
  const rate = ((half.acknowledged - before) * 1000) / (performance.now() - begin);
  half.isSaturated = false;
  while (half.senders.some(({ outstanding }) => outstanding > 0)) await sleep(20);
  return rate;
}

await perform(main, {
  ...(options.entry ? { entry: options.entry } : {}),
  ...(options['cpu-profile'] ? { cpuProfile: options['cpu-profile'] } : {}),
});
