import { type ComplianceSort, getComplianceReport } from '@isotherm/contracts/compliance';
import { getRecordReport } from '@isotherm/contracts/reports';
import type { ResponseOf } from '@isotherm/contracts/route';
import {
  type ALARM_REPORT_SORTS,
  type DEVICE_REPORT_SORTS,
  getAlarmReport,
  getDeviceReport,
  getStatistics,
  type StatisticGroup,
} from '@isotherm/contracts/table-reports';
import type { RulePackId } from '@isotherm/domain/reports/rule-packs';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';

export interface RecordRange {
  from: string;
  to: string;
}

/** Statistics of the channels of assets in a range. */
export function recordReportQuery(assets: readonly number[], range: RecordRange | null) {
  return queryOptions({
    queryKey: ['reports', 'records', assets.join(','), range],
    queryFn: ({ signal }) =>
      call(getRecordReport, { query: { assets: assets.join(','), ...range }, signal, quiet: true }),
    enabled: assets.length > 0 && range !== null,
    staleTime: 60_000,
  });
}

export interface ComplianceFilter extends RowOrder<ComplianceSort> {
  pack: RulePackId;
  organizationId?: number;
  site?: number;
  failing?: string;
  search: string;
}

/** Verdicts of a rule pack over the assets of an organisation in a range. */
export function complianceQuery(filter: ComplianceFilter, range: RecordRange | null) {
  return queryOptions({
    queryKey: ['reports', 'compliance', filter, range],
    queryFn: ({ signal }) =>
      call(getComplianceReport, { query: { ...filter, ...range }, signal, quiet: true }),
    enabled: range !== null,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

/** Order and page of the rows of a report. */
export interface RowOrder<Sort extends string> {
  sort: Sort;
  order: 'asc' | 'desc';
  page: number;
}

export interface TableReportFilter {
  organizationId?: number;
  /** Ids of assets, separated by commas. */
  assets?: string;
  zone: string;
}
export type AlarmReportView = ResponseOf<typeof getAlarmReport>;
export type DeviceReportView = ResponseOf<typeof getDeviceReport>;

/** Alarms of an organisation in a range. */
export function alarmReportQuery(
  filter: TableReportFilter & RowOrder<(typeof ALARM_REPORT_SORTS)[number]>,
  range: RecordRange | null,
) {
  return queryOptions({
    queryKey: ['reports', 'alarms', filter, range],
    queryFn: ({ signal }) => call(getAlarmReport, { query: { ...filter, ...range }, signal, quiet: true }),
    enabled: range !== null,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

/** Devices of an organisation in a range. */
export function deviceReportQuery(
  filter: TableReportFilter & RowOrder<(typeof DEVICE_REPORT_SORTS)[number]>,
  range: RecordRange | null,
) {
  return queryOptions({
    queryKey: ['reports', 'devices', filter, range],
    queryFn: ({ signal }) => call(getDeviceReport, { query: { ...filter, ...range }, signal, quiet: true }),
    enabled: range !== null,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}

export type StatisticsView = ResponseOf<typeof getStatistics>;

/** Statistics of an organisation in a range. */
export function statisticsQuery(
  filter: TableReportFilter & { group: StatisticGroup },
  range: RecordRange | null,
) {
  return queryOptions({
    queryKey: ['reports', 'statistics', filter, range],
    queryFn: ({ signal }) => call(getStatistics, { query: { ...filter, ...range }, signal, quiet: true }),
    enabled: range !== null,
    staleTime: 60_000,
    placeholderData: keepPreviousData,
  });
}
