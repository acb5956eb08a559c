import {
  ALARM_REPORT_SORTS,
  MAX_TABLE_REPORT_DAYS,
  orderAlarmReport,
} from '@isotherm/contracts/table-reports';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { formatDuration } from '@isotherm/i18n/figures';
import { useQuery } from '@tanstack/react-query';
import { usePermission } from '../../shared/access/permissions.ts';
import { levelLabel } from '../../shared/format/labels.ts';
import { EN_RULE, integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useOrder } from '../../shared/jobs/jobs.queries.ts';
import { Notice } from '../../shared/ui/notice.tsx';
import { useTableState } from '../../shared/ui/sortable-table.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import { AlarmRows } from './alarm-rows.tsx';
import { AlarmsLink } from './compliance-numbers.tsx';
import { ReportBars } from './report-bars.tsx';
import { dayRange } from './report-days.ts';
import { ReportFrame, useChosenOrganization } from './report-frame.tsx';
import { useReportPeriod } from './report-period.ts';
import { type AlarmReportView, alarmReportQuery } from './reports.queries.ts';

const USUAL_DAYS = 30;

/** Alarms of an organisation in a range: by day, by site, and each of them. Each number leads to the alarms behind it. */
export default function ReportAlarmsPage() {
  const { text, zone } = useViewer();
  const { order, isPending } = useOrder();
  const period = useReportPeriod(MAX_TABLE_REPORT_DAYS, USUAL_DAYS);
  const about = { ...useChosenOrganization(), zone };
  const state = useTableState('alarms', ALARM_REPORT_SORTS, { sort: 'raisedAt', order: 'desc' });
  const { sort, order: sortOrder, page } = state;
  const loaded = useQuery(alarmReportQuery({ ...about, sort, order: sortOrder, page }, period.range));
  const { data } = loaded;
  return (
    <ReportFrame
      title={text('menu.report-alarms')}
      purpose={text('reports.alarms.purpose')}
      exporting="report-alarms:export"
      period={period}
      isOrdering={isPending}
      order={(format, range) => void order(orderAlarmReport, { ...range, ...about, format })}
      loaded={loaded}
    >
      {data && data.total === 0 ? (
        <section className="panel">
          <Notice icon="alarms" title={text('reports.alarms.none')}>
            {text('reports.alarms.none.reason')}
          </Notice>
        </section>
      ) : data ? (
        <>
          <Days report={data} />
          <Sites report={data} />
          <AlarmRows report={data} state={state} isTurning={loaded.isPlaceholderData} />
        </>
      ) : null}
    </ReportFrame>
  );
}

function Days({ report: { from, to, total, unacknowledged, days } }: { report: AlarmReportView }) {
  const { text, time, zone } = useViewer();
  const seesAlarms = usePermission('alarm-graded:view');
  const counted = new Map(days.map(({ day, levels }) => [day, levels]));
  return (
    <section className="panel" aria-label={text('reports.alarms.days')}>
      <p className="report-answer">{text('reports.alarms.answer', { count: total, open: unacknowledged })}</p>
      <ReportBars
        label={text('reports.alarms.days')}
        from={time(from, 'date')}
        to={time(new Date(Date.parse(to) - 1).toISOString(), 'date')}
        bars={dayRange(from, to, zone).map(({ day, begin, end }) => {
          const levels = counted.get(day) ?? [0, 0, 0, 0, 0];
          const count = levels.reduce((sum, each) => sum + each, 0);
          return {
            key: day,
            label: text('reports.alarms.day-count', { day: time(begin, 'date'), count }),
            to:
              seesAlarms && count > 0
                ? `/alarm/graded?${new URLSearchParams({ from: begin, to: end })}`
                : null,
            parts: [...ALARM_LEVELS]
              .reverse()
              .map((level) => ({ className: `report-level-${level}`, value: levels[level - 1] ?? 0 })),
          };
        })}
      />
    </section>
  );
}

function Sites({ report: { from, to, sites } }: { report: AlarmReportView }) {
  const { text, language } = useViewer();
  return (
    <section className="panel" aria-label={text('reports.compliance.sites')}>
      <h2 className="report-section">{text('reports.compliance.sites')}</h2>
      <TableFrame label={text('reports.compliance.sites')}>
        <thead>
          <tr>
            <th>{text('reports.compliance.site')}</th>
            <th className="number">{text('reports.fact.assets')}</th>
            <th className="number">{text('reports.alarms.alarms')}</th>
            {ALARM_LEVELS.map((level) => (
              <th key={level} className="number">
                {levelLabel(level, text)}
              </th>
            ))}
            <th className="number">{text('reports.alarms.unacknowledged')}</th>
            <th className="number">{text('reports.alarms.median')}</th>
          </tr>
        </thead>
        <tbody>
          {sites.map((site) => {
            const filter = { from, to, organizationId: String(site.organizationId) };
            return (
              <tr key={site.organizationId}>
                <td>{site.name}</td>
                <td className="number">{integer(language, site.assets)}</td>
                <td className="number">
                  <AlarmsLink filter={filter}>{integer(language, site.total)}</AlarmsLink>
                </td>
                {ALARM_LEVELS.map((level) => (
                  <td key={level} className="number">
                    <AlarmsLink filter={{ ...filter, level: String(level) }}>
                      {integer(language, site.levels[level - 1] ?? 0)}
                    </AlarmsLink>
                  </td>
                ))}
                <td className="number">
                  <AlarmsLink filter={{ ...filter, acknowledged: 'false' }}>
                    {integer(language, site.unacknowledged)}
                  </AlarmsLink>
                </td>
                <td className="number">
                  {site.medianMs === null ? EN_RULE : formatDuration(site.medianMs, text)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </TableFrame>
    </section>
  );
}
