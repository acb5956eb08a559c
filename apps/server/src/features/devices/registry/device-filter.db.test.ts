import type { DeviceRecord } from '@isotherm/contracts/device-registry';
import {
  CONNECTION_STATES,
  deviceState,
  SUPPLY_STATES,
  TERM_STATES,
  termBounds,
} from '@isotherm/domain/devices/device-state';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Asking, asking } from '../../../testing/asking.ts';
import { fridge, startTestServer, type TestServer } from '../../../testing/test-server.ts';

/**
 * The SQL filters must agree with the pure functions of the domain, so both are evaluated for the same
 * devices. Values measured after the expiry of a device are hidden (decision 33).
 */
const NOW = Date.parse('2026-05-31T12:00:00Z');
const MINUTE = 60_000;
const DAY = 86_400_000;
const COUNT = 120;

let server: TestServer;
let ask: Asking['ask'];

beforeAll(async () => {
  server = await startTestServer({ clock: { now: () => NOW } });
  const manager = await server.logIn('demo.manager');
  ask = asking(server, manager).ask;
  const numbers = Array.from({ length: COUNT }, (_, i) => String(47_000_000 + i));
  await server.provision(
    manager,
    numbers.map((number) => {
      const item = fridge(number);
      const [sensor] = item.sensors;
      sensor?.channels.push({ indicator: 'power', name: 'Mains' });
      return item;
    }),
  );
  // Times at the boundaries and between them.
  const edges = [0, 1, -1];
  const term = fc.oneof(
    fc.constant(null),
    fc.constantFrom(...edges.map((off) => NOW + off)),
    fc.constantFrom(...edges.map((off) => Date.parse('2026-02-28T12:00:00Z') + off)),
    fc.constantFrom(...edges.map((off) => Date.parse('2026-08-31T12:00:00Z') + off)),
    fc.integer({ min: -200, max: 200 }).map((days) => NOW + days * DAY),
  );
  const facts = fc.record({
    expiresAt: term,
    offlineAfterMinutes: fc.integer({ min: 10, max: 60 }),
    silentMs: fc.oneof(
      fc.constant(null),
      fc.constantFrom(...edges),
      fc.integer({ min: -1, max: 90 * MINUTE }),
    ),
    power: fc.constantFrom(null, 0, 1),
    powerAt: fc.oneof(
      fc.constantFrom(...edges),
      fc.integer({ min: -300, max: 0 }).map((days) => days * DAY),
    ),
    bound: fc.boolean(),
  });
  const devices = fc.sample(facts, { numRuns: COUNT, seed: 4 });
  await server.pool.query(
    `update device d set expires_at = to_timestamp(f.expires / 1000.0), offline_after_minutes = f.minutes,
            asset_id = case when f.bound then asset_id end
       from jsonb_to_recordset($1::jsonb) as f(number text, expires float8, minutes integer, bound boolean)
      where d.number = f.number`,
    [
      JSON.stringify(
        devices.map((each, i) => ({
          number: numbers[i],
          expires: each.expiresAt,
          minutes: each.offlineAfterMinutes,
          bound: each.bound,
        })),
      ),
    ],
  );
  for (const [i, { silentMs, offlineAfterMinutes, power, powerAt, expiresAt }] of devices.entries()) {
    const number = numbers[i];
    if (silentMs !== null) {
      // Times around the moment at which the device becomes offline.
      const at = edges.includes(silentMs) ? NOW - offlineAfterMinutes * MINUTE + silentMs : NOW - silentMs;
      await server.pool.query(`insert into device_presence select id, $2 from device where number = $1`, [
        number,
        new Date(at),
      ]);
    }
    if (power !== null)
      await server.pool.query(
        `insert into channel_latest select c.id, $3, $3, $2 from channel c join device d on d.id = c.device_id
          where d.number = $1 and c.indicator = 'power'`,
        // Around the expiry, after which readings are hidden, and at other times.
        [number, power, new Date((edges.includes(powerAt) ? (expiresAt ?? NOW) : NOW) + powerAt)],
      );
  }
});
afterAll(() => server.stop());

const all = async (query: Record<string, string>) =>
  (await ask<{ items: DeviceRecord[] }>({ path: '/api/device/list', query: { pageSize: '200', ...query } }))
    .items;

async function rowsOf() {
  const { rows } = await server.pool.query<{
    number: string;
    last: Date | null;
    minutes: number;
    expires: Date | null;
    power: number | null;
    asset: number | null;
  }>(
    `select d.number, p.last_seen_at as last, d.offline_after_minutes as minutes, d.expires_at as expires,
            d.asset_id as asset, (select l.value from channel c join channel_latest l on l.channel_id = c.id
              where c.device_id = d.id and c.indicator = 'power'
                and l.measured_at < coalesce(d.expires_at, 'infinity')) as power
       from device d left join device_presence p on p.device_id = d.id order by d.number`,
  );
  return rows.map((row) => ({
    number: row.number,
    ...deviceState(
      {
        lastSeenAt: row.last?.getTime() ?? null,
        offlineAfterMinutes: row.minutes,
        expiresAt: row.expires?.getTime() ?? null,
        power: row.power,
        assetId: row.asset,
      },
      termBounds(NOW, { expiringMonths: 3, lapsedMonths: 3 }),
    ),
  }));
}

it.each([
  ...CONNECTION_STATES.map((connection) => ({ connection })),
  ...TERM_STATES.map((term) => ({ term })),
  ...SUPPLY_STATES.map((supply) => ({ supply })),
  { bound: 'bound' },
  { bound: 'unbound' },
  { term: 'to-renew' },
])(
  'filtering by %o finds exactly the devices that match according to the domain functions',
  async (query) => {
    const [name, value] = Object.entries(query)[0] as [string, string];
    const wanted = (await rowsOf()).filter((row) => {
      if (name === 'bound') return row.bound === (value === 'bound');
      return value === 'to-renew' ? row.toBeRenewed : row[name as 'connection' | 'term' | 'supply'] === value;
    });
    const found = await all(query as unknown as Record<string, string>);
    expect(found.map(({ number }) => number)).toEqual(wanted.map(({ number }) => number));
    expect(found.length).toBeGreaterThan(0);
    expect(found).toMatchObject(
      wanted.map(({ connection, term, supply, toBeRenewed }) => ({ connection, term, supply, toBeRenewed })),
    );
  },
);
