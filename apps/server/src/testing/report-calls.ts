import type { CallTools, Step } from './call-steps.ts';

/** Returns the calls on scheduled reports, each with its own. */
export function reportSteps(
  { one, unique, demo, why }: CallTools,
  asset: number,
): Record<string, () => Promise<Step> | Step> {
  const make = (name = unique()) =>
    one(
      `insert into report_schedule (organization_id, owner_id, name, kind, asset_ids, format, interval_unit, weekday, month_day,
                                    starts_at, recipients, language, enabled, changed_by, changed_at)
       select $1, id, $2, 'record-report', array[$3::bigint], 'pdf', 'day', 1, 1, '00:00', '{nurse@example.com}', 'en', false,
              'test', now()
         from account where username = 'demo.manager' returning id`,
      [demo, name, asset],
    );
  const form = () => ({
    organizationId: demo,
    name: unique(),
    assets: [asset],
    format: 'pdf',
    interval: 'day',
    at: '00:00',
    recipients: ['nurse@example.com'],
    language: 'en',
    enabled: false,
  });
  const outside = 'report_schedule.not_found';
  return {
    listReportSchedules: async () => {
      const name = unique();
      await make(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
    getReportSchedule: async () => ({ params: { id: await make() }, outside }),
    createReportSchedule: () => ({ json: form(), outside: 'organization.not_found' }),
    editReportSchedule: async () => ({ params: { id: await make() }, json: form(), outside }),
    deleteReportSchedule: async () => ({ params: { id: await make() }, json: why, outside }),
    runReportSchedule: async () => ({ params: { id: await make() }, outside }),
    listReportRuns: async () => ({ params: { id: await make() }, outside }),
  };
}
