import { COMPLIANCE_SORTS, MAX_COMPLIANCE_DAYS, orderComplianceReport } from '@isotherm/contracts/compliance';
import { RULE_PACK_IDS, RULE_PACKS } from '@isotherm/domain/reports/rule-packs';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useViewer } from '../../shared/format/viewer.tsx';
import { useOrder } from '../../shared/jobs/jobs.queries.ts';
import { Notice } from '../../shared/ui/notice.tsx';
import { useTableState } from '../../shared/ui/sortable-table.tsx';
import { oneOf, useUrlState } from '../../shared/ui/use-url-state.ts';
import { ComplianceAssets } from './compliance-assets.tsx';
import { ComplianceClauses } from './compliance-clauses.tsx';
import { ComplianceMonths, ComplianceSites } from './compliance-sites.tsx';
import { ReportFrame, useChosenOrganization } from './report-frame.tsx';
import { useReportPeriod } from './report-period.ts';
import { complianceQuery } from './reports.queries.ts';

const USUAL_DAYS = 30;

/** Judges the assets of an organisation by a rule pack; each number leads to the assets or alarms behind it. */
export default function ReportCompliancePage() {
  const { text, zone } = useViewer();
  const [params, change] = useUrlState();
  const { order, isPending } = useOrder();
  const period = useReportPeriod(MAX_COMPLIANCE_DAYS, USUAL_DAYS);
  const pack = oneOf(RULE_PACK_IDS, params.get('pack')) ?? 'gsp';
  const site = Number(params.get('site')) || undefined;
  const failing = params.get('failing') ?? undefined;
  const state = useTableState('assets', COMPLIANCE_SORTS, { sort: 'failed', order: 'desc' });
  const about = { pack, ...useChosenOrganization() };
  const loaded = useQuery(
    complianceQuery(
      {
        ...about,
        ...(site ? { site } : {}),
        ...(failing ? { failing } : {}),
        search: params.get('search') ?? '',
        sort: state.sort,
        order: state.order,
        page: state.page,
      },
      period.range,
    ),
  );
  const { data } = loaded;

  return (
    <ReportFrame
      title={text('menu.report-compliance')}
      purpose={text('reports.compliance.purpose')}
      exporting="report-compliance:export"
      period={period}
      isOrdering={isPending}
      order={(format, range) => void order(orderComplianceReport, { ...range, ...about, format, zone })}
      loaded={loaded}
      filters={
        <Select
          aria-label={text('reports.compliance.pack')}
          className="report-pack"
          value={pack}
          options={RULE_PACK_IDS.map((id) => ({ value: id, label: RULE_PACKS[id].name }))}
          onChange={(next) => change({ pack: next, failing: null })}
        />
      }
    >
      {data && data.totals.assets === 0 ? (
        <section className="panel">
          <Notice icon="page" title={text('reports.compliance.no-assets')}>
            {text('reports.compliance.no-assets.reason')}
          </Notice>
        </section>
      ) : data ? (
        <>
          <ComplianceClauses report={data} failing={failing} onChoose={(id) => change({ failing: id })} />
          <ComplianceSites report={data} onChoose={(id) => change({ site: id })} />
          {data.periods.length > 1 ? <ComplianceMonths report={data} /> : null}
          <ComplianceAssets
            report={data}
            filter={{ site, failing }}
            state={state}
            isTurning={loaded.isPlaceholderData}
          />
          <section className="panel">
            <p className="report-note">{text('reports.compliance.method')}</p>
            <p className="report-note">
              {text('reports.compliance.source')}: {data.pack.document},{' '}
              <a href={data.pack.source} target="_blank" rel="noreferrer">
                {data.pack.source}
              </a>
            </p>
          </section>
        </>
      ) : null}
    </ReportFrame>
  );
}
