import { integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';
import type { ComplianceView } from './compliance-clauses.tsx';
import { NumberCells, NumberHeads, shareText } from './compliance-numbers.tsx';

/** Sums of each site, with those of all sites first. */
export function ComplianceSites({
  report: { sites, totals, from, to },
  onChoose,
}: {
  report: ComplianceView;
  onChoose: (site: number) => void;
}) {
  const { text, language } = useViewer();
  return (
    <section className="panel" aria-label={text('reports.compliance.sites')}>
      <h2 className="report-section">{text('reports.compliance.sites')}</h2>
      <TableFrame label={text('reports.compliance.sites')}>
        <thead>
          <tr>
            <th>{text('reports.compliance.site')}</th>
            <th className="number">{text('reports.fact.assets')}</th>
            <NumberHeads />
          </tr>
        </thead>
        <tbody>
          {sites.length > 1 ? (
            <tr>
              <td className="strong">{text('reports.compliance.all-sites')}</td>
              <td className="number">{integer(language, totals.assets)}</td>
              <NumberCells of={totals} alarms={{ from, to }} />
            </tr>
          ) : null}
          {sites.map((site) => (
            <tr key={site.organizationId}>
              <td>
                <Button
                  variant="link"
                  aria-label={text('reports.compliance.show-site', { site: site.name })}
                  onClick={() => onChoose(site.organizationId)}
                >
                  {site.name}
                </Button>
              </td>
              <td className="number">{integer(language, site.assets)}</td>
              <NumberCells of={site} alarms={{ from, to, organizationId: String(site.organizationId) }} />
            </tr>
          ))}
        </tbody>
      </TableFrame>
    </section>
  );
}

/** Share of the time within limits, and coverage, of each site and month. */
export function ComplianceMonths({ report: { sites, periods } }: { report: ComplianceView }) {
  const { text, language } = useViewer();
  const month = new Intl.DateTimeFormat(language, { month: 'short', year: 'numeric', timeZone: 'UTC' });
  return (
    <section className="panel" aria-label={text('reports.compliance.months')}>
      <h2 className="report-section">{text('reports.compliance.months')}</h2>
      <TableFrame label={text('reports.compliance.months')}>
        <thead>
          <tr>
            <th>{text('reports.compliance.site')}</th>
            {periods.map((period) => (
              <th key={period} className="number">
                {month.format(new Date(period))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sites.map((site) => (
            <tr key={site.organizationId}>
              <td>{site.name}</td>
              {site.periods.map(({ inside, coverage }, index) => (
                <td key={periods[index]} className="number">
                  {shareText(inside)}
                  <span className="report-at">
                    {text('reports.compliance.covered', { share: shareText(coverage) })}
                  </span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </TableFrame>
      <p className="report-note">{text('reports.compliance.months.note')}</p>
    </section>
  );
}
