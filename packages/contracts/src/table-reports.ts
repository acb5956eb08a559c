import { ALARM_KINDS } from '@isotherm/domain/alarms/catalogue';
import { INDICATOR_NAMES } from '@isotherm/domain/readings/indicator';
import { z } from 'zod';
import { alarmLevel } from './alarms.ts';
import { job } from './jobs.ts';
import { MAX_REPORT_ASSETS, REPORT_FORMATS } from './reports.ts';
import { defineRoute, id, idList, moment, timeZone } from './route.ts';

/** Longest range of reports of alarms and devices, in days: daily counts of devices are kept this long. */
export const MAX_TABLE_REPORT_DAYS = 92;
/** Number of rows of a page. The files contain all of them. */
export const REPORT_PAGE_ROWS = 50;
export const ALARM_REPORT_SORTS = ['raisedAt', 'level', 'asset', 'duration', 'acknowledgedAt'] as const;
export const DEVICE_REPORT_SORTS = [
  'completeness',
  'name',
  'model',
  'silentDays',
  'battery',
  'alarms',
  'expiresAt',
] as const;

const count = z.number().int();
/** Number of alarms by level, for levels 1 to 5. */
const byLevel = z.tuple([count, count, count, count, count]);

const about = {
  /** Checked as the range of a records report is, with up to 92 days. */
  from: z.string().max(40).optional(),
  to: z.string().max(40).optional(),
  /** With the organisations below it; the caller's organisation if neither it nor assets are given. */
  organizationId: id.optional(),
  /** Time zone of days and times. */
  zone: timeZone.default('UTC'),
};
/** Order and page of the rows; pages have `REPORT_PAGE_ROWS` rows. */
const paged = {
  order: z.enum(['asc', 'desc']).optional(),
  page: z.coerce.number().int().min(1).max(100_000).default(1),
};
const asked = { ...about, assets: idList(MAX_REPORT_ASSETS).optional() };
const ordered = {
  ...about,
  assets: z.array(id).min(1).max(MAX_REPORT_ASSETS).optional(),
  format: z.enum(REPORT_FORMATS),
};

const reportedAlarm = z.object({
  id: count,
  level: alarmLevel,
  kind: z.enum(ALARM_KINDS),
  indicator: z.enum(INDICATOR_NAMES),
  assetId: count.nullable(),
  asset: z.string(),
  code: z.string(),
  site: z.string(),
  channel: z.string(),
  device: z.string(),
  raisedAt: moment,
  endedAt: moment.nullable(),
  peak: z.number().nullable(),
  acknowledgedBy: z.string(),
  acknowledgedAt: moment.nullable(),
  cause: z.string(),
  action: z.string(),
});
export type ReportedAlarm = z.output<typeof reportedAlarm>;

const alarmSite = z.object({
  organizationId: count,
  name: z.string(),
  assets: count,
  levels: byLevel,
  total: count,
  /** Alarms that nobody has acknowledged. */
  unacknowledged: count,
  /** Median time from the alarm to its acknowledgement; null if none was acknowledged. */
  medianMs: z.number().nullable(),
});
export type AlarmReportSite = z.output<typeof alarmSite>;

/** Alarms that were raised in a range. Throws the faults of the range, `asset.not_found`, `organization.not_found`. */
export const getAlarmReport = defineRoute({
  name: 'getAlarmReport',
  method: 'GET',
  path: '/report/alarms',
  access: 'report-alarms:view',
  summary: 'Alarms of a range by day and site, with acknowledgement, cause and corrective action',
  query: z.object({ ...asked, ...paged, sort: z.enum(ALARM_REPORT_SORTS).default('raisedAt') }),
  response: z.object({
    from: moment,
    to: moment,
    total: count,
    unacknowledged: count,
    medianMs: z.number().nullable(),
    levels: byLevel,
    /** Local days with alarms. */
    days: z.array(z.object({ day: z.string(), levels: byLevel })),
    sites: z.array(alarmSite),
    /** One page; by default the newest first. */
    rows: z.array(reportedAlarm),
  }),
});

/** Orders the report as a file. Throws what `getAlarmReport` throws, and `job.too_many`. */
export const orderAlarmReport = defineRoute({
  name: 'orderAlarmReport',
  method: 'POST',
  path: '/report/alarms/order',
  access: 'report-alarms:export',
  machines: false,
  summary: 'Order a report of alarms as a file: XLSX, CSV or PDF',
  body: z.object(ordered),
  response: job,
});

const reportedDevice = z.object({
  id: count,
  number: z.string(),
  name: z.string(),
  model: z.string(),
  site: z.string(),
  assetId: count.nullable(),
  asset: z.string(),
  /** Number of received and expected readings of the counted days. */
  received: z.number(),
  due: z.number(),
  /** Counted days, and those without any reading. */
  days: count,
  silentDays: count,
  /** Mean charge of the last counted day, percent. */
  battery: z.number().nullable(),
  alarms: count,
  expiresAt: moment.nullable(),
});
export type ReportedDevice = z.output<typeof reportedDevice>;

const deviceSite = z.object({
  organizationId: count,
  name: z.string(),
  devices: count,
  received: z.number(),
  due: z.number(),
  deviceDays: count,
  silentDays: count,
  /** Devices with at least one counted day without readings. */
  silentDevices: count,
  alarms: count,
});
export type DeviceReportSite = z.output<typeof deviceSite>;

/**
 * Devices with what they have sent on the full UTC days of a range. Throws the faults of the range, `asset.not_found`,
 * `organization.not_found`.
 */
export const getDeviceReport = defineRoute({
  name: 'getDeviceReport',
  method: 'GET',
  path: '/report/devices',
  access: 'report-devices:view',
  summary: 'Devices of a range with data completeness, days without readings, battery and alarms',
  query: z.object({ ...asked, ...paged, sort: z.enum(DEVICE_REPORT_SORTS).default('completeness') }),
  response: z.object({
    from: moment,
    to: moment,
    total: count,
    received: z.number(),
    due: z.number(),
    deviceDays: count,
    silentDays: count,
    silentDevices: count,
    /** Counted UTC days. */
    days: z.array(
      z.object({ day: z.string(), received: z.number(), due: z.number(), devices: count, silent: count }),
    ),
    sites: z.array(deviceSite),
    /** One page; by default the least complete first. */
    rows: z.array(reportedDevice),
  }),
});

/** Orders the report as a file. Throws what `getDeviceReport` throws, and `job.too_many`. */
export const orderDeviceReport = defineRoute({
  name: 'orderDeviceReport',
  method: 'POST',
  path: '/report/devices/order',
  access: 'report-devices:export',
  machines: false,
  summary: 'Order a report of devices as a file: XLSX, CSV or PDF',
  body: z.object(ordered),
  response: job,
});

/** What the statistics are grouped by. */
export const STATISTIC_GROUPS = ['site', 'model', 'day'] as const;
export type StatisticGroup = (typeof STATISTIC_GROUPS)[number];

const statistic = z.object({
  /** Id of the site, model, or local day. */
  key: z.string(),
  name: z.string(),
  assets: count,
  alarms: count,
  /** Alarms per asset and 1,000 hours; null without assets. */
  rate: z.number().nullable(),
  medianMs: z.number().nullable(),
  /** Share of the counted device days with readings; null if none was counted. */
  availability: z.number().nullable(),
  completeness: z.number().nullable(),
  /** Messages about alarms that were sent and that failed, and prepaid units that were used for them; null for models. */
  messages: count.nullable(),
  failed: count.nullable(),
  units: z.number().nullable(),
});
export type Statistic = z.output<typeof statistic>;

const grouped = { ...about, group: z.enum(STATISTIC_GROUPS).default('site') };

/** Statistics of an organisation in a range. Throws the faults of the range, `organization.not_found`. */
export const getStatistics = defineRoute({
  name: 'getStatistics',
  method: 'GET',
  path: '/report/statistics',
  access: 'report-statistics:view',
  summary:
    'Alarms per asset, time to acknowledge, availability, completeness, messages and cost by site, model or day',
  query: z.object(grouped),
  response: z.object({
    from: moment,
    to: moment,
    total: statistic,
    rows: z.array(statistic),
    /** The period of the same length before, and what was counted in it; its rows by key, none for days. */
    before: z.object({ from: moment, to: moment, total: statistic, rows: z.array(statistic) }),
  }),
});

/** Orders the statistics as a file. Throws what `getStatistics` throws, and `job.too_many`. */
export const orderStatistics = defineRoute({
  name: 'orderStatistics',
  method: 'POST',
  path: '/report/statistics/order',
  access: 'report-statistics:export',
  machines: false,
  summary: 'Order statistics as a file: XLSX, CSV or PDF',
  body: z.object({ ...grouped, format: z.enum(REPORT_FORMATS) }),
  response: job,
});
