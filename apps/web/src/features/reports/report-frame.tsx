import './reports.css';
import { REPORT_FORMATS, type ReportFormat } from '@isotherm/contracts/reports';
import type { Permission } from '@isotherm/domain/access/permissions';
import type { ReactNode } from 'react';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { PeriodField } from '../../shared/ui/list/period-filter.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { TreeSelect } from '../../shared/ui/tree/tree-select.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import type { useReportPeriod } from './report-period.ts';

/** Frame of a report over an organisation: its head with the files, its filters, and loading, fault, error or content. */
export function ReportFrame({
  title,
  purpose,
  exporting,
  filters,
  period: { range, fault, field },
  isOrdering,
  order,
  loaded: { data, error, refetch, isPlaceholderData },
  children,
}: {
  title: string;
  purpose: string;
  exporting: Permission;
  /** Further filters, before those of organisation and range. */
  filters?: ReactNode;
  period: ReturnType<typeof useReportPeriod>;
  isOrdering: boolean;
  order: (format: ReportFormat, range: { from: string; to: string }) => void;
  loaded: { data: unknown; error: Error | null; refetch: () => unknown; isPlaceholderData: boolean };
  children: ReactNode;
}) {
  const { text } = useViewer();
  const organizations = useOrganizations();
  const [params, change] = useUrlState();
  function start(format: ReportFormat): void {
    if (range) order(format, range);
    else if (fault) toast('failure', fault);
  }
  return (
    <div className="page">
      <PageHead title={title} purpose={purpose}>
        {REPORT_FORMATS.map((format) => (
          <PermissionButton
            key={format}
            permission={exporting}
            disabled={isOrdering}
            onClick={() => start(format)}
          >
            <Icon name="download" />
            {format.toUpperCase()}
          </PermissionButton>
        ))}
      </PageHead>
      <div className="report-filters">
        {filters}
        <TreeSelect
          className="list-tree"
          aria-label={text('reports.compliance.organization')}
          nodes={organizations.nodes}
          loading={organizations.loading}
          clearable
          placeholder={text('stats.all-organizations')}
          value={Number(params.get('organizationId')) || undefined}
          onChange={(id) => change({ organizationId: id ?? null, site: null })}
        />
        <PeriodField {...field} />
      </div>
      {fault ? (
        <section className="panel">
          <p className="report-fault" role="alert">
            {fault}
          </p>
        </section>
      ) : error && !data ? (
        <FailureNotice error={error} retry={() => void refetch()} />
      ) : data ? (
        <div
          className={isPlaceholderData ? 'report-parts report-waiting' : 'report-parts'}
          aria-busy={isPlaceholderData}
        >
          {children}
        </div>
      ) : (
        <div className="skeleton skeleton-body" />
      )}
    </div>
  );
}

/** The chosen organisation in the address. */
export function useChosenOrganization(): { organizationId?: number } {
  const [params] = useUrlState();
  const organizationId = Number(params.get('organizationId')) || undefined;
  return organizationId ? { organizationId } : {};
}
