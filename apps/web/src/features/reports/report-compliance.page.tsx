import './reports.css';
import { MAX_COMPLIANCE_DAYS, orderComplianceReport } from '@isotherm/contracts/compliance';
import { REPORT_FORMATS, type ReportFormat } from '@isotherm/contracts/reports';
import { RULE_PACK_IDS, RULE_PACKS } from '@isotherm/domain/reports/rule-packs';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useOrder } from '../../shared/jobs/jobs.queries.ts';
import { Icon } from '../../shared/ui/icon.tsx';
import { PeriodField } from '../../shared/ui/list/period-filter.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { TreeSelect } from '../../shared/ui/tree/tree-select.tsx';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';
import { ComplianceAssets } from './compliance-assets.tsx';
import { ComplianceClauses } from './compliance-clauses.tsx';
import { ComplianceMonths, ComplianceSites } from './compliance-sites.tsx';
import { useReportPeriod } from './report-period.ts';
import { complianceQuery } from './reports.queries.ts';

const USUAL_DAYS = 30;

/** Judges the assets of an organisation by a rule pack; each number leads to the assets or alarms behind it. */
export default function ReportCompliancePage() {
  const { text, zone } = useViewer();
  const [params, change] = useUrlState();
  const organizations = useOrganizations();
  const { order, isPending } = useOrder();
  const { range, fault, field } = useReportPeriod(MAX_COMPLIANCE_DAYS, USUAL_DAYS);
  const pack = oneOf(RULE_PACK_IDS, params.get('pack')) ?? 'gsp';
  const organizationId = Number(params.get('organizationId')) || undefined;
  const site = Number(params.get('site')) || undefined;
  const failing = params.get('failing') ?? undefined;
  const about = { pack, ...(organizationId ? { organizationId } : {}) };
  const { data, error, refetch, isPlaceholderData } = useQuery(
    complianceQuery(
      {
        ...about,
        ...(site ? { site } : {}),
        ...(failing ? { failing } : {}),
        search: params.get('search') ?? '',
      },
      range,
    ),
  );

  function start(format: ReportFormat): void {
    if (range) void order(orderComplianceReport, { ...range, ...about, format, zone });
    else if (fault) toast('failure', fault);
  }

  return (
    <div className="page">
      <PageHead title={text('menu.report-compliance')} purpose={text('reports.compliance.purpose')}>
        {REPORT_FORMATS.map((format) => (
          <PermissionButton
            key={format}
            permission="report-compliance:export"
            disabled={isPending}
            onClick={() => start(format)}
          >
            <Icon name="download" />
            {format.toUpperCase()}
          </PermissionButton>
        ))}
      </PageHead>
      <div className="report-filters">
        <Select
          aria-label={text('reports.compliance.pack')}
          className="report-pack"
          value={pack}
          options={RULE_PACK_IDS.map((id) => ({ value: id, label: RULE_PACKS[id].name }))}
          onChange={(next) => change({ pack: next, failing: null })}
        />
        <TreeSelect
          className="list-tree"
          aria-label={text('reports.compliance.organization')}
          nodes={organizations.nodes}
          loading={organizations.loading}
          clearable
          placeholder={text('stats.all-organizations')}
          value={organizationId}
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
      ) : data && data.totals.assets === 0 ? (
        <section className="panel">
          <Notice icon="page" title={text('reports.compliance.no-assets')}>
            {text('reports.compliance.no-assets.reason')}
          </Notice>
        </section>
      ) : data ? (
        <div
          className={isPlaceholderData ? 'report-parts report-waiting' : 'report-parts'}
          aria-busy={isPlaceholderData}
        >
          <ComplianceClauses report={data} failing={failing} onChoose={(id) => change({ failing: id })} />
          <ComplianceSites report={data} onChoose={(id) => change({ site: id })} />
          {data.periods.length > 1 ? <ComplianceMonths report={data} /> : null}
          <ComplianceAssets report={data} filter={{ site, failing }} />
          <section className="panel">
            <p className="report-note">{text('reports.compliance.method')}</p>
            <p className="report-note">
              {text('reports.compliance.source')}: {data.pack.document},{' '}
              <a href={data.pack.source} target="_blank" rel="noreferrer">
                {data.pack.source}
              </a>
            </p>
          </section>
        </div>
      ) : (
        <div className="skeleton skeleton-body" />
      )}
    </div>
  );
}
