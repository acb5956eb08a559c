import type { CallTools, Step } from './call-steps.ts';
import type { TestServer } from './test-server.ts';

/** Returns the calls on consignors and consignees, each with its own. */
export async function clientSteps(
  { one, unique, demo, why }: CallTools,
  server: TestServer,
): Promise<Record<string, () => Promise<Step> | Step>> {
  const session = await server.logIn('demo.platform');
  const template = await server.call<{ content: string }>({ path: '/api/waybill/client/template', session });
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
    importWaybillClients: () => ({
      fields: {
        file: { name: 'clients.xlsx', bytes: Buffer.from(template.data.content, 'base64') },
        dryRun: 'true',
      },
    }),
    listWaybillClients: () => found((name) => (data) => JSON.stringify(data).includes(name)),
  };
}
