import { listGeofences } from '@isotherm/contracts/geofences';
import { listProductProfiles } from '@isotherm/contracts/product-profiles';
import { createWaybill, departWaybill, listWaybills } from '@isotherm/contracts/waybills';
import { FLEET_ASSETS } from '../fleet/catalogue.ts';
import { runAt } from '../fleet/runs.ts';
import type { Recording } from './recording.ts';

/** An end of the road of a truck. */
interface Site {
  /** Name of its geofence. */
  fence: string;
  /** The consignor or consignee there. */
  unit: string;
  contact: string;
}

/** A truck that drives from one geofence to another one and back. */
export interface Service {
  number: string;
  asset: string;
  product: string;
  goods: { product: string; batch: string; quantity: number; unit: string };
  depot: Site;
  end: Site;
}

const MINHANG: Site = { fence: 'Minhang depot', unit: 'Central warehouse Minhang', contact: 'Hu Lei' };

export const SERVICES: readonly Service[] = [
  {
    number: 'W-2026-88220',
    asset: 'TR-D8F21',
    product: 'HEPB',
    goods: { product: 'Hepatitis B vaccine', batch: '202610B07', quantity: 3200, unit: 'doses' },
    depot: MINHANG,
    end: { fence: 'Nanjing Jiangning', unit: 'Nanjing Jiangning Hospital', contact: 'Shen Bo' },
  },
  {
    number: 'W-2026-88221',
    asset: 'TR-6C902',
    product: 'FLU',
    goods: { product: 'Influenza vaccine', batch: '202608F05', quantity: 1200, unit: 'doses' },
    depot: MINHANG,
    end: { fence: 'Hangzhou hospital', unit: 'Hangzhou Xiaoshan Hospital', contact: 'Feng Yi' },
  },
  {
    number: 'W-2026-88222',
    asset: 'TR-330F8',
    product: 'INS',
    goods: { product: 'Insulin', batch: 'IN2612', quantity: 180, unit: 'boxes' },
    depot: { fence: 'Suzhou park depot', unit: 'Suzhou pharmacy depot', contact: 'Qian Li' },
    end: { fence: 'Changzhou clinic', unit: 'Changzhou Xinbei clinic', contact: 'Tang Lei' },
  },
];

/** A drive of a service; times in epoch ms. */
interface Trip {
  from: Site;
  to: Site;
  departsAt: number;
  arrivesAt: number;
}

/** The trip of a service that is under way at a time, otherwise the next one. */
export function tripAt({ asset, depot, end }: Service, atMs: number): Trip {
  const body = FLEET_ASSETS.find(({ code }) => code === asset)?.body;
  if (body?.type !== 'vehicle') throw new Error(`${asset} is no vehicle`);
  const { direction, departsAt, arrivesAt } = runAt(body.timetable, body.startHour, atMs);
  const [from, to] = direction === 'out' ? [depot, end] : [end, depot];
  return { from, to, departsAt, arrivesAt };
}

/**
 * Creates waybills with geofences of departure and arrival, unless there are waybills with their numbers. Waybills whose trucks
 * are on the road have departed. The others depart when the truck leaves the geofence of departure; all arrive at that of arrival.
 */
export async function registerAutomaticWaybills({
  client,
  organization,
  asset,
  startMs,
}: Pick<Recording, 'client' | 'organization' | 'asset' | 'startMs'>): Promise<void> {
  const [fences, profiles] = await Promise.all([
    client.call(listGeofences, { query: { pageSize: '100' } }),
    client.call(listProductProfiles, { query: { pageSize: '100' } }),
  ]);
  const fenceIds = new Map(fences.items.map(({ name, id }) => [name, id]));
  const products = new Map(profiles.items.map(({ code, id }) => [code, id]));
  const fenceOf = ({ fence }: Site): number => {
    const id = fenceIds.get(fence);
    if (id === undefined) throw new Error(`no geofence has the name ${fence}`);
    return id;
  };
  for (const service of SERVICES) {
    const known = await client.call(listWaybills, { query: { search: service.number, pageSize: '1' } });
    if (known.total > 0) continue;
    const { from, to, departsAt, arrivesAt } = tripAt(service, startMs);
    const { id } = await client.call(createWaybill, {
      body: {
        organizationId: organization('DEMO-FLEET'),
        number: service.number,
        assetId: asset(service.asset),
        profileId: products.get(service.product) ?? null,
        consignorUnit: from.unit,
        consigneeUnit: to.unit,
        consigneeContact: to.contact,
        plannedDepartureAt: new Date(departsAt).toISOString(),
        plannedDeliveryAt: new Date(arrivesAt).toISOString(),
        goods: [service.goods],
        departureFenceId: fenceOf(from),
        arrivalFenceIds: [fenceOf(to)],
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
