import { listProductProfiles } from '@isotherm/contracts/product-profiles';
import {
  createWaybill,
  decideWaybill,
  deliverWaybill,
  departWaybill,
  getTripRecord,
  listWaybillDrivers,
  listWaybills,
  rejectWaybill,
  seenVerdictOf,
  transshipWaybill,
} from '@isotherm/contracts/waybills';
import type { Recording } from './recording.ts';

const HOUR_MS = 3_600_000;

interface Shipment {
  number: string;
  organization: string;
  asset: string;
  product: string;
  goods: { product: string; batch: string; quantity: number; unit: string };
  consignor: string;
  consignee: string;
  consigneeContact: string;
  consigneeEmail?: string;
  tour?: [number: string, stop: number];
  preCoolMinutes?: number;
  /** The demo's driver has this trip on the phone. */
  driven?: true;
  /** Planned departure and delivery, hours before the start of the demo; negative: after it. */
  planned: [departure: number, delivery: number];
  /** Hours before the start of the demo; absent: not yet. */
  departed?: number;
  transshipped?: { hours: number; asset: string };
  delivered?: number;
  rejected?: number;
  decision?: 'released' | 'quarantined';
}

const DRIVER = 'demo.driver';
const WAREHOUSE = 'Central warehouse Minhang';
const SHIPMENTS: readonly Shipment[] = [
  {
    number: 'W-2026-88213',
    organization: 'DEMO-FLEET',
    asset: 'TR-D8F21',
    product: 'HEPB',
    goods: { product: 'Hepatitis B vaccine', batch: '202609A14', quantity: 2400, unit: 'doses' },
    consignor: WAREHOUSE,
    consignee: 'Changzhou No. 2 Hospital',
    consigneeContact: 'Zhang Min',
    planned: [20, 14.5],
    departed: 20,
    delivered: 14.4,
    decision: 'released',
  },
  {
    number: 'W-2026-88214',
    organization: 'DEMO-FLEET',
    asset: 'TR-6C902',
    product: 'FLU',
    goods: { product: 'Influenza vaccine', batch: '202608F02', quantity: 900, unit: 'doses' },
    consignor: WAREHOUSE,
    consignee: 'Kunshan health centre',
    consigneeContact: 'Wu Jing',
    planned: [12, 8],
    departed: 11.8,
    delivered: 7.9,
  },
  {
    number: 'W-2026-88215',
    organization: 'DEMO-FLEET',
    asset: 'TR-71K03',
    product: 'INS',
    goods: { product: 'Insulin', batch: 'IN2611', quantity: 320, unit: 'boxes' },
    consignor: WAREHOUSE,
    consignee: 'Suzhou pharmacy depot',
    consigneeContact: 'Qian Li',
    planned: [6, 2],
    departed: 6,
    rejected: 2.2,
  },
  {
    number: 'W-2026-88216',
    organization: 'DEMO-FLEET',
    asset: 'TR-D8F21',
    product: 'HEPB',
    goods: { product: 'Hepatitis B vaccine', batch: '202610B03', quantity: 1800, unit: 'doses' },
    consignor: WAREHOUSE,
    consignee: 'Wuxi centre for disease control',
    consigneeContact: 'Sun Yan',
    consigneeEmail: 'cold-chain@wuxi-cdc.example',
    driven: true,
    planned: [4, -2],
    departed: 4,
    transshipped: { hours: 2, asset: 'TR-330F8' },
  },
  {
    number: 'W-2026-88217',
    organization: 'DEMO-HOSPITAL',
    asset: 'BX-114',
    product: 'FLU',
    goods: { product: 'Influenza vaccine', batch: '202608F02', quantity: 60, unit: 'doses' },
    consignor: 'Minhang District Hospital',
    consignee: 'Mobile team 2',
    consigneeContact: 'Gu Fang',
    planned: [1.5, -3],
    departed: 1.5,
  },
  {
    number: 'W-2026-88218',
    organization: 'DEMO-FLEET',
    asset: 'TR-7E115',
    product: 'FFP',
    goods: { product: 'Fresh frozen plasma', batch: 'P-4471', quantity: 48, unit: 'bags' },
    consignor: WAREHOUSE,
    consignee: 'Minhang District Hospital, blood bank',
    consigneeContact: 'He Tao',
    driven: true,
    tour: ['T-2026-0412', 1],
    planned: [-3, -6],
  },
  {
    number: 'W-2026-88219',
    organization: 'DEMO-FLEET',
    asset: 'TR-7E115',
    product: 'FFP',
    goods: { product: 'Fresh frozen plasma', batch: 'P-4472', quantity: 30, unit: 'bags' },
    consignor: WAREHOUSE,
    consignee: 'Kunshan health centre',
    consigneeContact: 'Wu Jing',
    driven: true,
    tour: ['T-2026-0412', 2],
    preCoolMinutes: 30,
    planned: [-3, -8],
  },
];

/** Creates waybills in every state, with their course in the hours before the demo. */
export async function registerWaybills(recording: Recording): Promise<void> {
  const { client, organization, asset, startMs } = recording;
  const { total } = await client.call(listWaybills, { query: { pageSize: '1' } });
  if (total > 0) return;
  const { items } = await client.call(listProductProfiles, { query: { pageSize: '100' } });
  const products = new Map(items.map(({ code, id }) => [code, id]));
  const ago = (hours: number) => new Date(startMs - hours * HOUR_MS).toISOString();
  const driverOf = async (organizationId: number) => {
    const query = { organizationId: String(organizationId), search: DRIVER };
    const [driver] = await client.call(listWaybillDrivers, { query });
    return driver?.id ?? null;
  };
  for (const shipment of SHIPMENTS) {
    const { id } = await client.call(createWaybill, {
      body: {
        organizationId: organization(shipment.organization),
        number: shipment.number,
        assetId: asset(shipment.asset),
        profileId: products.get(shipment.product) ?? null,
        consignorUnit: shipment.consignor,
        consigneeUnit: shipment.consignee,
        consigneeContact: shipment.consigneeContact,
        consigneeEmail: shipment.consigneeEmail ?? '',
        consigneeLanguage: 'zh-CN',
        plannedDepartureAt: ago(shipment.planned[0]),
        plannedDeliveryAt: ago(shipment.planned[1]),
        goods: [shipment.goods],
        tour: shipment.tour?.[0] ?? '',
        stop: shipment.tour?.[1] ?? null,
        preCoolMinutes: shipment.preCoolMinutes ?? null,
        departByButton: shipment.tour !== undefined,
        deliverByButton: shipment.tour !== undefined,
        driverId: shipment.driven ? await driverOf(organization(shipment.organization)) : null,
      },
    });
    const path = `/waybill/${id}`;
    if (shipment.departed !== undefined)
      await client.call(departWaybill, {
        path: `${path}/depart`,
        body: {
          at: ago(shipment.departed),
          assetId: asset(shipment.asset),
          person: 'Wang Jun',
          note: 'Boxes sealed',
        },
      });
    if (shipment.transshipped)
      await client.call(transshipWaybill, {
        path: `${path}/transship`,
        body: {
          at: ago(shipment.transshipped.hours),
          assetId: asset(shipment.transshipped.asset),
          person: 'Liu Qiang',
          note: 'Unit of the first truck is due for service',
        },
      });
    if (shipment.delivered !== undefined)
      await client.call(deliverWaybill, {
        path: `${path}/deliver`,
        body: { at: ago(shipment.delivered), person: shipment.consigneeContact, note: 'All boxes complete' },
      });
    if (shipment.rejected !== undefined)
      await client.call(rejectWaybill, {
        path: `${path}/reject`,
        body: { at: ago(shipment.rejected), person: shipment.consigneeContact, note: 'Two boxes damaged' },
      });
    if (shipment.decision) {
      const record = await client.call(getTripRecord, { path: `${path}/record` });
      await client.call(decideWaybill, {
        path: `${path}/decide`,
        body: {
          decision: shipment.decision,
          reason: 'Record checked, goods in order',
          seen: seenVerdictOf(record, null),
        },
      });
    }
  }
}
