import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on consignors and consignees, each with its own. */
export function clientSteps({
  one,
  unique,
  demo,
  why,
}: CallTools): Record<string, () => Promise<Step> | Step> {
  const make = (name = unique()) =>
    one(
      `insert into waybill_client (organization_id, name, kind, changed_by, changed_at)
       values ($1, $2, 'consignee', 'test', now()) returning id`,
      [demo, name],
    );
  const form = () => ({ organizationId: demo, name: unique(), kind: 'consignee' });
  const found = async (holds: (name: string) => Step['holds']): Promise<Step> => {
    const name = unique();
    await make(name);
    return { query: { search: name }, holds: holds(name) };
  };
  const outside = 'client.not_found';
  return {
    createWaybillClient: () => ({ json: form(), outside: 'organization.not_found' }),
    deleteWaybillClient: async () => ({ params: { id: await make() }, json: why, outside }),
    editWaybillClient: async () => ({ params: { id: await make() }, json: form(), outside }),
    getWaybillClient: async () => ({ params: { id: await make() }, outside }),
    exportWaybillClients: () => found(() => (data) => (data as { rows: number }).rows > 0),
    listWaybillClients: () => found((name) => (data) => JSON.stringify(data).includes(name)),
  };
}
