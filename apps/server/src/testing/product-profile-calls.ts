import type { CallTools, Step } from './call-steps.ts';
import type { TestServer } from './test-server.ts';

/** Returns the calls on product profiles, each with its own. */
export async function profileSteps(
  { one, unique, demo, why }: CallTools,
  server: TestServer,
): Promise<Record<string, () => Promise<Step> | Step>> {
  const session = await server.logIn('demo.platform');
  const template = await server.call<{ content: string }>({ path: '/api/waybill/profile/template', session });
  const make = (code = unique()) =>
    one(
      `insert into product_profile (organization_id, name, code, temperature_low, temperature_high, activation_kj,
         changed_by, changed_at)
       values ($1, 'Vaccine', $2, 2, 8, 83.144, 'test', now()) returning id`,
      [demo, code],
    );
  const form = () => ({
    organizationId: demo,
    name: 'Vaccine',
    code: unique(),
    temperatureLow: 2,
    temperatureHigh: 8,
  });
  const found = async (holds: (code: string) => Step['holds']): Promise<Step> => {
    const code = unique();
    await make(code);
    return { query: { search: code }, holds: holds(code) };
  };
  const outside = 'profile.not_found';
  return {
    createProductProfile: () => ({ json: form(), outside: 'organization.not_found' }),
    deleteProductProfile: async () => ({ params: { id: await make() }, json: why, outside }),
    editProductProfile: async () => ({ params: { id: await make() }, json: form(), outside }),
    getProductProfile: async () => ({ params: { id: await make() }, outside }),
    exportProductProfiles: () => found(() => (data) => (data as { rows: number }).rows > 0),
    listProductProfiles: () => found((code) => (data) => JSON.stringify(data).includes(code)),
    importProductProfiles: () => ({
      fields: {
        file: { name: 'profiles.xlsx', bytes: Buffer.from(template.data.content, 'base64') },
        dryRun: 'true',
      },
    }),
  };
}
