import './alarms.css';
import type { Alarm } from '@isotherm/contracts/alarms';
import Table from 'antd/es/table';
import { useViewer } from '../../shared/format/viewer.tsx';
import { alarmColumns, alarmListColumns } from './alarm-columns.tsx';

/**
 * Table of the alarms of one asset, or of several with `withAssets`. A row opens the drawer, also with the Enter key.
 */
export function AlarmTable({
  alarms,
  onOpen,
  withAssets = false,
}: {
  alarms: readonly Alarm[];
  onOpen: (alarm: Alarm) => void;
  withAssets?: boolean;
}) {
  const viewer = useViewer();
  const columns = withAssets
    ? alarmListColumns(viewer).filter(({ offered }) => !offered)
    : alarmColumns(viewer);
  return (
    <Table<Alarm>
      className="alarm-table"
      size="small"
      rowKey="id"
      columns={columns.map(({ key, title, align, render }) => ({
        key,
        title,
        ...(align ? { align } : {}),
        render: (_: unknown, alarm: Alarm) => render(alarm),
      }))}
      dataSource={[...alarms]}
      pagination={false}
      scroll={{ x: 'max-content' }}
      onRow={(alarm) => ({
        tabIndex: 0,
        onClick: () => onOpen(alarm),
        onKeyDown: (event) => event.key === 'Enter' && onOpen(alarm),
      })}
    />
  );
}
