import { DAY_MS, historyDatabase, seal, today } from './history.ts';

const VEHICLES = 100;

/** Size of the table of sealed positions with its key, a position. */
export interface SealedBytes {
  eachMinute: number;
  each10Seconds: number;
}

/** Seals a day of positions of vehicles that drive and stand, in two intervals. */
export async function sealedPositionBytes(): Promise<SealedBytes> {
  const { pool, stop } = await historyDatabase();
  try {
    const measured = async (stepMs: number): Promise<number> => {
      await pool.query('truncate sealed_track');
      for (let vehicle = 1; vehicle <= VEHICLES; vehicle++) {
        const rows = driveOf(vehicle, stepMs);
        await pool.query(
          `insert into position (device_id, measured_at, latitude, longitude, speed_kmh, heading_deg)
           select $1, to_timestamp(at / 1000), latitude, longitude, speed, heading
             from unnest($2::float8[], $3::float8[], $4::float8[], $5::real[], $6::int[]) as p(at, latitude, longitude, speed, heading)`,
          [vehicle, rows.at, rows.latitude, rows.longitude, rows.speed, rows.heading],
        );
      }
      await seal(pool);
      await pool.query('vacuum full sealed_track');
      const { rows } = await pool.query<{ bytes: number }>(
        `select pg_total_relation_size('sealed_track') / sum(count)::float8 as bytes from sealed_track`,
      );
      return Math.round((rows[0]?.bytes ?? Number.NaN) * 100) / 100;
    };
    return { eachMinute: await measured(60_000), each10Seconds: await measured(10_000) };
  } finally {
    await stop();
  }
}

/** A day of a delivery vehicle: it drives on winding roads for 7 to 18 hours, with the noise of a receiver. */
function driveOf(vehicle: number, stepMs: number) {
  const rows = {
    at: [] as number[],
    latitude: [] as number[],
    longitude: [] as number[],
    speed: [] as number[],
    heading: [] as number[],
  };
  let seed = vehicle * 7_919;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647 - 0.5;
  };
  let [latitude, longitude, heading] = [30 + vehicle / 50, 120 + vehicle / 40, vehicle % 360];
  const share = 0.3 + (vehicle % 10) * 0.05;
  const from = (today - 3) * DAY_MS;
  for (let at = 0; at < DAY_MS; at += stepMs) {
    const stands = at % (2 * 3_600_000) > share * 2 * 3_600_000;
    const kmh = stands ? 0 : Math.max(0, 60 + 25 * Math.sin(at / 400_000) + random() * 14);
    heading = (heading + (stands ? 0 : random() * 40) + 360) % 360;
    const metres = (kmh / 3_600) * stepMs;
    latitude += (metres * Math.cos((heading * Math.PI) / 180) + random() * 5) / 111_195;
    longitude += (metres * Math.sin((heading * Math.PI) / 180) + random() * 5) / 96_000;
    rows.at.push(from + at);
    rows.latitude.push(Math.round(latitude * 100_000) / 100_000);
    rows.longitude.push(Math.round(longitude * 100_000) / 100_000);
    rows.speed.push(Math.round(kmh * 10) / 10);
    rows.heading.push(Math.floor(heading));
  }
  return rows;
}
