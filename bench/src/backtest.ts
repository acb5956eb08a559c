import { backTestPolicy } from '@isotherm/contracts/back-test';
import type { ProvisionItem } from '@isotherm/contracts/devices';
import type { BodyOf } from '@isotherm/contracts/route';
import { deviceKey } from '@isotherm/simulator/fleet/provision';
import { provisionLoad } from '@isotherm/simulator/load/load';
import { DAY_MS, fillDay, seal, today } from './history.ts';
import { describeMachine, percentile, perform, type Stage } from './stage.ts';
import { timed } from './timed.ts';

const CHANNELS = 20;
const DAYS = 90;
const CALLS = 40;
const MINUTE = 60_000;
/** An excursion occurs on one of this number of days, in each channel. */
const EXCURSION_EACH = 6;

const items: ProvisionItem[] = Array.from({ length: CHANNELS }, (_, i) => {
  const number = String(73_000_000 + i);
  return {
    asset: { code: `BACK-${number}`, name: `Back ${number}`, kind: 'refrigerator' },
    device: { number, name: `Logger ${number}`, key: deviceKey('measured in the open', number) },
    sensors: [
      {
        index: 1,
        serial: `${number}-1`,
        name: 'Air',
        channels: [
          {
            indicator: 'temperature',
            name: 'Air',
            rules: [
              { kind: 'high', level: 3, limit: 8, triggerAfterMs: 20 * MINUTE },
              { kind: 'low', level: 3, limit: 2, triggerAfterMs: 20 * MINUTE },
            ],
          },
        ],
      },
    ],
  };
});

/** A draft with as many levels as possible. The limit differs in each call, as if a user moved a slider. */
const draft = (round: number): BodyOf<typeof backTestPolicy>['definition'] => ({
  conditions: [
    { quantity: 'temperature', low: 2, high: 7 + (round % 20) / 10, recoveryMargin: 0.5, recoverAfterMs: 0 },
  ],
  steps: ([1, 2, 3, 4, 5] as const).map((level) => ({
    level,
    triggerAfterMs: (level - 1) * 10 * MINUTE,
    limits: [],
  })),
  limitIsOutside: false,
});

async function main({ client, pool }: Stage): Promise<Record<string, number>> {
  console.log(await describeMachine(pool));
  await provisionLoad(client, items, 100);
  const { rows } = await pool.query<{ id: number }>(
    `select c.id from channel c join device d on d.id = c.device_id where d.number like '73%' order by c.id`,
  );
  const channelIds = rows.map(({ id }) => id);
  for (let day = today - DAYS; day <= today; day++) {
    await fillDay(pool, day, channelIds);
    // Excursions last 10 to 60 minutes; one in three of them spans midnight.
    await pool.query(
      `update reading r set value = r.value + 5
         from unnest($1::int4[]) with ordinality as c(id, nth)
        where r.channel_id = c.id and (nth + $2::int) % $3 = 0
          and r.measured_at >= $4::timestamptz + interval '1 day' - make_interval(mins => (nth % 3 * 400 + 20)::int)
          and r.measured_at < $4::timestamptz + interval '1 day' - make_interval(mins => (nth % 3 * 400 - 40 + nth % 4 * 10)::int)`,
      [channelIds, day, EXCURSION_EACH, new Date(day * DAY_MS)],
    );
  }
  await pool.query('delete from reading where measured_at > now()');
  const sealed = await seal(pool);
  await pool.query('analyze');
  console.log(`  ${sealed} readings of ${CHANNELS} channels sealed, today's hot`);

  const measure = async (idsOf: (round: number) => number[]) => {
    const times: number[] = [];
    let alarms = 0;
    for (let round = -5; round < CALLS; round++) {
      const body = { definition: draft(round + 5), channelIds: idsOf(round + 5), days: DAYS };
      let found = 0;
      const ms = await timed(async () => {
        found = (await client.call(backTestPolicy, { body })).draft.total;
      });
      if (round < 0) continue;
      alarms += found;
      times.push(ms);
    }
    times.sort((a, b) => a - b);
    return { times, alarms: alarms / CALLS };
  };
  const one = await measure((round) => [channelIds[round % CHANNELS] as number]);
  row('one channel', one);
  const all = await measure(() => channelIds);
  row(`${CHANNELS} channels`, all);
  if (one.alarms < 5 || all.alarms < 5 * CHANNELS) throw new Error('the excursions are missing');
  return {
    backtest_one_ms: rounded(percentile(one.times, 0.95)),
    backtest_20_ms: rounded(percentile(all.times, 0.95)),
  };
}

const rounded = (value: number) => Math.round(value * 10) / 10;

function row(name: string, { times, alarms }: { times: readonly number[]; alarms: number }): void {
  const part = (share: number) => percentile(times, share).toFixed(1);
  console.log(
    `  ${name.padEnd(12)} p50 ${part(0.5)} ms, p95 ${part(0.95)} ms, most ${part(1)} ms; ${alarms.toFixed(1)} alarms`,
  );
}

await perform(main);
