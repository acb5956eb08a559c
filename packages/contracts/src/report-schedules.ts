import { LANGUAGE_CODES } from '@isotherm/domain/access/languages';
import { REPORT_INTERVALS } from '@isotherm/domain/reports/report-schedule';
import { RULE_PACK_IDS } from '@isotherm/domain/reports/rule-packs';
import { z } from 'zod';
import { email, label, reason } from './fields.ts';
import { linkToken } from './public-links.ts';
import { MAX_REPORT_ASSETS, REPORT_FORMATS } from './reports.ts';
import { defineRoute, download, id, moment, pageOf, paging } from './route.ts';

export const MOST_REPORT_RECIPIENTS = 20;
/** Largest file that is attached to an e-mail. Of a larger one, the e-mail contains a link that is valid for 7 days. */
export const MAX_MAILED_BYTES = 10_000_000;

/** Reports that can be scheduled, by the kind of their job. */
export const SCHEDULED_KINDS = [
  'record-report',
  'alarm-report',
  'device-report',
  'compliance-report',
  'statistics-report',
] as const;
export type ScheduledKind = (typeof SCHEDULED_KINDS)[number];

const fields = z.strictObject({
  organizationId: id,
  /** Name of the schedule; unique within the organisation, ignoring case. */
  name: label(80),
  kind: z.enum(SCHEDULED_KINDS).default('record-report'),
  /** Empty: those of the organisation and below it, except for records reports, which need assets. Statistics have none. */
  assets: z.array(id).max(MAX_REPORT_ASSETS),
  /** Rule pack of compliance reports; other kinds ignore it. */
  pack: z.enum(RULE_PACK_IDS).default('gsp'),
  format: z.enum(REPORT_FORMATS),
  /** A daily report is about the last day, a weekly one about seven days, a monthly one about the last calendar month. */
  interval: z.enum(REPORT_INTERVALS),
  /** 1 is Monday, 7 is Sunday. */
  weekday: z.number().int().min(1).max(7).default(1),
  /** A month without this day has its report on its last day. */
  monthDay: z.number().int().min(1).max(31).default(1),
  /** Time of day in the time zone of the organisation, such as `07:30`. */
  at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'format' }),
  recipients: z.array(email).min(1).max(MOST_REPORT_RECIPIENTS),
  /** Language of the report and of its e-mails. */
  language: z.enum(LANGUAGE_CODES),
  enabled: z.boolean().default(true),
});

export const reportScheduleInput = fields.refine(
  ({ kind, assets }) => kind !== 'record-report' || assets.length > 0,
  { path: ['assets'], error: 'required' },
);
export type ReportScheduleInput = z.output<typeof reportScheduleInput>;

/** Why the server has paused a schedule: error codes. */
export const PAUSE_REASONS = ['job.forbidden', 'asset.not_found'] as const;

export const RUN_STATES = ['waiting', 'running', 'sent', 'failed'] as const;
export type RunState = (typeof RUN_STATES)[number];

export const reportSchedule = fields.extend({
  id: z.number().int(),
  organizationName: z.string(),
  timeZone: z.string(),
  /** Names of the first assets, which the list shows. */
  assetNames: z.array(z.string()),
  /** The person whose rights the reports have: the last editor. Empty if the account was deleted. */
  owner: z.string(),
  /** Time of the next report; null while the schedule is paused. */
  dueAt: moment.nullable(),
  /** Null if a person has paused it. */
  pauseReason: z.enum(PAUSE_REASONS).nullable(),
  lastRun: z.object({ at: moment, state: z.enum(RUN_STATES), refused: z.number().int() }).nullable(),
  changedBy: z.string(),
  changedAt: moment,
});
export type ReportSchedule = z.output<typeof reportSchedule>;

export const listReportSchedules = defineRoute({
  name: 'listReportSchedules',
  method: 'GET',
  path: '/report-schedule',
  access: 'report-schedules:view',
  summary: 'Scheduled reports of own and subordinate organisations',
  query: z.object({
    ...paging,
    /** Searched in names and recipients. */
    search: z.string().max(100).default(''),
    organizationId: id.optional(),
    sort: z.enum(['name', 'dueAt']).default('name'),
    order: z.enum(['asc', 'desc']).default('asc'),
  }),
  /** `canDeliver` is true if an e-mail transport is configured. */
  response: pageOf(reportSchedule).extend({ canDeliver: z.boolean() }),
});

const one = z.object({ id });

/** Reads a schedule. Throws `report_schedule.not_found`. */
export const getReportSchedule = defineRoute({
  name: 'getReportSchedule',
  method: 'GET',
  path: '/report-schedule/:id',
  access: 'report-schedules:view',
  summary: 'One scheduled report',
  params: one,
  response: reportSchedule,
});

/**
 * Creates a schedule. Its reports have the rights of the caller. Throws `organization.not_found`, `asset.not_found`,
 * `job.forbidden`, `report_schedule.taken`.
 */
export const createReportSchedule = defineRoute({
  name: 'createReportSchedule',
  method: 'POST',
  path: '/report-schedule',
  access: 'report-schedules:edit',
  machines: false,
  summary: 'Create a scheduled report',
  body: reportScheduleInput,
  response: reportSchedule,
});

/**
 * Edits, pauses or resumes a schedule, which has the rights of the caller from now on. Throws what creating throws, and
 * `report_schedule.not_found`.
 */
export const editReportSchedule = defineRoute({
  name: 'editReportSchedule',
  method: 'PUT',
  path: '/report-schedule/:id',
  access: 'report-schedules:edit',
  machines: false,
  summary: 'Change, pause or resume a scheduled report',
  params: one,
  body: reportScheduleInput,
  response: reportSchedule,
});

/** Deletes a schedule and its history. Throws `report_schedule.not_found`. */
export const deleteReportSchedule = defineRoute({
  name: 'deleteReportSchedule',
  method: 'DELETE',
  path: '/report-schedule/:id',
  access: 'report-schedules:edit',
  summary: 'Delete a scheduled report',
  params: one,
  body: z.strictObject({ reason }),
  response: z.null(),
});

export const DELIVERY_STATES = ['pending', 'sent', 'failed'] as const;

export const reportRun = z.object({
  id: z.number().int(),
  /** When it was due, or when it was started by hand. */
  dueAt: moment,
  /** Who started it; empty if the schedule did. */
  startedBy: z.string(),
  from: moment,
  to: moment,
  state: z.enum(RUN_STATES),
  endedAt: moment.nullable(),
  fileName: z.string().nullable(),
  bytes: z.number().int().nullable(),
  /** True if the e-mails contain a link instead of the file. */
  isLinked: z.boolean(),
  /** Why it has failed, in the language of the reader. */
  error: z.string().nullable(),
  deliveries: z.array(
    z.object({
      recipient: z.string(),
      state: z.enum(DELIVERY_STATES),
      /** Answer of the mail server, if it refused the e-mail or returned it. */
      error: z.string(),
    }),
  ),
});
export type ReportRun = z.output<typeof reportRun>;

/** Makes a report of the last period now, beside the planned ones. Throws `report_schedule.not_found|running`. */
export const runReportSchedule = defineRoute({
  name: 'runReportSchedule',
  method: 'POST',
  path: '/report-schedule/:id/run',
  access: 'report-schedules:edit',
  machines: false,
  summary: 'Make and send a scheduled report now',
  params: one,
  response: z.null(),
});

/** Lists the reports of a schedule, the newest first. They are kept for 80 days. Throws `report_schedule.not_found`. */
export const listReportRuns = defineRoute({
  name: 'listReportRuns',
  method: 'GET',
  path: '/report-schedule/:id/run',
  access: 'report-schedules:view',
  summary: 'History of a scheduled report: what was sent to whom',
  params: one,
  query: z.object(paging),
  response: pageOf(reportRun),
});

/** Downloads the file of an e-mailed link. Throws `link.not_found`, `job.no_file`, `job.storage_away`. */
export const downloadMailedReport = defineRoute({
  name: 'downloadMailedReport',
  method: 'GET',
  path: '/report-file/:token',
  access: 'public',
  summary: 'The file of a scheduled report that was too large for an e-mail',
  params: z.object({ token: linkToken }),
  response: download,
});
