import { listGeofences } from '@isotherm/contracts/geofences';
import { createWaybill, departWaybill } from '@isotherm/contracts/waybills';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import { type Run, runAt } from '../fleet/runs.ts';
import type { Recording } from './recording.ts';

/** A truck that drives from one geofence to another one and back. */
interface Service {
  number: string;
  asset: string;
  product: string;
  goods: { product: string; batch: string; quantity: number; unit: string };
  depot: string;
  end: string;
  consignee: string;
  contact: string;
}

const SERVICES: readonly Service[] = [
  {
    number: 'W-2026-88220',
    asset: 'TR-D8F21',
    product: 'HEPB',
    goods: { product: 'Hepatitis B vaccine', batch: '202610B07', quantity: 3200, unit: 'doses' },
    depot: 'Minhang depot',
    end: 'Nanjing Jiangning',
    consignee: 'Nanjing Jiangning Hospital',
    contact: 'Shen Bo',
  },
  {
    number: 'W-2026-88221',
    asset: 'TR-6C902',
    product: 'FLU',
    goods: { product: 'Influenza vaccine', batch: '202608F05', quantity: 1200, unit: 'doses' },
    depot: 'Minhang depot',
    end: 'Hangzhou hospital',
    consignee: 'Hangzhou Xiaoshan Hospital',
    contact: 'Feng Yi',
  },
  {
    number: 'W-2026-88222',
    asset: 'TR-330F8',
    product: 'INS',
    goods: { product: 'Insulin', batch: 'IN2612', quantity: 180, unit: 'boxes' },
    depot: 'Suzhou park depot',
    end: 'Changzhou clinic',
    consignee: 'Changzhou Xinbei clinic',
    contact: 'Tang Lei',
  },
];

/**
 * Creates waybills with geofences of departure and arrival. A truck that is on the road has departed; its waybill shows when
 * it is expected. The others depart by themselves, and all arrive by themselves.
 */
export async function registerAutomaticWaybills(
  { client, organization, asset, startMs }: Recording,
  products: ReadonlyMap<string, number>,
): Promise<void> {
  const { items } = await client.call(listGeofences, { query: { pageSize: '100' } });
  const fenceIds = new Map(items.map(({ name, id }) => [name, id]));
  const fence = (name: string): number => {
    const id = fenceIds.get(name);
    if (id === undefined) throw new Error(`no geofence has the name ${name}`);
    return id;
  };
  for (const service of SERVICES) {
    const { departsAt, arrivesAt, direction } = runOf(service.asset, startMs);
    const [from, to] = direction === 'out' ? [service.depot, service.end] : [service.end, service.depot];
    const [consignor, consignee] =
      direction === 'out' ? [service.depot, service.consignee] : [service.consignee, service.depot];
    const { id } = await client.call(createWaybill, {
      body: {
        organizationId: organization('DEMO-FLEET'),
        number: service.number,
        assetId: asset(service.asset),
        profileId: products.get(service.product) ?? null,
        consignorUnit: consignor,
        consigneeUnit: consignee,
        consigneeContact: service.contact,
        plannedDepartureAt: new Date(departsAt).toISOString(),
        plannedDeliveryAt: new Date(arrivesAt).toISOString(),
        goods: [service.goods],
        departureFenceId: fence(from),
        arrivalFenceIds: [fence(to)],
      },
    });
    if (departsAt > startMs) continue;
    await client.call(departWaybill, {
      path: `/waybill/${id}/depart`,
      body: {
        at: new Date(departsAt).toISOString(),
        assetId: asset(service.asset),
        person: 'Wang Jun',
        note: 'Boxes sealed',
      },
    });
  }
}

function runOf(code: string, atMs: number): Run {
  const body = FLEET_ASSETS.find((each) => each.code === code)?.body;
  if (body?.type !== 'vehicle') throw new Error(`${code} is no vehicle`);
  return runAt(body.timetable, body.startHour, atMs);
}
