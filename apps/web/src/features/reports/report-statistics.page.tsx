import {
  MAX_TABLE_REPORT_DAYS,
  orderStatistics,
  STATISTIC_GROUPS,
  type Statistic,
  type StatisticGroup,
} from '@isotherm/contracts/table-reports';
import { formatDuration, shareWords } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { EN_RULE, fixed, integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useOrder } from '../../shared/jobs/jobs.queries.ts';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';
import { AlarmsLink } from './compliance-numbers.tsx';
import { dayRange } from './report-days.ts';
import { ReportFrame, useChosenOrganization } from './report-frame.tsx';
import { useReportPeriod } from './report-period.ts';
import { type StatisticsView, statisticsQuery } from './reports.queries.ts';

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

function Statistics({ report, group }: { report: StatisticsView; group: StatisticGroup }) {
  const { text } = useViewer();
  const { total, rows } = report;
  const label = text(`reports.statistics.by.${group}`);
  return (
    <section className="panel" aria-label={label}>
      <p className="report-answer">
        {text('reports.statistics.answer', { alarms: total.alarms, assets: total.assets })}
      </p>
      <TableFrame label={label}>
        <thead>
          <tr>
            <th>{text(`reports.statistics.${group}`)}</th>
            <th className="number">{text('reports.fact.assets')}</th>
            <th className="number">{text('reports.alarms.alarms')}</th>
            <th className="number">{text('reports.statistics.rate')}</th>
            <th className="number">{text('reports.alarms.median')}</th>
            <th className="number">{text('reports.statistics.availability')}</th>
            <th className="number">{text('reports.completeness')}</th>
            <th className="number">{text('reports.statistics.messages')}</th>
            <th className="number">{text('reports.statistics.units')}</th>
          </tr>
        </thead>
        <tbody>
          <Line row={total} name={text('reports.statistics.total')} report={report} group={null} />
          {rows.map((row) => (
            <Line
              key={row.key}
              row={row}
              name={row.name || text('reports.statistics.no-model')}
              report={report}
              group={group}
            />
          ))}
        </tbody>
      </TableFrame>
      <p className="report-note">{text('reports.statistics.method')}</p>
    </section>
  );
}

function Line({
  row,
  name,
  report: { from, to, rows },
  group,
}: {
  row: Statistic;
  name: string;
  report: StatisticsView;
  group: StatisticGroup | null;
}) {
  const { text, language, zone } = useViewer();
  const { assets, alarms, rate, medianMs, availability, completeness, messages, units } = row;
  const highest = Math.max(...rows.map((each) => each.rate ?? 0));
  const day = group === 'day' ? dayRange(from, to, zone).find((each) => each.day === row.key) : undefined;
  const filter: Record<string, string> = day ? { from: day.begin, to: day.end } : { from, to };
  if (group === 'site') filter.organizationId = row.key;
  const share = (value: number | null) => (value === null ? EN_RULE : shareWords(value));
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
      </td>
      <td className="number">
        {rate === null ? EN_RULE : fixed(rate, 2)}
        {group !== null && rate !== null && highest > 0 ? (
          <span className="report-rate" style={{ inlineSize: `${(rate / highest) * 100}%` }} />
        ) : null}
      </td>
      <td className="number">{medianMs === null ? EN_RULE : formatDuration(medianMs, text)}</td>
      <td className="number">
        <PageLink permission="report-devices:view" to={`/report/devices?${new URLSearchParams(filter)}`}>
          {share(availability)}
        </PageLink>
      </td>
      <td className="number">
        <PageLink permission="report-devices:view" to={`/report/devices?${new URLSearchParams(filter)}`}>
          {share(completeness)}
        </PageLink>
      </td>
      <td className="number">
        {messages === null ? (
          EN_RULE
        ) : (
          <PageLink permission="alarm-messages:view" to="/alarm/messages">
            {integer(language, messages)}
          </PageLink>
        )}
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
