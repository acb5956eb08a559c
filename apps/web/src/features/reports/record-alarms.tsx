import { ALARM_REPORT_SORTS } from '@isotherm/contracts/table-reports';
import { useQuery } from '@tanstack/react-query';
import { useViewer } from '../../shared/format/viewer.tsx';
import { FailureNotice } from '../../shared/ui/notice.tsx';
import { useTableState } from '../../shared/ui/sortable-table.tsx';
import { AlarmRows } from './alarm-rows.tsx';
import { alarmReportQuery, type RecordRange } from './reports.queries.ts';

/** Alarms of the assets of a records report that were raised in its range, if the account wants to see them. */
export function RecordAlarms({ assets, range }: { assets: readonly number[]; range: RecordRange }) {
  const { text, zone } = useViewer();
  const state = useTableState('alarms', ALARM_REPORT_SORTS, { sort: 'raisedAt', order: 'desc' });
  const { sort, order, page } = state;
  const filter = { assets: assets.join(','), zone, sort, order, page };
  const { data, error, refetch, isPlaceholderData } = useQuery(alarmReportQuery(filter, range));
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="skeleton skeleton-body" />;
  if (data.total > 0) return <AlarmRows report={data} state={state} isTurning={isPlaceholderData} />;
  return (
    <section className="panel" aria-label={text('reports.alarms.alarms')}>
      <p className="report-answer">{text('reports.alarms.none')}</p>
    </section>
  );
}
