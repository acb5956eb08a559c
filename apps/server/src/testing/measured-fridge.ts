import { fridge, type Session, TEST_KEY, type TestServer } from './test-server.ts';

export interface MeasuredFridge {
  assetId: number;
  organizationId: number;
  /** Channels of the two temperatures, in the order of their sensors. */
  channels: number[];
  sensorIds: number[];
}

/** Creates a refrigerator with two temperatures and an hour of readings, one per minute. */
export async function measuredFridge(
  server: TestServer,
  session: Session,
  number: string,
  from: number,
  measured: readonly [(minute: number) => number, (minute: number) => number],
): Promise<MeasuredFridge> {
  const item = fridge(number);
  const [first] = item.sensors as [(typeof item.sensors)[number]];
  const second = { ...first, index: 2, serial: `${number}-2`, name: 'Bottom shelf' };
  await server.provision(session, [{ ...item, sensors: [first, second] }]);
  const { rows } = await server.pool.query<
    Record<'id' | 'asset_id' | 'organization_id' | 'sensor_id', number>
  >(
    `select c.id, c.asset_id, d.organization_id, c.sensor_id from channel c join device d on d.id = c.device_id
      where d.number = $1 and c.indicator = 'temperature' order by c.id`,
    [number],
  );
  await server.ingest(number, TEST_KEY, {
    readings: Array.from({ length: 60 }, (_, minute) => {
      const at = new Date(from + minute * 60_000).toISOString();
      return measured.map((value, index) => ({
        channel: `temperature-${index + 1}`,
        at,
        value: value(minute),
      }));
    }).flat(),
  });
  return {
    assetId: rows[0]?.asset_id as number,
    organizationId: rows[0]?.organization_id as number,
    channels: rows.map((row) => row.id),
    sensorIds: rows.map((row) => row.sensor_id),
  };
}
