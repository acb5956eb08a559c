import {
  createWaybillClient,
  deleteWaybillClient,
  editWaybillClient,
  getWaybillClient,
  listWaybillClients,
  type WaybillClient,
} from '@isotherm/contracts/waybill-clients';
import { call } from '../../../shared/api/client.ts';
import { crudChanges } from '../../../shared/api/crud-changes.ts';

export const CLIENTS_KEY = ['waybills', 'clients'] as const;

export const useClientChanges = crudChanges(CLIENTS_KEY, {
  create: createWaybillClient,
  edit: editWaybillClient,
  remove: deleteWaybillClient,
});

export const loadClient = (id: number, signal: AbortSignal) =>
  call(getWaybillClient, { params: { id }, signal });

/** Clients of a kind that a search finds. */
export async function findClients(kind: 'consignor' | 'consignee', search: string): Promise<WaybillClient[]> {
  const query = { search, kind, pageSize: '20' };
  return (await call(listWaybillClients, { query, quiet: true })).items;
}
