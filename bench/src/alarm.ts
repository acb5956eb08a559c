import { parseArgs } from 'node:util';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { openAlarmSamples } from './alarm-samples.ts';
import { benchDevices, DEVICES_PER_CALL, INSIDE } from './bench-fleet.ts';
import { caughtUp, drain, openAll, pace } from './mqtt-run.ts';
import { describeMachine, percentile, perform, residentMb, type Stage, sleep } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    samples: { type: 'string', default: '400' },
    'warm-up': { type: 'string', default: '5' },
    /**
     * Number of readings per message of the background load; a logger with several probes sends them
     * together.
     */
    'readings-per-message': { type: 'string', default: '10' },
    entry: { type: 'string' },
    'cpu-profile': { type: 'string' },
  },
});

/** Readings per second over MQTT. */
const BACKGROUND_PER_SECOND = 20_000;
const BACKGROUND_DEVICES = 200;
const ALARM_EVERY_MS = 50;

async function main(stage: Stage): Promise<Record<string, number>> {
  const { client, pool, serverPid } = stage;
  const samples = Number(options.samples);
  const perMessage = Number(options['readings-per-message']);
  console.log(await describeMachine(pool));
  const background = benchDevices(72_000_000, BACKGROUND_DEVICES, INSIDE);
  await provisionLoad(client, background.items, DEVICES_PER_CALL);
  const alarms = await openAlarmSamples(stage, 73_000_000, samples);
  const { latenciesMs } = alarms;

  let acknowledged = 0;
  const senders = await openAll(
    stage.mqttPort,
    background.devices,
    Date.now() - 20 * 60_000,
    () => {
      acknowledged += perMessage;
    },
    perMessage,
  );
  const stopPacing = pace(senders, BACKGROUND_PER_SECOND / perMessage);
  await sleep(Number(options['warm-up']) * 1000);
  await caughtUp(senders, BACKGROUND_PER_SECOND / perMessage);

  const before = acknowledged;
  const begin = performance.now();
  for (let i = 0; i < samples; i++) {
    alarms.raise(i);
    await sleep(begin + (i + 1) * ALARM_EVERY_MS - performance.now());
  }
  const readingsPerSecond = Math.round(((acknowledged - before) * 1000) / (performance.now() - begin));
  const residentMbNow = residentMb(serverPid);
  const missing = await alarms.finish();
  stopPacing();
  await drain(senders);

  latenciesMs.sort((a, b) => a - b);
  const result = {
    alarm_p50_ms: percentile(latenciesMs, 0.5),
    alarm_p99_ms: percentile(latenciesMs, 0.99),
    readings_per_s: readingsPerSecond,
    readings_per_message: perMessage,
    server_rss_mb: residentMbNow,
  };
  console.log(
    `  ${latenciesMs.length} of ${samples} alarms seen on the socket at ${readingsPerSecond} readings/s`,
  );
  console.log(
    `  from the device's write to the event: p50 ${result.alarm_p50_ms} ms, p99 ${result.alarm_p99_ms} ms`,
  );
  console.log(`  server memory ${residentMbNow} MB`);
  if (missing > 0) throw new Error(`${missing} alarms never came`);
  return result;
}

await perform(main, {
  ...(options.entry ? { entry: options.entry } : {}),
  ...(options['cpu-profile'] ? { cpuProfile: options['cpu-profile'] } : {}),
});
