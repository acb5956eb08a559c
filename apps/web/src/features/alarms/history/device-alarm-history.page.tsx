import { useText } from '../../../shared/i18n/use-text.ts';
import { HistoryList } from './history-list.tsx';

const SHOWN = ['level', 'device', 'asset', 'value', 'limit', 'raised', 'ended', 'duration', 'state'] as const;

/** Page with the alarms of devices in a period: which device measured what, and against which limit. */
export default function DeviceAlarmHistoryPage() {
  const { text } = useText();
  return (
    <HistoryList
      name="device-alarm-history"
      title={text('menu.device-alarm-history')}
      purpose={text('alarms.history.device-purpose')}
      shown={SHOWN}
    />
  );
}
