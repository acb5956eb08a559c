import {
  MAX_TABLE_REPORT_DAYS,
  orderStatistics,
  STATISTIC_GROUPS,
  type Statistic,
  type StatisticGroup,
} from '@isotherm/contracts/table-reports';
import type { MessageState } from '@isotherm/domain/notifications/message-state';
import { pageOfRows, sortedRows } from '@isotherm/domain/reports/sorted-rows';
import { formatDuration, shareWords } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import Segmented from 'antd/es/segmented';
import Select from 'antd/es/select';
import { lazy, Suspense, useMemo } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { EN_RULE, fixed, integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useOrder } from '../../shared/jobs/jobs.queries.ts';
import { useGo } from '../../shared/tabs/use-go.ts';
import { SortableTable, useTableState } from '../../shared/ui/sortable-table.tsx';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';
import { AlarmsLink } from './compliance-numbers.tsx';
import { dayRange } from './report-days.ts';
import { ReportFrame, useChosenOrganization } from './report-frame.tsx';
import { useReportPeriod } from './report-period.ts';
import { type StatisticsView, statisticsQuery } from './reports.queries.ts';

const BarChart = lazy(() => import('../../shared/chart/bar-chart.tsx'));

const USUAL_DAYS = 30;

/** Statistics of an organisation in a range by site, model or day. Each number leads to what it counts. */
export default function ReportStatisticsPage() {
  const { text, zone } = useViewer();
  const [params, change] = useUrlState();
  const { order, isPending } = useOrder();
  const period = useReportPeriod(MAX_TABLE_REPORT_DAYS, USUAL_DAYS);
  const group = oneOf(STATISTIC_GROUPS, params.get('group')) ?? 'site';
  const about = { ...useChosenOrganization(), zone, group };
  const loaded = useQuery(statisticsQuery(about, period.range));
  const { data } = loaded;
  return (
    <ReportFrame
      title={text('menu.report-statistics')}
      purpose={text('reports.statistics.purpose')}
      exporting="report-statistics:export"
      period={period}
      isOrdering={isPending}
      order={(format, range) => void order(orderStatistics, { ...range, ...about, format })}
      loaded={loaded}
      filters={
        <Select
          aria-label={text('reports.statistics.group')}
          className="report-pack"
          value={group}
          options={STATISTIC_GROUPS.map((each) => ({
            value: each,
            label: text(`reports.statistics.by.${each}`),
          }))}
          onChange={(next) => change({ group: next })}
        />
      }
    >
      {data ? <Statistics report={data} group={group} /> : null}
    </ReportFrame>
  );
}

const SORTS = [
  'name',
  'assets',
  'alarms',
  'rate',
  'medianMs',
  'availability',
  'completeness',
  'messages',
  'units',
] as const;
const PAGE_ROWS = 20;
/** Bars of the chart: the first ones in the order of the table. */
const MOST_BARS = 40;
const MEASURES = ['alarms', 'rate'] as const;

function Statistics({ report, group }: { report: StatisticsView; group: StatisticGroup }) {
  const { text, time } = useViewer();
  const { total, rows, before } = report;
  const label = text(`reports.statistics.by.${group}`);
  const usual =
    group === 'day'
      ? ({ sort: 'name', order: 'asc' } as const)
      : ({ sort: 'alarms', order: 'desc' } as const);
  const state = useTableState('by', SORTS, usual);
  const sorted = sortedRows(rows, (row) => row[state.sort], state.order);
  const earlier = new Map(before.rows.map((row) => [row.key, row]));
  const head = (sort: (typeof SORTS)[number], title: string) => ({ sort, title, figure: sort !== 'name' });
  return (
    <section className="panel" aria-label={label}>
      <p className="report-answer">
        {text('reports.statistics.answer', { alarms: total.alarms, assets: total.assets })}
      </p>
      <StatisticsChart rows={sorted} report={report} group={group} />
      <SortableTable
        label={label}
        state={state}
        total={rows.length}
        pageSize={PAGE_ROWS}
        heads={[
          head('name', text(`reports.statistics.${group}`)),
          head('assets', text('reports.fact.assets')),
          head('alarms', text('reports.alarms.alarms')),
          head('rate', text('reports.statistics.rate')),
          head('medianMs', text('reports.alarms.median')),
          head('availability', text('reports.statistics.availability')),
          head('completeness', text('reports.completeness')),
          head('messages', text('reports.statistics.messages')),
          head('units', text('reports.statistics.units')),
        ]}
      >
        <Line
          row={total}
          before={before.total}
          name={text('reports.statistics.total')}
          report={report}
          group={null}
        />
        {pageOfRows(sorted, state.page, PAGE_ROWS).map((row) => (
          <Line
            key={row.key}
            row={row}
            before={earlier.get(row.key)}
            name={row.name || text('reports.statistics.no-model')}
            report={report}
            group={group}
          />
        ))}
      </SortableTable>
      <p className="report-note">
        {text('reports.statistics.before-period', {
          from: time(before.from, 'date'),
          to: time(new Date(Date.parse(before.to) - 1).toISOString(), 'date'),
        })}
      </p>
      <p className="report-note">{text('reports.statistics.method')}</p>
    </section>
  );
}

/** Filter of the alarms that a row counts. */
function filterOf(
  { key }: Statistic,
  { from, to }: StatisticsView,
  group: StatisticGroup | null,
  zone: string,
): Record<string, string> {
  const day = group === 'day' ? dayRange(from, to, zone).find((each) => each.day === key) : undefined;
  return {
    ...(day ? { from: day.begin, to: day.end } : { from, to }),
    ...(group === 'site' ? { organizationId: key } : {}),
  };
}

/** Alarms or their rate as bars; each leads to its alarms. */
function StatisticsChart({
  rows,
  report,
  group,
}: {
  rows: readonly Statistic[];
  report: StatisticsView;
  group: StatisticGroup;
}) {
  const { text, language, zone } = useViewer();
  const [params, change] = useUrlState();
  const go = useGo();
  const seesAlarms = usePermission('alarm-graded:view');
  const measure = oneOf(MEASURES, params.get('chart')) ?? 'alarms';
  const bars = useMemo(
    () =>
      rows.slice(0, MOST_BARS).map((row) => ({
        key: row.key,
        name: row.name || text('reports.statistics.no-model'),
        value: row[measure],
        words:
          measure === 'alarms'
            ? integer(language, row.alarms)
            : row.rate === null
              ? EN_RULE
              : fixed(row.rate, 2),
        to:
          seesAlarms && group !== 'model' && row.alarms > 0
            ? `/alarm/graded?${new URLSearchParams(filterOf(row, report, group, zone))}`
            : null,
      })),
    [rows, measure, text, language, seesAlarms, group, report, zone],
  );
  if (bars.length === 0) return null;
  return (
    <div className="report-chart">
      <Segmented
        size="small"
        aria-label={text('reports.statistics.chart.show')}
        value={measure}
        options={MEASURES.map((each) => ({ value: each, label: text(`reports.statistics.chart.${each}`) }))}
        onChange={(next) => change({ chart: next === 'alarms' ? null : next })}
      />
      <Suspense fallback={<div className="skeleton report-chart-wait" />}>
        <BarChart
          label={text('reports.statistics.chart.label', {
            value: text(`reports.statistics.chart.${measure}`),
            group: text(`reports.statistics.${group}`),
          })}
          bars={bars}
          onOpen={go}
        />
      </Suspense>
    </div>
  );
}

function Line({
  row,
  before,
  name,
  report,
  group,
}: {
  row: Statistic;
  /** The same in the period before; absent if it is not compared. */
  before: Statistic | undefined;
  name: string;
  report: StatisticsView;
  group: StatisticGroup | null;
}) {
  const { text, language, zone } = useViewer();
  const { assets, alarms, rate, medianMs, availability, completeness, messages, failed, units } = row;
  const filter = filterOf(row, report, group, zone);
  const devices = `/report/devices?${new URLSearchParams(filter)}`;
  const messagesIn = (state: MessageState) => `/alarm/messages?${new URLSearchParams({ ...filter, state })}`;
  const share = (value: number | null) => (value === null ? EN_RULE : shareWords(value));
  const rateWords = (value: number | null) => (value === null ? EN_RULE : fixed(value, 2));
  const median = (value: number | null) => (value === null ? EN_RULE : formatDuration(value, text));
  const earlier = (words: (of: Statistic) => string) =>
    before ? (
      <span className="report-at">{text('reports.statistics.before', { value: words(before) })}</span>
    ) : null;
  return (
    <tr>
      <td className={group === null ? 'strong' : ''}>{name}</td>
      <td className="number">{integer(language, assets)}</td>
      <td className="number">
        {group === 'model' ? (
          integer(language, alarms)
        ) : (
          <AlarmsLink filter={filter}>{integer(language, alarms)}</AlarmsLink>
        )}
        {earlier((of) => integer(language, of.alarms))}
      </td>
      <td className="number">
        {rateWords(rate)}
        {earlier((of) => rateWords(of.rate))}
      </td>
      <td className="number">
        {median(medianMs)}
        {earlier((of) => median(of.medianMs))}
      </td>
      <td className="number">
        <PageLink permission="report-devices:view" to={devices}>
          {share(availability)}
        </PageLink>
        {earlier((of) => share(of.availability))}
      </td>
      <td className="number">
        <PageLink permission="report-devices:view" to={devices}>
          {share(completeness)}
        </PageLink>
        {earlier((of) => share(of.completeness))}
      </td>
      <td className="number">
        {messages === null ? (
          EN_RULE
        ) : (
          <PageLink permission="alarm-messages:view" to={messagesIn('success')}>
            {integer(language, messages)}
          </PageLink>
        )}
        {failed ? (
          <span className="report-at">
            <PageLink permission="alarm-messages:view" to={messagesIn('failed')}>
              {text('reports.statistics.failed-count', { count: failed })}
            </PageLink>
          </span>
        ) : null}
      </td>
      <td className="number">
        {units === null ? (
          EN_RULE
        ) : (
          <PageLink permission="recharge-records:view" to="/recharge/records">
            {integer(language, units)}
          </PageLink>
        )}
      </td>
    </tr>
  );
}

/** A link to a page; plain text for readers who may not open it, and for unknown numbers. */
function PageLink({
  permission,
  to,
  children,
}: {
  permission: Parameters<typeof usePermission>[0];
  to: string;
  children: string;
}) {
  const isAllowed = usePermission(permission);
  if (!isAllowed || children === EN_RULE || children === '0') return children;
  return (
    <Link className="report-asset" to={to}>
      {children}
    </Link>
  );
}
