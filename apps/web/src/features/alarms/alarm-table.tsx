import './alarms.css';
import type { Alarm } from '@isotherm/contracts/alarms';
import type { TableProps } from 'antd';
import Table from 'antd/es/table';
import { levelLabel } from '../../shared/format/labels.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { Lasting, useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { alarmFault, stateText, subjectText, valueText } from './alarm-words.ts';

export type AlarmSort = 'level' | 'since' | 'asset';
export type SortOrder = 'asc' | 'desc';

function columns(
  viewer: Viewer,
  sort: AlarmSort,
  order: SortOrder,
  withAsset: boolean,
): TableProps<Alarm>['columns'] {
  const { text, time } = viewer;
  const sortable = (key: AlarmSort) => ({
    sorter: true,
    sortOrder: sort === key ? (order === 'asc' ? ('ascend' as const) : ('descend' as const)) : null,
  });
  return [
    {
      key: 'level',
      title: text('alarms.column.level'),
      ...(withAsset ? sortable('level') : {}),
      render: (_, alarm) => (
        <span className="alarm-level">
          <LevelGlyph level={alarm.level} mode={alarm.state === 'ended' ? 'ended' : 'solid'} />
          {levelLabel(alarm.level, text)} · {alarmFault(alarm, text)}
        </span>
      ),
    },
    ...(withAsset
      ? [
          {
            key: 'asset',
            title: text('alarms.column.asset'),
            ...sortable('asset'),
            render: (_: unknown, alarm: Alarm) => (
              <>
                <span className="strong">{alarm.assetName}</span>
                <div className="small tertiary">{subjectText(alarm, text)}</div>
              </>
            ),
          },
          {
            key: 'place',
            title: text('alarms.column.place'),
            ellipsis: true,
            render: (_: unknown, alarm: Alarm) => (
              <span className="secondary">{alarm.place || alarm.organizationName}</span>
            ),
          },
        ]
      : []),
    {
      key: 'value',
      title: text('alarms.column.value'),
      align: 'end',
      render: (_, alarm) => {
        const value = valueText(alarm, alarm.peakValue ?? alarm.value, text);
        return <bdi dir="ltr">{value ?? EN_RULE}</bdi>;
      },
    },
    {
      key: 'since',
      title: text('alarms.column.since'),
      ...(withAsset ? sortable('since') : {}),
      render: (_, alarm) => time(alarm.since, 'date-time'),
    },
    {
      key: 'duration',
      title: text('alarms.column.duration'),
      align: 'end',
      render: (_, alarm) => <Lasting since={alarm.since} until={alarm.endedAt} />,
    },
    {
      key: 'state',
      title: text('alarms.column.state'),
      render: (_, alarm) => (
        <span className={alarm.state === 'ended' ? 'tertiary' : undefined}>{stateText(alarm, text)}</span>
      ),
    },
    {
      key: 'handled',
      title: text('alarms.column.handled'),
      ellipsis: true,
      render: (_, alarm) =>
        alarm.handling ? (
          alarm.handling.by
        ) : (
          <span className={alarm.state === 'ended' ? 'tertiary' : 'strong'}>{text('alarms.nobody')}</span>
        ),
    },
  ];
}

/** The one table of alarms: rows open the drawer, by pointer or Enter. */
export function AlarmTable({
  alarms,
  loading,
  sort,
  order,
  withAsset,
  pagination,
  empty,
  onSort,
  onOpen,
}: {
  alarms: readonly Alarm[];
  loading: boolean;
  sort: AlarmSort;
  order: SortOrder;
  withAsset: boolean;
  pagination: TableProps<Alarm>['pagination'];
  empty: React.ReactNode;
  onSort: (sort: AlarmSort, order: SortOrder) => void;
  onOpen: (alarm: Alarm) => void;
}) {
  const viewer = useViewer();
  return (
    <Table<Alarm>
      className="alarm-table"
      size="small"
      rowKey="id"
      columns={columns(viewer, sort, order, withAsset) ?? []}
      dataSource={[...alarms]}
      loading={loading}
      pagination={pagination ?? false}
      showSorterTooltip={false}
      sortDirections={['descend', 'ascend', 'descend']}
      scroll={{ x: 'max-content' }}
      locale={{ emptyText: empty }}
      onChange={(_, __, sorter, { action }) => {
        if (action !== 'sort' || Array.isArray(sorter)) return;
        onSort((sorter.columnKey ?? 'level') as AlarmSort, sorter.order === 'ascend' ? 'asc' : 'desc');
      }}
      onRow={(alarm) => ({
        tabIndex: 0,
        onClick: () => onOpen(alarm),
        onKeyDown: (event) => event.key === 'Enter' && onOpen(alarm),
      })}
    />
  );
}
