import type { Alarm } from '@isotherm/contracts/alarms';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { expectDone } from '../../testing/people.ts';
import { shippedWaybill } from '../../testing/shipped-waybill.ts';
import { type Session, startTestServer, type TestServer } from '../../testing/test-server.ts';

const HOUR = 3_600_000;
let server: TestServer;
let manager: Session;

beforeAll(async () => {
  server = await startTestServer();
  manager = await server.logIn('demo.manager');
});
afterAll(() => server.stop());

it('an alarm names the shipment that its asset carried, with the leg', async () => {
  const { rows } = await server.pool.query<{ id: number }>(
    `select id::int from organization where code = 'DEMO-HOSPITAL'`,
  );
  const organizationId = rows[0]?.id as number;
  const trip = await shippedWaybill(server, manager, { number: '7800001', organizationId, hours: 4 });
  const { rows: alarms } = await server.pool.query<{ id: number }>(
    `select id::float8 as id from alarm where asset_id = $1 and kind = 'high' order by id`,
    [trip.assets[0]],
  );
  const [first] = alarms;
  const alarm = expectDone(await server.call<Alarm>({ path: `/api/alarm/${first?.id}`, session: manager }));
  expect(alarm.trips).toEqual([{ waybillId: trip.id, number: trip.number, stage: 'in-transit', leg: 1 }]);
  const facts = async () =>
    (await server.pool.query<{ trips: unknown }>(`select alarm_facts($1) -> 'trips' as trips`, [first?.id]))
      .rows[0]?.trips;
  expect(await facts()).toEqual(alarm.trips);

  const at = async (asset: number, moment: number) =>
    (
      await server.pool.query<{ trips: { stage: string; leg: number }[] | null }>(
        'select alarm_trips($1, $2) as trips',
        [asset, new Date(moment)],
      )
    ).rows[0]?.trips?.map(({ stage, leg }) => `${stage} ${leg}`) ?? [];
  const [one, two] = trip.assets;
  expect(await at(one, trip.from - 3 * HOUR)).toEqual([]);
  expect(await at(one, trip.from - HOUR)).toEqual(['origin 1']);
  expect(await at(one, trip.from)).toEqual(['in-transit 1']);
  // The goods left the first asset for another one, so that it was not at their destination.
  expect(await at(one, trip.transshippedAt)).toEqual([]);
  expect(await at(two, trip.transshippedAt - 1)).toEqual([]);
  expect(await at(two, trip.transshippedAt)).toEqual(['in-transit 2']);
  expect(await at(two, trip.to)).toEqual(['destination 2']);
  expect(await at(two, trip.to + 3 * HOUR)).toEqual([]);
});
