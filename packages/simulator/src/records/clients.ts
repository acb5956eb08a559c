import {
  type ClientInput,
  createWaybillClient,
  listWaybillClients,
} from '@isotherm/contracts/waybill-clients';
import type { Recording } from './recording.ts';

const CLIENTS: readonly Pick<ClientInput, 'name' | 'kind' | 'sites' | 'contacts'>[] = [
  {
    name: 'Central warehouse Minhang',
    kind: 'consignor',
    sites: [{ name: 'Dock 3', address: '1128 Xinzhuang Road, Shanghai' }],
    contacts: [
      { name: 'Wang Jun', phone: '021-54881200', email: 'dispatch@warehouse.example', language: 'zh-CN' },
    ],
  },
  {
    name: 'Changzhou No. 2 Hospital',
    kind: 'consignee',
    sites: [
      { name: 'Pharmacy', address: '29 Xinglong Lane, Changzhou' },
      { name: 'Vaccination clinic', address: '31 Xinglong Lane, Changzhou' },
    ],
    contacts: [
      { name: 'Zhang Min', phone: '13906110042', email: 'pharmacy@hospital2.example', language: 'zh-CN' },
    ],
  },
  {
    name: 'Kunshan health centre',
    kind: 'consignee',
    sites: [{ name: '', address: '566 Qianjin Road, Kunshan' }],
    contacts: [{ name: 'Wu Jing', phone: '13862601175', email: '', language: 'zh-CN' }],
  },
  {
    name: 'Minhang District Hospital',
    kind: 'both',
    sites: [{ name: 'Blood bank', address: '170 Xinsong Road, Shanghai' }],
    contacts: [{ name: 'He Tao', phone: '13761029933', email: '', language: 'zh-CN' }],
  },
];

/** Creates the consignors and consignees of the demo, for all of its organisations. */
export async function registerClients({ client, organization }: Recording): Promise<void> {
  const { total } = await client.call(listWaybillClients, { query: { pageSize: '1' } });
  if (total > 0) return;
  for (const each of CLIENTS)
    await client.call(createWaybillClient, { body: { ...each, organizationId: organization('DEMO') } });
}
