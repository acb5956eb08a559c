import './reports.css';
import type { getRecordReport, RecordRow } from '@isotherm/contracts/reports';
import type { ResponseOf } from '@isotherm/contracts/route';
import { INDICATORS } from '@isotherm/domain/readings/indicator';
import { formatDuration, limitWords, shareWords } from '@isotherm/i18n/figures';
import { AssetLink } from '../../shared/assets/asset-link.tsx';
import { EN_RULE, fixed, withUnit } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { TableFrame } from '../../shared/ui/table-frame.tsx';

type Report = ResponseOf<typeof getRecordReport>;

/** What a report states first: whether everything was within its limits. */
function useAnswer({ rows }: Report): string {
  const { text } = useViewer();
  const limited = rows.filter(({ outsideMs }) => outsideMs !== null);
  const outside = limited.flatMap(({ outsideMs }) => (outsideMs ? [outsideMs] : []));
  if (rows.every(({ count }) => count === 0)) return text('reports.no-data');
  if (outside.length > 0)
    return text('reports.answer.outside', {
      count: outside.length,
      duration: formatDuration(Math.max(...outside), text),
    });
  return limited.length === 0
    ? text('reports.answer.unlimited')
    : text('reports.answer.inside', { count: limited.length });
}

/** Table with one line for each channel, below the answer. */
export function RecordSummary({ report }: { report: Report }) {
  const { text } = useViewer();
  const answer = useAnswer(report);
  const { rows, total } = report;
  return (
    <section className="panel" aria-label={text('reports.summary')}>
      <p className="report-answer">{answer}</p>
      <TableFrame label={text('reports.summary')}>
        <thead>
          <tr>
            <th>{text('reports.column.asset')}</th>
            <th>{text('reports.column.channel')}</th>
            <th className="number">{text('reports.column.lowest')}</th>
            <th className="number">{text('reports.column.highest')}</th>
            <th className="number">{text('reports.column.mean')}</th>
            <th className="number">{text('reports.column.mkt')}</th>
            <th className="number">{text('reports.column.outside')}</th>
            <th className="number">{text('reports.column.coverage')}</th>
            <th className="number">{text('reports.column.limits')}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <SummaryLine key={row.channelId} row={row} />
          ))}
        </tbody>
      </TableFrame>
      {total > rows.length ? (
        <p className="report-note">{text('reports.limited', { shown: rows.length, total })}</p>
      ) : null}
      <p className="report-note">{text('reports.method')}</p>
    </section>
  );
}

function SummaryLine({ row }: { row: RecordRow }) {
  const { text, time, language } = useViewer();
  const { indicator, outsideMs, coverage } = row;
  const extreme = (value: number | null, at: string | null) => (
    <>
      <bdi dir="ltr">{value === null ? EN_RULE : withUnit(indicator, value)}</bdi>
      {at ? <span className="report-at">{time(at, 'day-time')}</span> : null}
    </>
  );
  const { unit, precision } = INDICATORS[indicator];
  const mean = (value: number | null) => (
    <bdi dir="ltr">{value === null ? EN_RULE : `${fixed(value, precision + 1)} ${unit}`.trim()}</bdi>
  );
  const limits = limitWords(row, precision, language);
  return (
    <tr>
      <td>
        <AssetLink assetId={row.assetId} className="report-asset">
          {row.asset} · {row.code}
        </AssetLink>
      </td>
      <td>{row.channel}</td>
      <td className="number">{extreme(row.min, row.minAt)}</td>
      <td className="number">{extreme(row.max, row.maxAt)}</td>
      <td className="number">{mean(row.mean)}</td>
      <td className="number">{mean(row.meanKinetic)}</td>
      <td className={outsideMs ? 'number report-outside' : 'number'}>
        {outsideMs === null ? EN_RULE : formatDuration(outsideMs, text)}
      </td>
      <td className="number">{coverage === null ? EN_RULE : shareWords(coverage)}</td>
      <td className="number">
        <bdi dir="ltr">{limits ? `${limits} ${unit}`.trim() : EN_RULE}</bdi>
      </td>
    </tr>
  );
}
