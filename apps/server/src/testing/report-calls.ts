import type { CallTools, Step } from './call-steps.ts';

/** Title of the one head for which the list is searched. */
const KNOWN_HEAD = 'known head of the matrix';

/** Returns the calls on scheduled reports and print heads, each with its own. */
export function reportSteps(
  { one, unique, demo, why }: CallTools,
  asset: number,
  picture: Uint8Array,
): Record<string, () => Promise<Step> | Step> {
  // Without an owner, a report that is started fails at once, and no work follows in the calls after it.
  const make = (name = unique()) =>
    one(
      `insert into report_schedule (organization_id, owner_id, name, kind, asset_ids, format, interval_unit, weekday, month_day,
                                    starts_at, recipients, language, enabled, changed_by, changed_at)
       values ($1, null, $2, 'record-report', array[$3::bigint], 'pdf', 'day', 1, 1, '00:00', '{nurse@example.com}', 'en', false,
               'test', now()) returning id`,
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
  const head = async (name = unique()) =>
    one(
      `insert into print_head (organization_id, report_kind, title, fields, signatures, changed_by, changed_at)
       values ($1, $2, $2, '', '{}', 'test', now()) returning id`,
      [demo, name],
    );
  /** A head whose kind is valid in responses. */
  const knownHead = async () =>
    one(
      `insert into print_head (organization_id, report_kind, title, fields, signatures, changed_by, changed_at)
       values ($1, 'records', 'Matrix', '', '{}', 'test', now())
       on conflict (organization_id, report_kind) do update set title = 'Matrix' returning id`,
      [demo],
    );
  // A head for this kind may exist, as the test calls with several callers.
  const headForm = async () => {
    await one(
      `with gone as (delete from print_head where report_kind = 'trip' returning id) select count(*) as id from gone`,
    );
    return { organizationId: demo, reportKind: 'trip', title: 'Matrix' };
  };
  const registered = async (subject = unique()) =>
    one(
      `insert into report (number, kind, organization_id, issuer, subject_id, subject_name, sha256, size_bytes, language,
                           created_by, created_at)
       values ($2::text, 'records', $1, 'Matrix', 1, $2, sha256(convert_to($2, 'UTF8')), 1, 'en', 'test', now()) returning id`,
      [demo, subject],
    );
  const noReport = 'report.not_found';
  const noHead = 'print_head.not_found';
  const outside = 'report_schedule.not_found';
  return {
    listReportSchedules: async () => {
      const name = unique();
      await make(name);
      return { query: { search: name }, holds: (data) => JSON.stringify(data).includes(name) };
    },
    listRegisteredReports: async () => {
      const subject = unique();
      await registered(subject);
      return { query: { search: subject }, holds: (data) => JSON.stringify(data).includes(subject) };
    },
    exportRegisteredReports: async () => {
      const subject = unique();
      await registered(subject);
      return { query: { search: subject }, holds: (data) => (data as { rows: number }).rows === 1 };
    },
    linkRegisteredReport: async () => ({ params: { id: await registered() }, outside: noReport }),
    // The register keeps no files.
    readRegisteredReport: async () => ({
      params: { id: await registered() },
      status: 'report.no_file',
      outside: noReport,
    }),
    listPrintHeads: async () => {
      await one(`update print_head set title = $2 where id = $1 returning id`, [
        await knownHead(),
        KNOWN_HEAD,
      ]);
      return { query: { search: KNOWN_HEAD }, holds: (data) => JSON.stringify(data).includes(KNOWN_HEAD) };
    },
    getPrintHead: async () => ({ params: { id: await knownHead() }, outside: noHead }),
    createPrintHead: async () => ({ json: await headForm(), outside: 'organization.not_found' }),
    editPrintHead: async () => {
      const json = await headForm();
      return { params: { id: await head() }, json, outside: noHead };
    },
    uploadPrintHeadLogo: async () => ({
      params: { id: await knownHead() },
      fields: { image: { name: 'a.png', bytes: picture } },
      outside: noHead,
    }),
    removePrintHeadLogo: async () => ({ params: { id: await knownHead() }, outside: noHead }),
    deletePrintHead: async () => ({ params: { id: await head() }, json: why, outside: noHead }),
    previewPrintHead: async () => ({ params: { id: await knownHead() }, outside: noHead }),
    getReportSchedule: async () => ({ params: { id: await make() }, outside }),
    createReportSchedule: () => ({ json: form(), outside: 'organization.not_found' }),
    editReportSchedule: async () => ({ params: { id: await make() }, json: form(), outside }),
    deleteReportSchedule: async () => ({ params: { id: await make() }, json: why, outside }),
    runReportSchedule: async () => ({ params: { id: await make() }, outside }),
    listReportRuns: async () => ({ params: { id: await make() }, outside }),
  };
}
