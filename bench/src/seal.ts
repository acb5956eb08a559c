import { parseArgs } from 'node:util';
import { fillDay, historyDatabase, seal, sealedBytes, today } from './history.ts';
import { describeMachine } from './stage.ts';

const { values: options } = parseArgs({
  options: {
    channels: { type: 'string', default: '1000' },
    /** Number of measured days, after one that is not measured. */
    days: { type: 'string', default: '4' },
  },
});
const channelIds = Array.from({ length: Number(options.channels) }, (_, i) => i + 1);
const days = Number(options.days);

const { pool, stop } = await historyDatabase();
try {
  console.log(await describeMachine(pool));
  const rates: number[] = [];
  let sealed = 0;
  for (let day = 0; day <= days; day++) {
    await fillDay(pool, today - 2 - days + day, channelIds);
    await pool.query('checkpoint');
    const begin = performance.now();
    const readings = await seal(pool);
    const seconds = (performance.now() - begin) / 1000;
    sealed += readings;
    if (day > 0) rates.push(readings / seconds);
    console.log(`  ${readings} readings of ${channelIds.length} channels sealed in ${seconds.toFixed(2)} s`);
  }
  const { rows } = await pool.query('select sum(count)::int as count from sealed_day');
  if (rows[0].count !== sealed)
    throw new Error(`${sealed} readings were sealed, ${rows[0].count} stand there`);
  const result = {
    bytes_per_sealed_reading: Math.round(((await sealedBytes(pool)) / sealed) * 100) / 100,
    seal_readings_per_s: Math.round(rates.sort((a, b) => a - b)[rates.length >> 1] as number),
  };
  await stop();
  console.log(JSON.stringify(result));
} catch (error) {
  console.error(error);
  process.exitCode = 1;
  await stop();
}
