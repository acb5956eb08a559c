import type { ComplianceClause, getComplianceReport } from '@isotherm/contracts/compliance';
import type { ResponseOf } from '@isotherm/contracts/route';
import type { ClauseVerdict } from '@isotherm/domain/reports/compliance';
import { checkWords, worstWords } from '@isotherm/i18n/compliance-words';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon, type IconName } from '../../shared/ui/icon.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';

export type ComplianceView = ResponseOf<typeof getComplianceReport>;

const ICONS: Record<ClauseVerdict, IconName> = { met: 'check', 'not-met': 'close', 'not-assessed': 'minus' };

/** The answer, and the verdict of each clause. The number of assets that fail a clause shows them. */
export function ComplianceClauses({
  report: { clauses },
  failing,
  onChoose,
}: {
  report: ComplianceView;
  failing: string | undefined;
  onChoose: (clause: string | null) => void;
}) {
  const { text } = useViewer();
  const notMet = clauses.filter(({ verdict }) => verdict === 'not-met').length;
  const met = clauses.filter(({ verdict }) => verdict === 'met').length;
  return (
    <section className="panel" aria-label={text('reports.compliance.clauses')}>
      <p className="report-answer">
        {notMet > 0
          ? text('reports.compliance.answer.not-met', { count: notMet, total: clauses.length })
          : text('reports.compliance.answer.met', { count: met })}
      </p>
      <TableFrame label={text('reports.compliance.clauses')}>
        <thead>
          <tr>
            <th>{text('reports.compliance.clause')}</th>
            <th>{text('reports.compliance.requirement')}</th>
            <th>{text('reports.compliance.verdict')}</th>
            <th className="number">{text('reports.compliance.failed')}</th>
            <th className="number">{text('reports.compliance.worst')}</th>
          </tr>
        </thead>
        <tbody>
          {clauses.map((clause) => (
            <ClauseLine
              key={clause.id}
              clause={clause}
              isChosen={clause.id === failing}
              onChoose={() => onChoose(clause.id === failing ? null : clause.id)}
            />
          ))}
        </tbody>
      </TableFrame>
      {clauses.every(({ isConfirmed }) => isConfirmed) ? null : (
        <p className="report-note">* {text('reports.compliance.unconfirmed')}</p>
      )}
    </section>
  );
}

function ClauseLine({
  clause,
  isChosen,
  onChoose,
}: {
  clause: ComplianceClause;
  isChosen: boolean;
  onChoose: () => void;
}) {
  const { text, language } = useViewer();
  const { id, reference, isConfirmed, verdict, failed, total } = clause;
  const name = text(`reports.clause.${id as 'limits'}`);
  const failedOf = text('reports.compliance.failed-of', { failed, total });
  return (
    <tr>
      <td>
        <span className="strong">{name}</span>
        <span className="report-at">{isConfirmed ? reference : `${reference} *`}</span>
      </td>
      <td>{checkWords(clause, text, language)}</td>
      <td>
        <span className={`report-verdict report-verdict-${verdict}`}>
          <Icon name={ICONS[verdict]} small />
          {text(`reports.verdict.${verdict}`)}
        </span>
      </td>
      <td className="number">
        {total === 0 ? (
          EN_RULE
        ) : failed === 0 ? (
          failedOf
        ) : (
          <Button
            variant="link"
            aria-pressed={isChosen}
            aria-label={`${failedOf}. ${text('reports.compliance.show-failing', { clause: name })}`}
            onClick={onChoose}
          >
            {failedOf}
          </Button>
        )}
      </td>
      <td className="number">{worstWords(clause, text) ?? EN_RULE}</td>
    </tr>
  );
}
