import type { CallTools, Step } from './call-steps.ts';
import type { TestServer } from './test-server.ts';

/** Returns the calls on alarm receivers, each with its own receiver. */
export async function receiverSteps(
  { one, unique, demo, why }: CallTools,
  server: TestServer,
): Promise<Record<string, () => Promise<Step> | Step>> {
  const session = await server.logIn('demo.platform');
  const template = await server.call<{ content: string }>({ path: '/api/receiver/template', session });
  const make = (name = unique()) =>
    one(
      `insert into alarm_receiver (organization_id, name, country_code, mobile, email, wechat, language, time_zone,
                                   description, changed_by, changed_at)
       values ($1, $2, '+86', '', 'duty@example.com', '', 'en', 'UTC', '', 'test', now()) returning id`,
      [demo, name],
    );
  const form = () => ({ organizationId: demo, name: unique(), email: 'duty@example.com', language: 'en' });
  const found = async (holds: (name: string) => Step['holds']): Promise<Step> => {
    const name = unique();
    await make(name);
    return { query: { search: name }, holds: holds(name) };
  };
  const outside = 'receiver.not_found';
  return {
    createReceiver: () => ({ json: form(), outside: 'organization.not_found' }),
    deleteReceiver: async () => ({ params: { id: await make() }, json: why, outside }),
    editReceiver: async () => ({ params: { id: await make() }, json: form(), outside }),
    getReceiver: async () => ({ params: { id: await make() }, outside }),
    exportReceivers: () => found(() => (data) => (data as { rows: number }).rows > 0),
    listReceivers: () => found((name) => (data) => JSON.stringify(data).includes(name)),
    importReceivers: () => ({
      fields: {
        file: { name: 'receivers.xlsx', bytes: Buffer.from(template.data.content, 'base64') },
        dryRun: 'true',
      },
    }),
  };
}
