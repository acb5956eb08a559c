import type { ComplianceAsset, ComplianceSite } from '@isotherm/contracts/compliance';
import { BAND_BOUNDS } from '@isotherm/domain/reports/compliance-statistics';
import { formatDuration, shareWords } from '@isotherm/i18n/figures';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { EN_RULE, fixed, integer } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';

export type ComplianceNumbers = Pick<
  ComplianceSite & ComplianceAsset,
  'inside' | 'coverage' | 'belowMs' | 'aboveMs' | 'excursions' | 'unhandled' | 'worstKinetic'
>;

export const shareText = (share: number | null) => (share === null ? EN_RULE : shareWords(share));
export const degreesText = (celsius: number | null, decimals = 1) =>
  celsius === null ? EN_RULE : `${fixed(celsius, decimals)} °C`;

/** Titles of the columns that sites and assets share. */
export function NumberHeads() {
  const { text } = useViewer();
  return (
    <>
      <th className="number">{text('reports.compliance.inside')}</th>
      <th className="number">{text('reports.compliance.below')}</th>
      <th className="number">{text('reports.compliance.above')}</th>
      <th className="number">{text('reports.column.coverage')}</th>
      <th className="number">{text('reports.excursions')}</th>
      <th className="number">{text('reports.compliance.unhandled')}</th>
      <th className="number">{text('reports.compliance.worst-mkt')}</th>
    </>
  );
}

/** Cells that sites and assets share. `alarms` is the filter of the history of alarms behind the excursions. */
export function NumberCells({
  of,
  alarms,
  note,
}: {
  of: ComplianceNumbers;
  alarms: Record<string, string>;
  /** What is said below the mean kinetic temperature. */
  note?: string;
}) {
  const { language } = useViewer();
  const { inside, coverage, belowMs, aboveMs, excursions, unhandled, worstKinetic } = of;
  return (
    <>
      <td className="number">{shareText(inside)}</td>
      <td className="number">
        <Bands ms={belowMs} />
      </td>
      <td className="number">
        <Bands ms={aboveMs} />
      </td>
      <td className="number">{shareText(coverage)}</td>
      <td className="number">
        <AlarmsLink filter={alarms}>{integer(language, excursions)}</AlarmsLink>
      </td>
      <td className={unhandled > 0 ? 'number report-outside' : 'number'}>
        {unhandled > 0 ? (
          <AlarmsLink filter={{ ...alarms, acknowledged: 'false' }}>
            {integer(language, unhandled)}
          </AlarmsLink>
        ) : (
          integer(language, unhandled)
        )}
      </td>
      <td className="number">
        <div>
          <bdi dir="ltr">{degreesText(worstKinetic, 2)}</bdi>
          {note ? <span className="report-at">{note}</span> : null}
        </div>
      </td>
    </>
  );
}

/** Time beyond a limit, and how it is divided into bands. */
function Bands({ ms }: { ms: readonly number[] }) {
  const { text } = useViewer();
  const total = ms.reduce((sum, each) => sum + each, 0);
  if (total === 0) return EN_RULE;
  const name = (band: number) => {
    const [low, high] = [BAND_BOUNDS[band] as number, BAND_BOUNDS[band + 1]];
    return high === undefined ? `> ${low}` : `${low}–${high}`;
  };
  return (
    <div>
      <span className="report-outside">{formatDuration(total, text)}</span>
      {ms.map((each, band) =>
        each > 0 ? (
          <span key={name(band)} className="report-at">
            {text('reports.compliance.band', { band: name(band), duration: formatDuration(each, text) })}
          </span>
        ) : null,
      )}
    </div>
  );
}

/** A link to the alarms of a filter; plain text for users who may not see them. */
export function AlarmsLink({ filter, children }: { filter: Record<string, string>; children: string }) {
  const seesAlarms = usePermission('alarm-graded:view');
  if (!seesAlarms || children === '0') return children;
  return (
    <Link className="report-asset" to={`/alarm/graded?${new URLSearchParams(filter)}`}>
      {children}
    </Link>
  );
}
