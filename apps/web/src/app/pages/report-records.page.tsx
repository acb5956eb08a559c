import '../../features/reports/reports.css';
import {
  MAX_REPORT_ASSETS,
  orderRecordReport,
  REPORT_FORMATS,
  type RecordRow,
  type ReportFormat,
} from '@isotherm/contracts/reports';
import type { TextId } from '@isotherm/i18n/text-id';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useMemo, useState } from 'react';
import { AssetPicker } from '../../features/assets/groups/asset-picker.tsx';
import { profileQuery } from '../../features/identity/identity.queries.ts';
import { earlierRange, PERIOD_BEFORE } from '../../features/reports/compare-range.ts';
import { DailyReview } from '../../features/reports/daily-review.tsx';
import { RecordAlarms } from '../../features/reports/record-alarms.tsx';
import { CompareField, RecordComparison } from '../../features/reports/record-comparison.tsx';
import { RecordSummary } from '../../features/reports/record-summary.tsx';
import { useReportPeriod } from '../../features/reports/report-period.ts';
import { type RecordRange, recordReportQuery } from '../../features/reports/reports.queries.ts';
import { RecordChart } from '../../features/telemetry/record-chart.tsx';
import { usePermission } from '../../shared/access/permissions.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useOrder } from '../../shared/jobs/jobs.queries.ts';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { PeriodField } from '../../shared/ui/list/period-filter.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';

const USUAL_DAYS = 7;
const ORDER_TEXT: Record<ReportFormat, TextId> = {
  xlsx: 'reports.order.xlsx',
  csv: 'reports.order.csv',
  pdf: 'reports.order.pdf',
};

/** Report of the records of assets in a range: a summary on the page, and files as jobs. */
export default function ReportRecordsPage() {
  const { text, zone } = useViewer();
  const [params, change] = useUrlState();
  const [picking, setPicking] = useState(false);
  const seesCharts = usePermission('asset:view');
  const seesAlarms = usePermission('report-alarms:view');
  const { order, isPending } = useOrder();
  const { data: profile } = useQuery(profileQuery);
  const assets = useMemo(() => idsOf(params.get('assets')), [params]);
  const { range, fault, field } = useReportPeriod(profile?.ReportCheckTimeRange, USUAL_DAYS);
  const { data, error, refetch } = useQuery(recordReportQuery(assets, range));
  const compare = params.get('compare');
  const earlierPeriod = useMemo(
    () => (range ? earlierRange(range, compare, zone) : null),
    [range, compare, zone],
  );
  const earlier = useQuery(recordReportQuery(earlierPeriod ? assets : [], earlierPeriod));

  function start(format: ReportFormat): void {
    const comparison = earlierPeriod ? { earlierFrom: earlierPeriod.from } : {};
    if (range) void order(orderRecordReport, { ...range, ...comparison, assets: [...assets], format, zone });
    else if (fault) toast('failure', fault);
  }

  return (
    <div className="page">
      <PageHead title={text('menu.report-records')} purpose={text('reports.purpose')}>
        {REPORT_FORMATS.map((format) => (
          <PermissionButton
            key={format}
            permission="report-records:export"
            disabled={assets.length === 0 || isPending}
            onClick={() => start(format)}
          >
            <Icon name="download" />
            {text(ORDER_TEXT[format])}
          </PermissionButton>
        ))}
      </PageHead>
      <div className="report-filters">
        <Button onClick={() => setPicking(true)}>
          <Icon name="assets" />
          {assets.length === 0
            ? text('reports.assets')
            : text('reports.assets.chosen', { count: assets.length })}
        </Button>
        <PeriodField {...field} />
        {range ? (
          <CompareField
            value={compare}
            earlier={earlierPeriod ?? earlierRange(range, PERIOD_BEFORE, zone)}
            onChange={(next) => change({ compare: next })}
          />
        ) : null}
      </div>
      {picking ? (
        <AssetPicker
          initial={assets}
          most={MAX_REPORT_ASSETS}
          submitLabel={(count) => text('reports.assets.use', { count })}
          onChoose={async (ids) => change({ assets: ids.join(',') })}
          onClose={() => setPicking(false)}
        />
      ) : null}
      {fault ? (
        <section className="panel">
          <p className="report-fault" role="alert">
            {fault}
          </p>
        </section>
      ) : assets.length === 0 ? (
        <section className="panel">
          <Notice
            icon="page"
            title={text('reports.empty.title')}
            action={
              <Button variant="primary" onClick={() => setPicking(true)}>
                {text('reports.assets')}
              </Button>
            }
          >
            {text('reports.empty.reason')}
          </Notice>
        </section>
      ) : error && !data ? (
        <FailureNotice error={error} retry={() => void refetch()} />
      ) : data && range ? (
        <div className="report-parts">
          <RecordSummary report={data} />
          {earlier.error && !earlier.data ? (
            <FailureNotice error={earlier.error} retry={() => void earlier.refetch()} />
          ) : earlier.data && earlierPeriod ? (
            <RecordComparison report={data} earlier={earlier.data} />
          ) : null}
          {seesCharts ? <ChannelChart rows={data.rows} range={range} earlier={earlierPeriod} /> : null}
          {seesAlarms && profile?.ShowReportWarningInfo ? (
            <RecordAlarms assets={assets} range={range} />
          ) : null}
          <DailyReview
            assets={assets}
            range={range}
            rows={data.rows}
            name={profile?.realname || profile?.username || ''}
          />
        </div>
      ) : (
        <div className="skeleton skeleton-body" />
      )}
    </div>
  );
}

/** The chart of one channel, which the user chooses. */
function ChannelChart({
  rows,
  range,
  earlier,
}: {
  rows: readonly RecordRow[];
  range: RecordRange;
  earlier: RecordRange | null;
}) {
  const { text, time } = useViewer();
  const [params, change] = useUrlState();
  const row = rows.find(({ channelId }) => String(channelId) === params.get('channel')) ?? rows[0];
  if (!row) return null;
  const labelOf = ({ asset, channel }: RecordRow) => `${asset} · ${channel}`;
  return (
    <section className="panel" aria-label={text('reports.chart')}>
      <div className="report-section report-bar">
        <h2>{text('reports.chart')}</h2>
        <Select
          aria-label={text('reports.column.channel')}
          className="report-channel"
          showSearch={{ optionFilterProp: 'label' }}
          value={row.channelId}
          options={rows.map((each) => ({ value: each.channelId, label: labelOf(each) }))}
          onChange={(next) => change({ channel: next })}
        />
      </div>
      <div className="report-chart">
        <RecordChart
          channel={{ ...row, name: labelOf(row) }}
          range={momentsOf(range)}
          earlier={earlier && momentsOf(earlier)}
        />
        {earlier ? (
          <p className="report-legend">
            <span className="report-key" />
            {text('reports.compare.pale', {
              from: time(earlier.from, 'date-time'),
              to: time(earlier.to, 'date-time'),
            })}
          </p>
        ) : null}
      </div>
    </section>
  );
}

const momentsOf = ({ from, to }: RecordRange) => ({ from: Date.parse(from), to: Date.parse(to) });

function idsOf(text: string | null): number[] {
  const ids = (text ?? '').split(',').map(Number);
  return [...new Set(ids)].filter((id) => Number.isSafeInteger(id) && id > 0).slice(0, MAX_REPORT_ASSETS);
}
