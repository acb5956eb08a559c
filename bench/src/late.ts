import { parseArgs } from 'node:util';
import { type AlarmBench, startAlarmBench } from '@isotherm/server/testing/alarm-bench';
import { DAY_MS, historyDatabase } from './history.ts';
import { silenceScanMs } from './silence.ts';
import { describeMachine } from './stage.ts';
import { timed } from './timed.ts';

const { values: options } = parseArgs({
  options: {
    channels: { type: 'string', default: '2000' },
    /** Number of measured batches of each kind. */
    batches: { type: 'string', default: '20' },
    /** Number of days for which the channel of the checkpoints has been outside its limits. */
    days: { type: 'string', default: '365' },
    silence: { type: 'string', default: '50000' },
  },
});
const MINUTE = 60_000;
const channels = Number(options.channels);
const batches = Number(options.batches);
/** Number of readings of each channel in a batch. */
const EACH = 4;

/** Limits as for a refrigerator: high above 8 °C after 10 minutes, low below 2 °C. */
const RULES = (['high', 'low'] as const).map((kind) => ({
  rule: {
    id: 0,
    kind,
    signal: null,
    level: 3 as const,
    limit: kind === 'high' ? 8 : 2,
    recoveryMargin: 0.5,
    triggerAfterMs: 10 * MINUTE,
    recoverAfterMs: 0,
    gapAllowanceMs: 5 * MINUTE,
    limitIsOutside: false,
  },
  from: Number.NEGATIVE_INFINITY,
  until: Number.POSITIVE_INFINITY,
  endReason: 'rule-edited' as const,
}));

const valueAt = (minute: number) => Math.round((5 + 1.5 * Math.sin(minute / 7)) * 10) / 10;

/** Measures the readings per second of live batches, and of batches with one late reading per channel. */
async function measureRates(bench: AlarmBench): Promise<{ live: number; late: number }> {
  const ids: number[] = [];
  for (let i = 0; i < channels; i++) ids.push((await bench.channel({ versions: RULES })).channelId);
  const start = Math.floor(Date.now() / MINUTE) * MINUTE - DAY_MS / 4;
  let minute = 0;
  const reading = (at: number) => ({ at: start + at * MINUTE, value: valueAt(at) });
  const times: Record<'live' | 'late', number[]> = { live: [], late: [] };
  // The two kinds of batches alternate, so that other load affects both; the first two batches are the
  // warm-up.
  for (let batch = 0; batch < batches + 2; batch++) {
    const fresh = Array.from({ length: EACH }, () => reading(minute++));
    const live = await timed(() => bench.sendAll(ids, fresh));
    // The reading of one minute is held back and sent after the following readings.
    const heldBack = reading(minute++);
    await bench.sendAll(ids, [reading(minute++), reading(minute++)]);
    const mixed = [heldBack, ...Array.from({ length: EACH - 1 }, () => reading(minute++))];
    const late = await timed(() => bench.sendAll(ids, mixed));
    if (batch < 2) continue;
    times.live.push(live);
    times.late.push(late);
  }
  const rateOf = (all: number[]) => (1_000 * EACH * channels * all.length) / all.reduce((a, b) => a + b, 0);
  return { live: rateOf(times.live), late: rateOf(times.late) };
}

/**
 * Measures the 95th percentile in ms of one late reading of a channel that has been outside its limits for a
 * year.
 */
async function measureCheckpoints(bench: AlarmBench): Promise<number> {
  const { channelId } = await bench.channel({ versions: RULES });
  const days = Number(options.days);
  const start = (Math.floor(Date.now() / DAY_MS) - days) * DAY_MS;
  for (let day = 0; day < days; day++)
    await bench.send(
      channelId,
      // Every fifth minute is omitted here and sent later as a late reading.
      Array.from({ length: 1_440 }, (_, minute) => minute)
        .filter((minute) => minute % 5 !== 2)
        .map((minute) => ({
          at: start + day * DAY_MS + minute * MINUTE,
          value: Math.round((11 + Math.sin(minute / 9)) * 10) / 10,
        })),
    );
  await bench.seal();
  const times: number[] = [];
  for (let i = 0; i < 100; i++) {
    // The late readings are spread over the year, inside and outside the peak.
    const day = (i * 37) % days;
    const at = start + day * DAY_MS + ((i * 131) % 288) * 5 * MINUTE + 2 * MINUTE;
    times.push(await timed(() => bench.send(channelId, [{ at, value: i % 10 === 0 ? 12.5 + i / 100 : 11 }])));
  }
  return times.sort((a, b) => a - b)[94] as number;
}

const { pool, stop } = await historyDatabase();
try {
  console.log(await describeMachine(pool));
  const bench = await startAlarmBench({
    connectionString: pool.options.connectionString as string,
    drop: async () => undefined,
  });
  const { live, late } = await measureRates(bench);
  console.log(`  live ${Math.round(live)}, with late readings ${Math.round(late)} readings/s`);
  const checkpoint = await measureCheckpoints(bench);
  await bench.stop();
  const silence = await silenceScanMs(Number(options.silence));
  const rounded = (value: number) => Math.round(value * 100) / 100;
  await stop();
  console.log(
    JSON.stringify({
      late_ratio: rounded(late / live),
      late_readings_per_s: Math.round(late),
      live_readings_per_s: Math.round(live),
      checkpoint_p95_ms: rounded(checkpoint),
      silence_scan_ms: silence,
    }),
  );
} catch (error) {
  console.error(error);
  process.exitCode = 1;
  await stop();
}
