import type { ProductProfile } from '@isotherm/contracts/product-profiles';
import type { WaybillDetail } from '@isotherm/contracts/waybills';
import { expectDone } from './people.ts';
import { fridge, type Session, TEST_KEY, type TestServer } from './test-server.ts';

const MIN = 60_000;
const HOUR = 60 * MIN;
const AT_ONCE = 500;
/** The road: from Shanghai to the west for five hours, with a halt in the third one. */
const placeAt = (minute: number) => {
  const driven = Math.min(300, minute < 150 ? minute : Math.max(150, minute - 20));
  return { latitude: 31.1 + 0.25 * Math.sin(driven / 70), longitude: 121.4 - driven / 200 };
};

export interface ShippedWaybill {
  id: number;
  number: string;
  /** The assets of the two legs. */
  assets: [number, number];
  /** Epoch ms. */
  from: number;
  transshippedAt: number;
  to: number;
}

/**
 * Ships goods for some hours on two assets, one after the other, with a reading and a position every minute. In the second
 * hour they are at 11 °C for half an hour, and there is a gap of 20 minutes in the fourth hour.
 */
export async function shippedWaybill(
  server: TestServer,
  session: Session,
  { number, organizationId, hours }: { number: string; organizationId: number; hours: number },
): Promise<ShippedWaybill> {
  const to = Math.floor(Date.now() / MIN) * MIN - 10 * MIN;
  const from = to - hours * HOUR;
  const transshippedAt = from + Math.floor(hours / 2) * HOUR;
  const devices = [`${number}1`, `${number}2`];
  await server.provision(
    session,
    devices.map((each) => fridge(each)),
  );
  await server.pool.query(
    `update binding set valid_from = now() - interval '40 days' where valid_until = 'infinity'
        and device_id in (select id from device where number = any($1))`,
    [devices],
  );
  const { rows } = await server.pool.query<{ id: number }>(
    'select asset_id::int as id from device where number = any($1) order by number',
    [devices],
  );
  const assets = rows.map(({ id }) => id) as [number, number];
  for (const [leg, device] of devices.entries()) {
    const minutes = Array.from({ length: hours * 60 }, (_, minute) => minute).filter(
      (minute) => from + minute * MIN < transshippedAt === (leg === 0) && !(minute >= 200 && minute < 220),
    );
    for (let begin = 0; begin < minutes.length; begin += AT_ONCE) {
      const part = minutes.slice(begin, begin + AT_ONCE);
      await server.ingest(device, TEST_KEY, {
        readings: part.map((minute) => ({
          channel: 'temperature-1',
          at: from + minute * MIN,
          value: minute >= 70 && minute < 100 ? 11 : Math.round((5 + Math.sin(minute / 40)) * 10) / 10,
        })),
        positions: part.map((minute) => ({ at: from + minute * MIN, ...placeAt(minute), speedKmh: 60 })),
      });
    }
  }
  const ask = async <T>(path: string, json: object) =>
    expectDone(await server.call<T>({ method: 'POST', path: `/api/waybill${path}`, session, json }));
  const { id: profileId } = await ask<ProductProfile>('/profile', {
    organizationId,
    name: `Hepatitis B vaccine ${number}`,
    code: `HB-${number}`,
    temperatureLow: 2,
    temperatureHigh: 8,
    budget: [{ low: 8, high: 25, hours: 12 }],
  });
  const { id } = await ask<WaybillDetail>('', {
    organizationId,
    number: `W-${number}`,
    consignorUnit: 'Minhang Cold Store',
    consignorAddress: '1128 Xinzhuang Road, Shanghai',
    consignorContact: 'Wang Jun',
    consignorPhone: '13912345678',
    consigneeUnit: '常州市第二人民医院',
    consigneeContact: 'Zhang Min',
    assetId: assets[0],
    plannedDepartureAt: new Date(from).toISOString(),
    profileId,
    goods: [{ product: 'Hepatitis B vaccine', batch: '202609A14', quantity: 2400, unit: 'doses' }],
  });
  const at = (moment: number) => new Date(moment).toISOString();
  await ask(`/${id}/depart`, {
    at: at(from),
    assetId: assets[0],
    person: 'Wang Jun',
    note: '12 boxes sealed',
  });
  await ask(`/${id}/transship`, { at: at(transshippedAt), assetId: assets[1], person: 'Liu Qiang' });
  await ask(`/${id}/deliver`, { at: at(to), person: 'Zhang Min', note: '12 of 12 boxes' });
  return { id, number: `W-${number}`, assets, from, transshippedAt, to };
}
