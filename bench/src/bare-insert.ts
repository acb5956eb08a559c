import { float4Array, int4Array, timestamptzArray } from '@isotherm/server/platform/db/binary-array';
import type pg from 'pg';

const CONNECTIONS = 2;
const BATCH = 5_000;
const CHANNELS = 10_000;
const CHANNELS_AT_ONCE = 500;
const MOMENTS = BATCH / CHANNELS_AT_ONCE;
const DAY_MS = 86_400_000;

const INSERT = `insert into bench_bare (channel_id, delay_s, measured_at, value)
  select * from unnest($1::int4[], $2::int4[], $3::timestamptz[], $4::float4[]) on conflict do nothing`;

/**
 * Measures the rows per second that the database itself can insert durably: the same table, partitions and
 * batches from two connections, and nothing else. This is the reference for the server's throughput.
 */
export async function bareInsertRate(pool: pg.Pool, warmUpMs: number, measureMs: number): Promise<number> {
  const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  await pool.query('create table bench_bare (like reading including all) partition by range (measured_at)');
  for (const day of [-1, 0, 1]) {
    const from = new Date(today + day * DAY_MS).toISOString();
    const to = new Date(today + (day + 1) * DAY_MS).toISOString();
    await pool.query(
      `create table bench_bare_${day + 1} partition of bench_bare for values from ('${from}') to ('${to}')`,
    );
  }
  const delays = int4Array(new Int32Array(BATCH));
  const values = float4Array(Float32Array.from({ length: BATCH }, (_, i) => 4 + (i % 20) / 10));
  // Rows are inserted channel by channel in order of time, as the server does; this is fastest.
  const channelSets = Array.from({ length: CHANNELS / CHANNELS_AT_ONCE }, (_, set) =>
    int4Array(
      Int32Array.from({ length: BATCH }, (_, i) => set * CHANNELS_AT_ONCE + 1 + Math.floor(i / MOMENTS)),
    ),
  );
  const times = new Float64Array(BATCH);
  const base = Date.now() - 10 * 60_000;
  let batch = 0;
  let rows = 0;
  let running = true;

  async function worker(): Promise<void> {
    const connection = await pool.connect();
    try {
      while (running) {
        const mine = batch++;
        const from = base + Math.floor(mine / channelSets.length) * MOMENTS;
        for (let i = 0; i < BATCH; i++) times[i] = from + (i % MOMENTS);
        const result = await connection.query({
          name: 'bench-bare',
          text: INSERT,
          values: [channelSets[mine % channelSets.length], delays, timestamptzArray(times), values],
        });
        rows += result.rowCount ?? 0;
      }
    } finally {
      connection.release();
    }
  }

  const workers = Array.from({ length: CONNECTIONS }, worker);
  await pause(warmUpMs);
  const rowsBefore = rows;
  const begin = performance.now();
  await pause(measureMs);
  const rate = ((rows - rowsBefore) * 1000) / (performance.now() - begin);
  running = false;
  await Promise.all(workers);
  await pool.query('drop table bench_bare');
  return rate;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
