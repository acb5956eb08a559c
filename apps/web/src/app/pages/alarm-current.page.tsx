import { AlarmList } from '../../features/alarms/alarm-list.tsx';
import { AlarmPictures } from '../../features/assets/webcams/alarm-pictures.tsx';

export default function CurrentAlarmsPage() {
  return <AlarmList pictures={(alarmId) => <AlarmPictures alarmId={alarmId} />} />;
}
