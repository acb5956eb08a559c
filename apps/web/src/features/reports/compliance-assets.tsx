import {
  COMPLIANCE_PAGE_ASSETS,
  type ComplianceAsset,
  type ComplianceSort,
} from '@isotherm/contracts/compliance';
import { formatDuration } from '@isotherm/i18n/figures';
import { AssetLink } from '../../shared/assets/asset-link.tsx';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { FilterBox } from '../../shared/ui/filter-box.tsx';
import { SortableTable, type TableState } from '../../shared/ui/sortable-table.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import type { ComplianceView } from './compliance-clauses.tsx';
import { degreesText, NumberCells } from './compliance-numbers.tsx';

/** The assets, the worst first: all, or those of a site or that fail a clause. */
export function ComplianceAssets({
  report,
  filter: { site, failing },
  state,
  isTurning,
}: {
  report: ComplianceView;
  filter: { site: number | undefined; failing: string | undefined };
  state: TableState<ComplianceSort>;
  isTurning: boolean;
}) {
  const { text } = useViewer();
  const [params, change] = useUrlState();
  const { assets, matching, sites } = report;
  const chosen = [
    sites.find(({ organizationId }) => organizationId === site)?.name,
    failing && text(`reports.clause.${failing as 'limits'}`),
  ].filter(Boolean);
  return (
    <section className="panel" aria-label={text('reports.fact.assets')}>
      <div className="report-section report-bar">
        <h2>{text('reports.fact.assets')}</h2>
        {chosen.length > 0 ? (
          <span className="row">
            <span className="secondary">{chosen.join(' · ')}</span>
            <Button size="small" onClick={() => change({ site: null, failing: null })}>
              {text('reports.compliance.clear')}
            </Button>
          </span>
        ) : null}
        <FilterBox
          value={params.get('search') ?? ''}
          placeholder={text('reports.compliance.search')}
          onChange={(search) => change({ search })}
        />
      </div>
      {assets.length === 0 ? (
        <p className="report-note">{text('reports.compliance.no-match')}</p>
      ) : (
        <SortableTable
          label={text('reports.fact.assets')}
          state={state}
          total={matching}
          pageSize={COMPLIANCE_PAGE_ASSETS}
          isTurning={isTurning}
          heads={[
            { title: text('reports.column.asset'), sort: 'name' },
            { title: text('reports.compliance.failed-clauses'), sort: 'failed' },
            { title: text('reports.compliance.inside'), sort: 'inside', figure: true },
            { title: text('reports.compliance.below'), figure: true },
            { title: text('reports.compliance.above'), figure: true },
            { title: text('reports.column.coverage'), sort: 'coverage', figure: true },
            { title: text('reports.excursions'), sort: 'excursions', figure: true },
            { title: text('reports.compliance.unhandled'), sort: 'unhandled', figure: true },
            { title: text('reports.compliance.worst-mkt'), sort: 'worstKinetic', figure: true },
            { title: text('reports.compliance.extremes'), sort: 'max', figure: true },
            { title: text('reports.compliance.longest-gap'), sort: 'longestGapMs', figure: true },
          ]}
        >
          {assets.map((asset) => (
            <AssetRow key={asset.assetId} asset={asset} report={report} />
          ))}
        </SortableTable>
      )}
    </section>
  );
}

function AssetRow({ asset, report }: { asset: ComplianceAsset; report: ComplianceView }) {
  const { text, time } = useViewer();
  const { assetId, name, code, site, window, longestGapMs, gapDays, failed, min, max, meanKinetic } = asset;
  const { from, to } = report;
  return (
    <tr>
      <td>
        <AssetLink assetId={assetId} className="report-asset">
          {name}
        </AssetLink>
        <span className="report-at">
          {code} · {site}
        </span>
      </td>
      <td className="report-failed">
        {failed.map((id) => text(`reports.clause.${id as 'limits'}`)).join(', ') || EN_RULE}
      </td>
      <NumberCells
        of={asset}
        alarms={{ from, to, assetId: String(assetId) }}
        {...(window
          ? {
              note: [
                text('reports.compliance.window-of', {
                  days: window.days,
                  from: time(window.from, 'day-time'),
                }),
                text('reports.compliance.whole-range', { celsius: degreesText(meanKinetic, 2) }),
              ].join(' · '),
            }
          : {})}
      />
      <td className="number">
        <bdi dir="ltr">
          {min === null || max === null ? EN_RULE : `${degreesText(min)} … ${degreesText(max)}`}
        </bdi>
      </td>
      <td className="number">
        {longestGapMs === null ? EN_RULE : formatDuration(longestGapMs, text)}
        {gapDays > 0 ? (
          <span className="report-at">{text('reports.compliance.gap-days-of', { count: gapDays })}</span>
        ) : null}
      </td>
    </tr>
  );
}
