import pg from 'pg';
import type { TimedValue } from './loaded-device.ts';

/** Queries the database directly. */
export async function queryDatabase<T>(
  databaseUrl: string,
  text: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as T[];
  } finally {
    await client.end();
  }
}

/** Returns unsealed readings of a test device, in order. */
export const storedReadings = (databaseUrl: string, number: string) =>
  queryDatabase<TimedValue>(
    databaseUrl,
    `select (extract(epoch from r.measured_at) * 1000)::float8 as at, r.value
       from reading r join channel c on c.id = r.channel_id join device d on d.id = c.device_id
      where d.number = $1 order by r.measured_at`,
    [number],
  );
