import '../alarms.css';
import {
  listAlarmHistory,
  MAX_HISTORY,
  NO_REASON,
  orderAlarmHistory,
} from '@isotherm/contracts/alarm-history';
import type { Alarm } from '@isotherm/contracts/alarms';
import { ALARM_REASONS } from '@isotherm/domain/alarms/acknowledgement';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import { REASON_WORDS } from '@isotherm/i18n/alarm-words';
import { type ReactNode, useMemo } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { levelLabel } from '../../../shared/format/labels.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { periodFilter } from '../../../shared/ui/list/period-filter.tsx';
import { alarmListColumns } from '../alarm-columns.tsx';
import { HISTORY_KEY } from './history.queries.ts';
import { HOURS, hourText, WEEKDAYS, weekdayText } from './history-words.ts';

const source = pagesOf(listAlarmHistory);

function useFilters(): ListFilter[] {
  const viewer = useViewer();
  const organizations = useOrganizations();
  return useMemo(() => {
    const { text, language } = viewer;
    return [
      periodFilter(viewer),
      {
        keys: ['level'],
        label: text('alarms.column.level'),
        options: [...ALARM_LEVELS]
          .reverse()
          .map((level) => ({ value: String(level), label: levelLabel(level, text) })),
      },
      {
        keys: ['acknowledged'],
        label: text('alarms.acknowledgement'),
        options: [
          { value: 'true', label: text('alarms.history.acknowledged') },
          { value: 'false', label: text('alarms.history.not-acknowledged') },
        ],
      },
      organizationFilter(text, organizations),
      {
        keys: ['reason'],
        label: text('alarms.acknowledge.reason'),
        more: true,
        options: [
          ...ALARM_REASONS.map((reason) => ({ value: reason as string, label: text(REASON_WORDS[reason]) })),
          { value: NO_REASON, label: text('alarms.history.no-reason') },
        ],
      },
      {
        keys: ['weekday'],
        label: text('alarms.history.weekday'),
        more: true,
        options: WEEKDAYS.map((day) => ({ value: String(day), label: weekdayText(day, language, 'long') })),
      },
      {
        keys: ['hour'],
        label: text('alarms.history.hour'),
        more: true,
        options: HOURS.map((hour) => ({ value: String(hour), label: hourText(hour) })),
      },
    ];
  }, [viewer, organizations]);
}

/** The columns of the current alarms, of which the given ones are shown by default; sorted by time or level. */
function historyColumns(viewer: Viewer, shown: readonly string[]): ListColumn<Alarm>[] {
  return alarmListColumns(viewer).map((column) => {
    if (column.key === 'raised') return { ...column, sortable: true, firstOrder: 'desc', offered: false };
    return { ...column, sortable: column.key === 'level', offered: !shown.includes(column.key) };
  });
}

const RAISED = { sort: 'raised', order: 'desc' } as const;

/** List of the alarms raised in a period, open or ended. A row opens the page of the alarm. */
export function HistoryList({
  name,
  title,
  purpose,
  shown,
  actions,
}: {
  name: string;
  title: string;
  purpose: string;
  /** Keys of the columns that are shown by default. */
  shown: readonly string[];
  actions?: ReactNode;
}) {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const filters = useFilters();
  const columns = useMemo(() => historyColumns(viewer, shown), [viewer, shown]);
  return (
    <ListPage
      name={name}
      title={title}
      purpose={purpose}
      source={source}
      queryKey={HISTORY_KEY}
      columns={columns}
      rowKey={({ id }) => id}
      rowName={({ assetName }) => assetName}
      searchLabel={text('alarms.filter')}
      defaultSort={RAISED}
      filters={filters}
      actions={actions}
      ordering={orderAlarmHistory}
      onOpen={({ id }) => go(`/alarm/${id}`)}
      empty={{ title: text('alarms.history.empty.title'), reason: text('alarms.history.empty.reason') }}
      note={({ isLimited }) => (isLimited ? text('alarms.history.limited', { count: MAX_HISTORY }) : null)}
    />
  );
}
