import { measureSilenceScan } from '@isotherm/server/testing/silence-bench';
import { historyDatabase } from './history.ts';

/** Measures `silence_scan_ms`: a scan with a number of no-data rules, none of which is due. */
export async function silenceScanMs(channels: number): Promise<number> {
  const { pool, stop } = await historyDatabase();
  const connectionString = pool.options.connectionString as string;
  try {
    const median = await measureSilenceScan({ connectionString, drop: async () => undefined }, channels);
    return Math.round(median * 100) / 100;
  } finally {
    await stop();
  }
}
