import '../../features/reports/reports.css';
import {
  MAX_REPORT_ASSETS,
  orderRecordReport,
  REPORT_FORMATS,
  type ReportFormat,
} from '@isotherm/contracts/reports';
import type { TextId } from '@isotherm/i18n/text-id';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { AssetPicker } from '../../features/assets/groups/asset-picker.tsx';
import { profileQuery } from '../../features/identity/identity.queries.ts';
import { RecordSummary } from '../../features/reports/record-summary.tsx';
import { useReportPeriod } from '../../features/reports/report-period.ts';
import { recordReportQuery } from '../../features/reports/reports.queries.ts';
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
  const { order, isPending } = useOrder();
  const { data: profile } = useQuery(profileQuery);
  const assets = useMemo(() => idsOf(params.get('assets')), [params]);
  const { range, fault, field } = useReportPeriod(profile?.ReportCheckTimeRange, USUAL_DAYS);
  const { data, error, refetch } = useQuery(recordReportQuery(assets, range));

  function start(format: ReportFormat): void {
    if (range) void order(orderRecordReport, { ...range, assets: [...assets], format, zone });
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
      ) : data ? (
        <RecordSummary report={data} />
      ) : (
        <div className="skeleton skeleton-body" />
      )}
    </div>
  );
}

function idsOf(text: string | null): number[] {
  const ids = (text ?? '').split(',').map(Number);
  return [...new Set(ids)].filter((id) => Number.isSafeInteger(id) && id > 0).slice(0, MAX_REPORT_ASSETS);
}
