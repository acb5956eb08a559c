import {
  type ALARM_REPORT_SORTS,
  REPORT_PAGE_ROWS,
  type ReportedAlarm,
} from '@isotherm/contracts/table-reports';
import { isAboutSwitch } from '@isotherm/domain/alarms/catalogue';
import { comparedWords, faultWords } from '@isotherm/i18n/alarm-words';
import { formatDuration } from '@isotherm/i18n/figures';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { AssetLink } from '../../shared/assets/asset-link.tsx';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer } from '../../shared/format/viewer.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { SortableTable, type TableState } from '../../shared/ui/sortable-table.tsx';
import type { AlarmReportView } from './reports.queries.ts';

type RowState = TableState<(typeof ALARM_REPORT_SORTS)[number]>;

/** The alarms of a report: one page of them, in the order that its head says. */
export function AlarmRows({
  report: { rows, total },
  state,
  isTurning,
}: {
  report: AlarmReportView;
  state: RowState;
  isTurning: boolean;
}) {
  const { text } = useViewer();
  return (
    <section className="panel" aria-label={text('reports.alarms.alarms')}>
      <h2 className="report-section">{text('reports.alarms.alarms')}</h2>
      <SortableTable
        label={text('reports.alarms.alarms')}
        state={state}
        total={total}
        pageSize={REPORT_PAGE_ROWS}
        isTurning={isTurning}
        heads={[
          { title: text('reports.alarms.fault'), sort: 'level' },
          { title: text('reports.column.asset'), sort: 'asset' },
          { title: text('alarms.fact.raised'), sort: 'raisedAt' },
          { title: text('alarms.column.duration'), sort: 'duration', figure: true },
          { title: text('reports.column.peak'), figure: true },
          { title: text('alarms.column.acknowledged'), sort: 'acknowledgedAt' },
          { title: text('reports.column.cause') },
        ]}
      >
        {rows.map((row) => (
          <AlarmLine key={row.id} row={row} />
        ))}
      </SortableTable>
      <p className="report-note">{text('reports.alarms.method')}</p>
    </section>
  );
}

function AlarmLine({ row }: { row: ReportedAlarm }) {
  const { text, time, language } = useViewer();
  const seesAlarms = usePermission('alarm-current:view');
  const {
    id,
    level,
    kind,
    indicator,
    raisedAt,
    endedAt,
    peak,
    acknowledgedBy,
    acknowledgedAt,
    cause,
    action,
  } = row;
  const fault = faultWords(indicator, kind, text);
  return (
    <tr>
      <td>
        <span className="row">
          <LevelGlyph level={level} />
          {seesAlarms ? (
            <Link className="report-asset" to={`/alarm/${id}`}>
              {fault}
            </Link>
          ) : (
            fault
          )}
        </span>
      </td>
      <td>
        {row.assetId === null ? (
          EN_RULE
        ) : (
          <AssetLink assetId={row.assetId} className="report-asset">
            {row.asset} · {row.code}
          </AssetLink>
        )}
        <span className="report-at">{row.site}</span>
      </td>
      <td className="number">{time(raisedAt, 'date-time')}</td>
      <td className="number">
        {endedAt === null
          ? text('reports.alarms.open')
          : formatDuration(Date.parse(endedAt) - Date.parse(raisedAt), text)}
      </td>
      <td className="number">
        <bdi dir="ltr">
          {peak === null || isAboutSwitch(row)
            ? EN_RULE
            : comparedWords(indicator, kind, peak, language, text)}
        </bdi>
      </td>
      <td>
        {acknowledgedBy || EN_RULE}
        {acknowledgedAt ? <span className="report-at">{time(acknowledgedAt, 'date-time')}</span> : null}
      </td>
      <td className="report-failed">{[cause, action].filter(Boolean).join(' · ') || EN_RULE}</td>
    </tr>
  );
}
