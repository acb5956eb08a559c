import type { CallTools, Step } from './call-steps.ts';
import type { TestServer } from './test-server.ts';

/** Returns the calls on holidays, each with its own. */
export async function holidaySteps(
  { one, unique, demo, why }: CallTools,
  server: TestServer,
): Promise<Record<string, () => Promise<Step> | Step>> {
  const session = await server.logIn('demo.platform');
  const template = await server.call<{ content: string }>({ path: '/api/holiday/template', session });
  let days = 0;
  const nextDate = () => new Date(Date.now() + (300 + ++days) * 86_400_000).toISOString().slice(0, 10);
  const make = (name = unique()) =>
    one(
      `insert into holiday (organization_id, date, name, changed_by, changed_at) values ($1, $2, $3, 'test', now())
       returning id`,
      [demo, nextDate(), name],
    );
  const form = () => ({ organizationId: demo, name: unique(), date: nextDate() });
  const found = async (holds: (name: string) => Step['holds']): Promise<Step> => {
    const name = unique();
    await make(name);
    return { query: { search: name }, holds: holds(name) };
  };
  const outside = 'holiday.not_found';
  return {
    createHoliday: () => ({ json: form(), outside: 'organization.not_found' }),
    deleteHoliday: async () => ({ params: { id: await make() }, json: why, outside }),
    editHoliday: async () => ({ params: { id: await make() }, json: form(), outside }),
    getHoliday: async () => ({ params: { id: await make() }, outside }),
    exportHolidays: () => found(() => (data) => (data as { rows: number }).rows > 0),
    listHolidays: () => found((name) => (data) => JSON.stringify(data).includes(name)),
    importHolidays: () => ({
      fields: {
        file: { name: 'holidays.xlsx', bytes: Buffer.from(template.data.content, 'base64') },
        dryRun: 'true',
      },
    }),
  };
}
